// SPDX-License-Identifier: Apache-2.0
#include "cli/directory_options.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "cli/command_parsers.h"
#include "cli/option_values.h"
#include "cli/settings.h"

namespace weir::cli {
namespace {

// The options that all three have; gives the one positional argument, or the help.
class DirectoryParser {
 public:
  DirectoryParser(const CommandHelp& help, DirectoryOptions& options)
      : parser_(help), options_(options) {
    parser_.text("--data", data_, "DIR", "The broker's; weir-data unless given");
    parser_.text("--config", options_.config_path, "FILE",
                 "The broker's, which names its directory");
    parser_.json(options_.json);
  }

  base::Result<std::variant<std::optional<std::string>, PrintOptions>> parse(
      const Arguments& arguments) {
    auto parsed = parser_.parse(arguments);
    if (!parsed) return parsed.error();
    if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
    const auto& words = std::get<Arguments>(*parsed);
    if (words.size() > 1) return usage_error(fmt::format("unexpected argument '{}'", words[1]));
    if (!data_.empty()) set_directory(data_);
    if (words.empty()) return std::optional<std::string>();
    return std::optional(words[0]);
  }

  void flag(const std::string& name, bool& value, const std::string& help) {
    parser_.flag(name, value, help);
  }

  bool has_data() const { return !data_.empty(); }
  void set_directory(const std::string& directory) {
    options_.flags.push_back({.setting = find_setting("store.directory"), .texts = {directory}});
  }

 private:
  ArgumentParser parser_;
  DirectoryOptions& options_;
  std::string data_;
};

}  // namespace

base::Result<Options> parse_backup_command(const CommandHelp& help, const Arguments& arguments) {
  BackupOptions options;
  DirectoryParser parser(help, options.directory);
  auto word = parser.parse(arguments);
  if (!word) return word.error();
  if (auto* print = std::get_if<PrintOptions>(&*word)) return std::move(*print);
  auto& target = std::get<std::optional<std::string>>(*word);
  if (!target) return usage_error("expected the directory to back up into, found none");
  options.target = *std::move(target);
  return options;
}

base::Result<Options> parse_restore_command(const CommandHelp& help, const Arguments& arguments) {
  RestoreOptions options;
  DirectoryParser parser(help, options.directory);
  auto word = parser.parse(arguments);
  if (!word) return word.error();
  if (auto* print = std::get_if<PrintOptions>(&*word)) return std::move(*print);
  auto& backup = std::get<std::optional<std::string>>(*word);
  if (!backup) return usage_error("expected the directory of a backup, found none");
  options.backup = *std::move(backup);
  return options;
}

base::Result<Options> parse_doctor_command(const CommandHelp& help, const Arguments& arguments) {
  DoctorOptions options;
  DirectoryParser parser(help, options.directory);
  parser.flag("--repair", options.repair,
              "Go on without what is lost, and list it; old files go to damaged-N");
  auto word = parser.parse(arguments);
  if (!word) return word.error();
  if (auto* print = std::get_if<PrintOptions>(&*word)) return std::move(*print);
  const auto& directory = std::get<std::optional<std::string>>(*word);
  if (!directory) return options;
  if (parser.has_data()) return usage_error("the directory is given twice, also by --data");
  parser.set_directory(*directory);
  return options;
}

}  // namespace weir::cli
