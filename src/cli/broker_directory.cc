// SPDX-License-Identifier: Apache-2.0
#include "cli/broker_directory.h"

#include "cli/settings_loader.h"

namespace weir::cli {

Attempt<std::filesystem::path> broker_directory(const DirectoryOptions& options) {
  auto loaded = load_settings({.config_path = options.config_path,
                               .environment = process_environment(),
                               .flags = options.flags});
  if (!loaded) return tl::unexpected(loaded.error());
  return std::filesystem::path(loaded->settings.broker.directory);
}

}  // namespace weir::cli
