// SPDX-License-Identifier: Apache-2.0
#include "store/registry_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <system_error>

namespace weir::store {
namespace {

// https://www.sqlite.org/fileformat2.html, section 1.3
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kReadVersionOffset = 19;
constexpr char kWriteAheadLog = 2;
constexpr std::size_t kUserVersionOffset = 60;

// Before this version the log was removed with the last connection.
constexpr std::uint32_t kLogStaysVersion = 3;

std::string read_header(const std::filesystem::path& file) {
  std::string header(kHeaderBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  header.resize(static_cast<std::size_t>(in.gcount()));
  return header;
}

std::uint32_t user_version(const std::string& header) {
  std::uint32_t version = 0;
  for (std::size_t i = 0; i < sizeof version; ++i) {
    version = version << 8U | static_cast<unsigned char>(header[kUserVersionOffset + i]);
  }
  return version;
}

base::Error incomplete(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

}  // namespace

base::Result<RegistryFile> inspect_registry_file(const std::filesystem::path& file) {
  std::error_code failed;
  const auto file_bytes = std::filesystem::file_size(file, failed);
  const bool is_empty = failed || file_bytes == 0;
  const std::string log = file.native() + "-wal";
  const auto log_bytes = std::filesystem::file_size(log, failed);
  const bool is_log_there = !failed;
  if (is_empty && is_log_there && log_bytes > 0) {
    return incomplete(
        fmt::format("{0} is missing or empty, but {1} is there, which belongs to it: copy {0} from "
                    "where {1} came from, or restore a backup; weir doctor tells more",
                    file.native(), log));
  }
  if (is_empty) return RegistryFile::kNew;
  const std::string header = read_header(file);
  if (header.size() < kHeaderBytes) return RegistryFile::kThere;
  if (is_log_there || header[kReadVersionOffset] != kWriteAheadLog) return RegistryFile::kThere;
  const std::uint32_t version = user_version(header);
  if (version == 0) return RegistryFile::kNew;
  if (version < kLogStaysVersion) return RegistryFile::kThere;
  return incomplete(fmt::format(
      "{1} is missing, which holds the newest changes to {0}: copy it from where {0} came from, or "
      "restore a backup. If {0} is complete alone, because sqlite3 made it with .backup or was the "
      "last to close it, make an empty {1}; weir doctor --repair goes on with {0} as it is",
      file.native(), log));
}

}  // namespace weir::store
