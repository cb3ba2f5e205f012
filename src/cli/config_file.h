// SPDX-License-Identifier: Apache-2.0
// ConfigEntry: one key of a configuration file, with its place. The file is TOML: tables of keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace weir::cli {

enum class ConfigKind : std::uint8_t { kText, kInteger, kFraction, kList, kOther };

struct ConfigEntry {
  std::string section;  // empty: the key stands before any table
  std::string key;
  ConfigKind kind = ConfigKind::kOther;
  // The value; of another kind, what it is: "a boolean".
  std::vector<std::string> texts;
  base::Position key_position;
  base::Position value_position;
};

// The entries in the order of the file. Fails with kConfigSyntax, with the place.
base::Result<std::vector<ConfigEntry>> parse_config(std::string_view toml);

}  // namespace weir::cli
