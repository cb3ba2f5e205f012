// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_writer.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "filter/duration.h"
#include "runtime/sim/scenario_fields.h"

namespace weir::runtime::sim {

namespace {

std::string quoted(Fraction fraction) {
  return fmt::format("\"{}/{}\"", fraction.numerator, fraction.denominator);
}

std::string quoted(base::Duration duration) {
  return fmt::format("\"{}\"", duration == base::Duration{} ? "0s" : filter::to_text(duration));
}

class Writer final : public FieldVisitor {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void text(std::string_view key, std::string& value) override {
    if (!value.empty()) line(key, fmt::format("\"{}\"", value));
  }
  void number(std::string_view key, std::uint64_t& value, NumberRange /*range*/) override {
    line(key, fmt::to_string(value));
  }
  void number(std::string_view key, std::optional<std::uint64_t>& value,
              NumberRange /*range*/) override {
    if (value) line(key, fmt::to_string(*value));
  }
  void duration(std::string_view key, base::Duration& value) override { line(key, quoted(value)); }
  void fraction(std::string_view key, Fraction& value) override { line(key, quoted(value)); }
  void fraction(std::string_view key, std::optional<Fraction>& value) override {
    if (value) line(key, quoted(*value));
  }
  void flag(std::string_view key, bool& value) override { line(key, value ? "true" : "false"); }
  void word(std::string_view key, std::size_t& value,
            std::span<const std::string_view> names) override {
    line(key, fmt::format("\"{}\"", names[value]));
  }
  void latency(std::string_view key, base::Duration& least, base::Duration& most) override {
    line(key, least == most ? quoted(least) : fmt::format("[{}, {}]", quoted(least), quoted(most)));
  }
  void round_trips(std::string_view key, SiteTable& sites) override {
    if (sites.is_empty()) return;
    std::string rows;
    for (std::size_t i = 0; i < sites.round_trips.size(); ++i) {
      const bool begins = i % sites.site_count == 0;
      if (begins) rows += rows.empty() ? "[" : "], [";
      rows += (begins ? "" : ", ") + quoted(sites.round_trips[i]);
    }
    line(key, fmt::format("[{}]]", rows));
  }
  void amount(std::string_view key, std::optional<Amount>& value) override {
    if (!value) return;
    line(key, value->share.is_zero() ? fmt::to_string(value->count) : quoted(value->share));
  }
  void drop_reasons(std::string_view key, std::vector<protocol::DropReason>& values) override {
    std::string list;
    for (const protocol::DropReason reason : values) {
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", to_string(reason));
    }
    line(key, fmt::format("[{}]", list));
  }

 private:
  void line(std::string_view key, std::string_view value) {
    out_ += fmt::format("{} = {}\n", key, value);
  }

  std::string& out_;
};

}  // namespace

std::string scenario_toml(const Scenario& scenario) {
  Scenario copy = scenario;  // visitors may change values; this one does not
  std::string out;
  Writer writer(out);
  visit_head(writer, copy);
  out += "\n[members]\n";
  visit(writer, copy.members);
  out += "\n[link]\n";
  visit(writer, copy.link);
  out += "\n[work]\n";
  visit(writer, copy.work);
  for (Fault& fault : copy.faults) {
    out += "\n[[fault]]\n";
    visit(writer, fault);
  }
  out += "\n[checks]\n";
  visit(writer, copy.checks);
  return out;
}

}  // namespace weir::runtime::sim
