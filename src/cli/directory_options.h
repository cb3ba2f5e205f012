// SPDX-License-Identifier: Apache-2.0
// The options of backup, restore and doctor: commands on a broker's directory.
#pragma once

#include <string>
#include <vector>

#include "cli/serve_options.h"

namespace weir::cli {

// The broker's directory, as `weir serve` finds it.
struct DirectoryOptions {
  std::string config_path = {};
  std::vector<FlagValue> flags = {};  // --data, or what stands for it
  bool json = false;
};

struct BackupOptions {
  std::string target;
  DirectoryOptions directory = {};
};

struct RestoreOptions {
  std::string backup;
  DirectoryOptions directory = {};
};

struct DoctorOptions {
  DirectoryOptions directory = {};
  bool repair = false;
};

}  // namespace weir::cli
