// SPDX-License-Identifier: Apache-2.0
// ScenarioReader: a visitor that reads the values of one table.
//
// Keeps the first error, and reads nothing after it.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/sim/scenario_fields.h"

namespace weir::runtime::sim {

class ScenarioReader final : public FieldVisitor {
 public:
  // Messages put the name before keys: "work"; empty before the first table.
  ScenarioReader(const toml::table& table, std::string name)
      : table_(table), name_(std::move(name)) {}

  void text(std::string_view key, std::string& value) override;
  void number(std::string_view key, std::uint64_t& value, NumberRange range) override;
  void number(std::string_view key, std::optional<std::uint64_t>& value,
              NumberRange range) override;
  void duration(std::string_view key, base::Duration& value) override;
  void fraction(std::string_view key, Fraction& value) override;
  void fraction(std::string_view key, std::optional<Fraction>& value) override;
  void flag(std::string_view key, bool& value) override;
  void word(std::string_view key, std::size_t& value,
            std::span<const std::string_view> names) override;
  void latency(std::string_view key, base::Duration& least, base::Duration& most) override;
  void round_trips(std::string_view key, SiteTable& sites) override;
  void amount(std::string_view key, std::optional<Amount>& value) override;
  void drop_reasons(std::string_view key, std::vector<protocol::DropReason>& values) override;

  // Allows a key that no visit meets: the name of a table.
  void allow(std::string_view key) { known_.push_back(key); }
  // Returns the first error, or an error for the first unknown key; nullopt if there is none.
  std::optional<base::Error> finish();
  // Returns an error at the place of the key, or of the table if the key is missing.
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

}  // namespace weir::runtime::sim
