// SPDX-License-Identifier: Apache-2.0
// SettingsReload: what changed in the configuration of a running broker, told to its log.
//
// log.level is applied at once, and a warning names every other setting that has changed: it waits
// for a restart. A configuration that is wrong changes nothing. Single-threaded.
#pragma once

#include "cli/settings.h"
#include "cli/settings_loader.h"
#include "server/log.h"

namespace weir::cli {

class SettingsReload {
 public:
  // The settings that run, and where they came from.
  SettingsReload(SettingSources sources, Settings running)
      : sources_(std::move(sources)), running_(std::move(running)) {}

  void run(server::Log& log);

 private:
  void compare(Settings& wanted, server::Log& log);

  SettingSources sources_;
  Settings running_;
};

}  // namespace weir::cli
