// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_loader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/near_name.h"
#include "cli/byte_source.h"
#include "cli/config_file.h"

namespace weir::cli {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::size_t kConfigBytesMax = std::size_t{1} << 20U;
constexpr std::string_view kConfigVariable = "WEIR_CONFIG";

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const Setting& setting : setting_table()) {
    if (names.empty() || names.back() != setting.section()) names.push_back(setting.section());
  }
  return names;
}

Error key_error(std::string message, const base::Position& position) {
  return {ErrorId::kConfigKey, std::move(message), position};
}

Error unknown_key(const ConfigEntry& entry) {
  const auto sections = section_names();
  if (std::ranges::find(sections, entry.section) == sections.end()) {
    const std::string& word = entry.section.empty() ? entry.key : entry.section;
    return key_error(fmt::format("unknown {} '{}', expected one of the tables: {}{}",
                                 entry.section.empty() ? "key" : "table", word,
                                 fmt::join(sections, " "), base::did_you_mean(word, sections)),
                     entry.key_position);
  }
  std::vector<std::string_view> keys;
  for (const Setting& setting : setting_table()) {
    if (setting.section() == entry.section) {
      keys.push_back(setting.name.substr(entry.section.size() + 1));
    }
  }
  const std::string hint = base::did_you_mean(entry.key, keys);
  return key_error(
      fmt::format("unknown key '{}.{}'{}", entry.section, entry.key,
                  hint.empty() ? fmt::format(", expected one of: {}", fmt::join(keys, " ")) : hint),
      entry.key_position);
}

// Whether TOML has the value in a form that the setting takes.
bool has_right_kind(const Setting& setting, ConfigKind kind) {
  switch (setting.type) {
    case SettingType::kList:
      return kind == ConfigKind::kList;
    case SettingType::kBytes:
      return kind == ConfigKind::kInteger || kind == ConfigKind::kText;
    case SettingType::kCount:
      return kind == ConfigKind::kInteger || (setting.may_be_off() && kind == ConfigKind::kText);
    case SettingType::kShare:
      return kind == ConfigKind::kFraction || kind == ConfigKind::kInteger ||
             kind == ConfigKind::kText;
    case SettingType::kNumber:
      return kind == ConfigKind::kFraction || kind == ConfigKind::kInteger;
    default:
      return kind == ConfigKind::kText;
  }
}

Error wrong_kind(const Setting& setting, const ConfigEntry& entry) {
  std::string found = entry.kind == ConfigKind::kList ? "a list" : entry.texts[0];
  if (entry.kind == ConfigKind::kText) found = fmt::format("\"{}\"", found);
  const bool needs_quotes =
      entry.kind == ConfigKind::kInteger && setting.type != SettingType::kList;
  return key_error(fmt::format("{} is {}, expected {}{}", setting.name, found,
                               expected_value(setting), needs_quotes ? ", in quotes" : ""),
                   entry.value_position);
}

base::Result<void> apply_entry(const ConfigEntry& entry, Settings& settings) {
  const std::string name = entry.section + '.' + entry.key;
  const Setting* const setting = find_setting(name);
  if (setting == nullptr) {
    const auto sections = section_names();
    const bool is_empty_table = entry.key.empty() && entry.kind == ConfigKind::kOther &&
                                std::ranges::find(sections, entry.section) != sections.end();
    if (is_empty_table) return {};
    return unknown_key(entry);
  }
  if (!has_right_kind(*setting, entry.kind)) return wrong_kind(*setting, entry);
  auto done = set(*setting, entry.texts, settings, name, ErrorId::kConfigKey);
  if (!done) done.error().position = entry.value_position;
  return done;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// WEIR_SERVER_LISEN, but not WEIR_TOKEN.
bool looks_like_setting(std::string_view name) {
  return std::ranges::any_of(section_names(), [&](std::string_view section) {
    const Setting probe{.name = section, .type = SettingType::kText, .place = {}, .meaning = {}};
    return name.starts_with(probe.environment_name() + '_');
  });
}

std::string config_path_of(const SettingSources& sources) {
  if (!sources.config_path.empty()) return sources.config_path;
  const std::string prefix = fmt::format("{}=", kConfigVariable);
  for (const std::string& variable : sources.environment) {
    if (variable.starts_with(prefix)) return variable.substr(prefix.size());
  }
  return {};
}

Attempt<void> apply_config_file(const std::string& path, Settings& settings) {
  auto source = FileSource::open(path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  const auto text = read_all(*source, kConfigBytesMax);
  if (!text) return tl::unexpected(file_failure(text.error(), source->name()));
  return apply_config(*text, source->name(), settings);
}

}  // namespace

Attempt<void> apply_config(std::string_view toml, const std::string& name, Settings& settings) {
  const auto fail = [&](Error error) {
    return tl::unexpected(
        Failure{.error = std::move(error), .what = name, .text = std::string(toml)});
  };
  const auto entries = parse_config(toml);
  if (!entries) return fail(entries.error());
  for (const ConfigEntry& entry : *entries) {
    if (auto applied = apply_entry(entry, settings); !applied) return fail(applied.error());
  }
  return {};
}

base::Result<std::vector<std::string>> apply_environment(
    const std::vector<std::string>& environment, Settings& settings) {
  std::vector<std::string> warnings;
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    if (!variable.starts_with("WEIR_") || equals == std::string::npos) continue;
    const std::string name = variable.substr(0, equals);
    const std::string value = variable.substr(equals + 1);
    const auto setting = std::ranges::find(setting_table(), name, &Setting::environment_name);
    if (setting == setting_table().end()) {
      if (looks_like_setting(name)) {
        warnings.push_back(fmt::format("the variable {} is no setting and is ignored", name));
      }
      continue;
    }
    const bool is_list = setting->type == SettingType::kList;
    const auto texts = is_list ? split_list(value) : std::vector<std::string>{value};
    if (auto done = set(*setting, texts, settings, name, ErrorId::kConfigKey); !done) {
      return done.error();
    }
  }
  return warnings;
}

base::Result<void> apply_flags(const std::vector<FlagValue>& flags, Settings& settings) {
  for (const FlagValue& flag : flags) {
    auto done = set(*flag.setting, flag.texts, settings, flag.setting->flag, ErrorId::kCliUsage);
    if (!done) return done;
  }
  return {};
}

Attempt<LoadedSettings> load_settings(const SettingSources& sources) {
  LoadedSettings loaded;
  if (const std::string path = config_path_of(sources); !path.empty()) {
    auto applied = apply_config_file(path, loaded.settings);
    if (!applied) return tl::unexpected(std::move(applied.error()));
  }
  auto warnings = apply_environment(sources.environment, loaded.settings);
  if (!warnings) return tl::unexpected(Failure{.error = std::move(warnings.error())});
  loaded.warnings = *std::move(warnings);
  if (auto applied = apply_flags(sources.flags, loaded.settings); !applied) {
    return tl::unexpected(Failure{.error = std::move(applied.error())});
  }
  if (auto resolved = resolve(loaded.settings); !resolved) {
    return tl::unexpected(Failure{.error = std::move(resolved.error())});
  }
  return loaded;
}

std::vector<std::string> process_environment() {
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

std::string settings_toml(Settings& settings) {
  std::string out;
  std::string_view section;
  for (const Setting& setting : setting_table()) {
    if (section != setting.section()) {
      fmt::format_to(std::back_inserter(out), "{}[{}]\n", out.empty() ? "" : "\n",
                     setting.section());
      section = setting.section();
    }
    fmt::format_to(std::back_inserter(out), "# {} ({})\n{} = {}\n", setting.meaning,
                   to_string(setting.type), setting.name.substr(section.size() + 1),
                   toml_value(setting, settings));
  }
  return out;
}

}  // namespace weir::cli
