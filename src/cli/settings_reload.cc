// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_reload.h"

#include <string>
#include <utility>

namespace weir::cli {

using server::LogLevel;

void SettingsReload::run(server::Log& log) {
  auto loaded = load_settings(sources_);
  if (!loaded) {
    const Failure& failure = loaded.error();
    const std::string reason = failure.what.empty()
                                   ? failure.error.to_string()
                                   : failure.what + ": " + failure.error.to_string();
    log.write(LogLevel::kError, "cannot be read again, all stays as it was",
              {{"what", "configuration"}, {"reason", reason}});
    return;
  }
  log.write(LogLevel::kInfo, "read again", {{"what", "configuration"}});
  compare(loaded->settings, log);
}

void SettingsReload::compare(Settings& wanted, server::Log& log) {
  for (const Setting& setting : setting_table()) {
    const std::string before = toml_value(setting, running_);
    const std::string now = toml_value(setting, wanted);
    if (before == now) continue;
    if (setting.name == "log.level") {
      log.write(LogLevel::kInfo, "a setting has changed and is applied",
                {{"setting", setting.name}, {"before", before}, {"now", now}});
      log.set_level(wanted.log.level);
      running_.log_level = wanted.log_level;
    } else {
      log.write(LogLevel::kWarning, "a setting has changed and needs a restart",
                {{"setting", setting.name}, {"running", before}, {"configured", now}});
    }
  }
}

}  // namespace weir::cli
