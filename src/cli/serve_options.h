// SPDX-License-Identifier: Apache-2.0
// ServeOptions: what the command line of `weir serve` asks for.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

struct Setting;

// A flag that stands for a setting, and what was given to it.
struct FlagValue {
  const Setting* setting;
  std::vector<std::string> texts;
};

struct ServeOptions {
  std::string config_path = {};  // empty: what WEIR_CONFIG names, if anything
  std::vector<FlagValue> flags = {};
  bool print_config = false;
  bool json = false;
};

}  // namespace weir::cli
