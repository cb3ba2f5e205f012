// SPDX-License-Identifier: Apache-2.0
#include "cli/setting_errors.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace weir::cli {
namespace {

// The setting of the file that the message is about; empty: there is none.
std::string_view setting_of_tls_file(std::string_view message, const Settings& settings) {
  using NamedFile = std::pair<std::string_view, std::string_view>;
  const std::array<NamedFile, 3> files = {NamedFile("server.tls_cert", settings.tls_cert),
                                          NamedFile("server.tls_key", settings.tls_key),
                                          NamedFile("webhooks.ca_file", settings.webhooks.ca_file)};
  std::string_view found;
  std::size_t bytes = 0;  // the longest: one name may be the beginning of another
  for (const auto& [name, file] : files) {
    if (file.size() <= bytes || message.find(file) == std::string_view::npos) continue;
    found = name;
    bytes = file.size();
  }
  return found;
}

std::string_view setting_of(const base::Error& error, const Settings& settings) {
  using enum base::ErrorId;
  switch (error.id) {
    case kHttpListen:
      return "server.listen";
    case kHttpTls:
      return setting_of_tls_file(error.message, settings);
    case kStoreIo:
    case kStoreFull:
    case kStoreLocked:
      return "store.directory";
    default:
      return {};
  }
}

}  // namespace

base::Error name_setting(base::Error error, const Settings& settings) {
  const std::string_view name = setting_of(error, settings);
  if (!name.empty()) error.message = fmt::format("{}: {}", name, error.message);
  return error;
}

}  // namespace weir::cli
