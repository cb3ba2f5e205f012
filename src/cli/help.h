// SPDX-License-Identifier: Apache-2.0
// The texts of --help and --version that are not lists of options.
#pragma once

#include <string>
#include <string_view>

namespace weir::cli {

struct CommandHelp {
  std::string_view name;
  std::string_view usage;
  std::string_view description;
  std::string_view example;
};

// Requires the name of a command.
const CommandHelp& command_help(std::string_view name);

std::string overview();
std::string version_text();

}  // namespace weir::cli
