// SPDX-License-Identifier: Apache-2.0
// Loads settings from all that may give them. What comes later in this list wins:
//
//   defaults < configuration file < environment (WEIR_SERVER_LISTEN) < flags (--listen)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"
#include "cli/serve_options.h"
#include "cli/settings.h"

namespace weir::cli {

struct SettingSources {
  std::string config_path = {};               // empty: what WEIR_CONFIG names, if anything
  std::vector<std::string> environment = {};  // NAME=value
  std::vector<FlagValue> flags = {};
};

struct LoadedSettings {
  Settings settings;
  std::vector<std::string> warnings;  // for the operator
};

// Resolved. A failure in the file has its name and text.
Attempt<LoadedSettings> load_settings(const SettingSources& sources);

// The parts of it.
Attempt<void> apply_config(std::string_view toml, const std::string& name, Settings& settings);
// Gives warnings about variables that look like settings and are none.
base::Result<std::vector<std::string>> apply_environment(
    const std::vector<std::string>& environment, Settings& settings);
base::Result<void> apply_flags(const std::vector<FlagValue>& flags, Settings& settings);

// Of this process.
std::vector<std::string> process_environment();

// All settings as a configuration file, with their meanings as comments.
std::string settings_toml(Settings& settings);

}  // namespace weir::cli
