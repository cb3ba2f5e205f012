// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_parser.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "runtime/sim/scenario_reader.h"
#include "runtime/sim/scenario_rules.h"

namespace weir::runtime::sim {

namespace {

using MaybeError = std::optional<base::Error>;

constexpr std::array<std::string_view, 4> kTables = {"members", "link", "work", "checks"};
constexpr std::string_view kFaultTable = "fault";

base::Error wrong_shape(const toml::node& node, std::string_view name, std::string_view expected) {
  return {base::ErrorId::kConfigKey, fmt::format("{} is no {}", name, expected),
          position_of(node.source())};
}

template <typename Part>
MaybeError read_table(const toml::table& root, std::string_view name, Part& part) {
  const toml::node* const node = root.get(name);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) return wrong_shape(*node, name, fmt::format("table: write [{}]", name));
  ScenarioReader reader(*node->as_table(), std::string(name));
  visit(reader, part);
  return reader.finish();
}

MaybeError read_fault(const toml::node& node, Scenario& scenario) {
  if (!node.is_table()) return wrong_shape(node, kFaultTable, "table: write [[fault]]");
  ScenarioReader reader(*node.as_table(), std::string(kFaultTable));
  Fault& fault = scenario.faults.emplace_back();
  visit(reader, fault);
  if (auto error = reader.finish()) return error;
  if (!node.as_table()->contains("kind")) {
    return reader.error_at("kind", "a fault has no kind, expected one such as \"crash\"");
  }
  const auto trouble = trouble_with(fault);
  if (!trouble) return std::nullopt;
  return reader.error_at(trouble->key, trouble->message);
}

MaybeError read_faults(const toml::table& root, Scenario& scenario) {
  const toml::node* const node = root.get(kFaultTable);
  if (node == nullptr) return std::nullopt;
  const toml::array* const faults = node->as_array();
  if (faults == nullptr || faults->size() > kScenarioFaultsMax) {
    return wrong_shape(
        *node, kFaultTable,
        fmt::format("list of at most {} tables: write [[fault]]", kScenarioFaultsMax));
  }
  for (const toml::node& fault : *faults) {
    if (auto error = read_fault(fault, scenario)) return error;
  }
  return std::nullopt;
}

MaybeError read_head(const toml::table& root, Scenario& scenario) {
  ScenarioReader reader(root, "");
  visit_head(reader, scenario);
  for (const std::string_view table : kTables) reader.allow(table);
  reader.allow(kFaultTable);
  return reader.finish();
}

// Checks rules between several keys. An error has the place of the key or of its table.
MaybeError check_rules(const toml::table& root, const Scenario& scenario) {
  const auto trouble = trouble_with(scenario);
  if (!trouble) return std::nullopt;
  const std::size_t dot = trouble->key.find('.');
  const toml::node* const table = root.get(trouble->key.substr(0, dot));
  const bool is_inner = dot != std::string::npos && table != nullptr && table->is_table();
  const ScenarioReader reader(is_inner ? *table->as_table() : root, "");
  return reader.error_at(is_inner ? trouble->key.substr(dot + 1) : trouble->key, trouble->message);
}

MaybeError read_all_tables(const toml::table& root, Scenario& scenario) {
  if (auto error = read_head(root, scenario)) return error;
  if (auto error = read_table(root, "members", scenario.members)) return error;
  if (auto error = read_table(root, "link", scenario.link)) return error;
  if (auto error = read_table(root, "work", scenario.work)) return error;
  if (auto error = read_faults(root, scenario)) return error;
  if (auto error = read_table(root, "checks", scenario.checks)) return error;
  return check_rules(root, scenario);
}

MaybeError parse_into(std::string_view toml, Scenario& scenario) {
  try {
    return read_all_tables(toml::parse(toml), scenario);
  } catch (const toml::parse_error& error) {
    return base::Error{base::ErrorId::kConfigSyntax, std::string(error.description()),
                       position_of(error.source())};
  }
}

}  // namespace

base::Result<Scenario> parse_scenario(std::string_view toml) {
  Scenario scenario;
  if (auto error = parse_into(toml, scenario)) return *std::move(error);
  return scenario;
}

}  // namespace weir::runtime::sim
