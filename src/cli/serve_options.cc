// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_options.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"
#include "cli/settings.h"
#include "cli/settings_loader.h"

namespace weir::cli {
namespace {

std::string type_name(const Setting& setting) {
  switch (setting.type) {
    case SettingType::kDuration:
      return setting.may_be_off() ? "off|DURATION" : "DURATION";
    case SettingType::kBytes:
      return "BYTES";
    case SettingType::kCount:
    case SettingType::kNumber:
      return "N";
    case SettingType::kShare:
      return "SHARE";
    case SettingType::kWord:
      return fmt::format("{}", fmt::join(setting.words, "|"));
    case SettingType::kText:
      return setting.name == "store.directory" ? "DIR" : "FILE";
    case SettingType::kList:
      break;
  }
  return "ADDR:PORT";
}

// As for a setting's document, but as a sentence of help.
std::string meaning_of(const Setting& setting) {
  std::string meaning(setting.meaning.substr(0, setting.meaning.find(';')));
  meaning[0] = static_cast<char>(meaning[0] - 'a' + 'A');
  return meaning;
}

// A flag of the table, and where its value is put.
struct DeclaredFlag {
  const Setting* setting;
  std::string text = {};
  std::vector<std::string> texts = {};  // of a list

  bool is_list() const { return setting->type == SettingType::kList; }
  bool is_given() const { return is_list() ? !texts.empty() : !text.empty(); }
  FlagValue value() const {
    return {.setting = setting, .texts = is_list() ? texts : std::vector<std::string>{text}};
  }
};

// They stay where they are.
std::deque<DeclaredFlag> declare_flags(ArgumentParser& parser) {
  std::deque<DeclaredFlag> flags;
  for (const Setting& setting : setting_table()) {
    if (setting.flag.empty()) continue;
    DeclaredFlag& flag = flags.emplace_back(DeclaredFlag{.setting = &setting});
    const std::string name(setting.flag);
    if (flag.is_list()) {
      parser.list(name, flag.texts, type_name(setting), meaning_of(setting));
    } else {
      parser.text(name, flag.text, type_name(setting), meaning_of(setting));
    }
  }
  return flags;
}

}  // namespace

base::Result<Options> parse_serve_command(const CommandHelp& help, const Arguments& arguments) {
  ServeOptions options;
  ArgumentParser parser(help);
  parser.text("--config", options.config_path, "FILE",
              "Settings, as TOML; what $WEIR_CONFIG names unless given");
  const std::deque<DeclaredFlag> flags = declare_flags(parser);
  parser.flag("--print-config", options.print_config, "Print all settings as they are, and exit");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (const auto& rest = std::get<Arguments>(*parsed); !rest.empty()) {
    return usage_error(fmt::format("unexpected argument '{}'", rest[0]));
  }
  for (const DeclaredFlag& flag : flags) {
    if (flag.is_given()) options.flags.push_back(flag.value());
  }
  Settings scratch;
  if (auto applied = apply_flags(options.flags, scratch); !applied) return applied.error();
  return options;
}

}  // namespace weir::cli
