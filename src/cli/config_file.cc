// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir::cli {
namespace {

base::Position position_of(const toml::source_region& source) {
  return {.line = source.begin.line, .column = source.begin.column, .offset_bytes = 0};
}

std::string kind_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array of other things than texts";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

ConfigEntry entry_of(std::string_view section, const toml::key& key, const toml::node& node) {
  ConfigEntry entry{.section = std::string(section),
                    .key = std::string(key.str()),
                    .kind = ConfigKind::kOther,
                    .texts = {},
                    .key_position = position_of(key.source()),
                    .value_position = position_of(node.source())};
  const toml::array* const array = node.as_array();
  if (const auto* const text = node.as_string()) {
    entry.kind = ConfigKind::kText;
    entry.texts = {text->get()};
  } else if (const auto* const integer = node.as_integer()) {
    entry.kind = ConfigKind::kInteger;
    entry.texts = {fmt::to_string(integer->get())};
  } else if (const auto* const fraction = node.as_floating_point()) {
    entry.kind = ConfigKind::kFraction;
    entry.texts = {fmt::to_string(fraction->get())};
  } else if (array != nullptr && (array->empty() || array->is_homogeneous<std::string>())) {
    entry.kind = ConfigKind::kList;
    for (const toml::node& element : *array) entry.texts.push_back(element.as_string()->get());
  } else {
    entry.texts = {kind_name(node)};
  }
  return entry;
}

std::vector<ConfigEntry> entries_of(const toml::table& root) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : root) {
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      entries.push_back(entry_of("", key, node));
      continue;
    }
    // A table without keys is known by its name alone.
    if (table->empty()) entries.push_back(entry_of(key.str(), toml::key("", key.source()), node));
    for (const auto& [inner, value] : *table) entries.push_back(entry_of(key.str(), inner, value));
  }
  std::ranges::sort(entries, {}, [](const ConfigEntry& entry) {
    return std::tuple(entry.key_position.line, entry.key_position.column);
  });
  return entries;
}

}  // namespace

base::Result<std::vector<ConfigEntry>> parse_config(std::string_view toml) {
  try {
    return entries_of(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    return base::Error{base::ErrorId::kConfigSyntax, std::string(error.description()),
                       position_of(error.source())};
  }
}

}  // namespace weir::cli
