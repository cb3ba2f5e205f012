// SPDX-License-Identifier: Apache-2.0
// ArgumentParser: the options of one command, declared one by one and then read.
//
// Positional arguments are what is left over. After -- everything is one; before it, what begins
// with a dash and is a word is an option.
//
//   ArgumentParser parser(command_help("eval"));
//   parser.json(options.json);
//   auto parsed = parser.parse(arguments);
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/help.h"

namespace weir::cli {

using Arguments = std::vector<std::string>;

// Paths are files; "-" is standard input.
inline constexpr const char* kStdin = "-";

// Text that was asked for, by --help or --version.
struct PrintOptions {
  std::string text;
};

class ArgumentParser {
 public:
  explicit ArgumentParser(const CommandHelp& help);
  ~ArgumentParser();
  ArgumentParser(const ArgumentParser&) = delete;
  ArgumentParser& operator=(const ArgumentParser&) = delete;

  // What is set must outlive parse().
  void text(const std::string& name, std::string& value, const std::string& type,
            const std::string& meaning);
  // May be given several times.
  void list(const std::string& name, Arguments& values, const std::string& type,
            const std::string& meaning);
  void flag(const std::string& name, bool& value, const std::string& meaning);

  // Options that several commands have.
  void json(bool& value);
  void dialect(std::string& value);
  void language(std::string& value);
  void initial(std::string& value);

  // Gives the positional arguments, or the help if it was asked for. Fails with kCliUsage.
  base::Result<std::variant<Arguments, PrintOptions>> parse(const Arguments& arguments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::cli
