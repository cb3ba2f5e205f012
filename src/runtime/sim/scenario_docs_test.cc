// SPDX-License-Identifier: Apache-2.0
// docs/simulation.md lists every key of a scenario, in order, with its default.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file_testing.h"
#include "runtime/sim/scenario_fields.h"
#include "runtime/sim/scenario_writer.h"

namespace weir::runtime::sim {
namespace {

class KeyLister final : public FieldVisitor {
 public:
  void begin(std::string table) { table_ = std::move(table); }
  const std::vector<std::string>& keys() const { return keys_; }

  void text(std::string_view key, std::string&) override { add(key); }
  void number(std::string_view key, std::uint64_t&, NumberRange) override { add(key); }
  void number(std::string_view key, std::optional<std::uint64_t>&, NumberRange) override {
    add(key);
  }
  void duration(std::string_view key, base::Duration&) override { add(key); }
  void fraction(std::string_view key, Fraction&) override { add(key); }
  void fraction(std::string_view key, std::optional<Fraction>&) override { add(key); }
  void flag(std::string_view key, bool&) override { add(key); }
  void word(std::string_view key, std::size_t&, std::span<const std::string_view>) override {
    add(key);
  }
  void latency(std::string_view key, base::Duration&, base::Duration&) override { add(key); }
  void round_trips(std::string_view key, SiteTable&) override { add(key); }
  void amount(std::string_view key, std::optional<Amount>&) override { add(key); }
  void drop_reasons(std::string_view key, std::vector<protocol::DropReason>&) override { add(key); }

 private:
  void add(std::string_view key) { keys_.push_back(table_ + std::string(key)); }

  std::string table_;
  std::vector<std::string> keys_;
};

std::vector<std::string> all_keys() {
  Scenario scenario;
  Fault fault;
  KeyLister lister;
  visit_head(lister, scenario);
  lister.begin("members.");
  visit(lister, scenario.members);
  lister.begin("link.");
  visit(lister, scenario.link);
  lister.begin("work.");
  visit(lister, scenario.work);
  lister.begin("fault.");
  visit(lister, fault);
  lister.begin("checks.");
  visit(lister, scenario.checks);
  return lister.keys();
}

// "members.count" -> "100": the values of a scenario with one fault that has no keys.
std::map<std::string, std::string> defaults() {
  Scenario scenario;
  scenario.faults.emplace_back();
  std::istringstream lines(scenario_toml(scenario));
  std::map<std::string, std::string> values;
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (line.starts_with('[')) {
      table = line.substr(line.find_first_not_of('['));
      table = table.substr(0, table.find(']')) + ".";
    } else if (equals != std::string::npos) {
      values[table + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return values;
}

// The first two cells of each row that documents a key.
std::vector<std::pair<std::string, std::string>> documented() {
  std::istringstream lines(base::read_source_file("docs/simulation.md"));
  std::vector<std::pair<std::string, std::string>> rows;
  bool is_of_keys = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| key |")) is_of_keys = true;
    if (!line.starts_with('|')) is_of_keys = false;
    if (!is_of_keys || !line.starts_with("| `")) continue;
    const std::size_t key_end = line.find("` |");
    const std::size_t second = line.find("| ", key_end) + 2;
    rows.emplace_back(line.substr(3, key_end - 3),
                      line.substr(second, line.find(" |", second) - second));
  }
  return rows;
}

TEST(ScenarioDocsTest, EveryKeyIsThereInOrder) {
  std::vector<std::string> keys;
  for (const auto& [key, second] : documented()) keys.push_back(key);
  EXPECT_EQ(keys, all_keys());
}

TEST(ScenarioDocsTest, DefaultsAreTrue) {
  const auto values = defaults();
  int count = 0;
  for (const auto& [key, second] : documented()) {
    const bool is_value = second.starts_with('`') && second.ends_with('`');
    if (!is_value || key.starts_with("checks.")) continue;
    ASSERT_TRUE(values.contains(key)) << key;
    EXPECT_EQ(second, fmt::format("`{}`", values.at(key))) << key;
    ++count;
  }
  EXPECT_GT(count, 30);
}

}  // namespace
}  // namespace weir::runtime::sim
