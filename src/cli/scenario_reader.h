// SPDX-License-Identifier: Apache-2.0
// ScenarioReader: reads one table of a scenario's file into what a visit meets.
//
// The first error is kept, and nothing is read after it.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/scenario_fields.h"

namespace weir::cli {

class ScenarioReader final : public FieldVisitor {
 public:
  // The name stands before the keys in messages: "work", or nothing before all tables.
  ScenarioReader(const toml::table& table, std::string name)
      : table_(table), name_(std::move(name)) {}

  void text(std::string_view key, std::string& value) override;
  void number(std::string_view key, std::uint64_t& value, NumberRange range) override;
  void number(std::string_view key, std::optional<std::uint64_t>& value,
              NumberRange range) override;
  void duration(std::string_view key, base::Duration& value) override;
  void fraction(std::string_view key, runtime::sim::Fraction& value) override;
  void fraction(std::string_view key, std::optional<runtime::sim::Fraction>& value) override;
  void flag(std::string_view key, bool& value) override;
  void word(std::string_view key, std::size_t& value,
            std::span<const std::string_view> names) override;
  void latency(std::string_view key, base::Duration& least, base::Duration& most) override;
  void round_trips(std::string_view key, runtime::sim::SiteTable& sites) override;
  void amount(std::string_view key, std::optional<runtime::sim::Amount>& value) override;
  void drop_reasons(std::string_view key, std::vector<protocol::DropReason>& values) override;

  // A key that the file may have besides: the name of a table.
  void allow(std::string_view key) { known_.push_back(key); }
  // The error met first, or the first key that no visit has met.
  std::optional<base::Error> finish();
  // An error about a key that is there, or about the table where it is not.
  base::Error error_at(std::string_view key, std::string message) const;

 private:
  const toml::node* find(std::string_view key);
  // "work.lookups is 'x', expected ..."
  void refuse(std::string_view key, const toml::node& node, std::string_view expected);
  std::optional<base::Duration> duration_of(std::string_view key, const toml::node& node,
                                            std::string_view expected);
  std::string full_name(std::string_view key) const;

  const toml::table& table_;
  std::string name_;
  std::vector<std::string_view> known_;
  std::optional<base::Error> error_;
};

base::Position position_of(const toml::source_region& source);

}  // namespace weir::cli
