// SPDX-License-Identifier: Apache-2.0
#include "broker/directory_files_testing.h"

#include <fstream>
#include <iterator>

namespace weir::broker {
namespace {

void read_file(const std::filesystem::path& directory, const std::string& name, Files& files) {
  std::ifstream in(directory / name, std::ios::binary);
  if (!in) return;
  files.try_emplace(name, std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

}  // namespace

Files read_files(const std::filesystem::path& directory) {
  Files files;
  for (const char* const name : kCopiedFirst) read_file(directory, name, files);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    read_file(directory, std::filesystem::relative(entry.path(), directory), files);
  }
  return files;
}

void write_files(const Files& files, const std::filesystem::path& directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory / "log");
  for (const auto& [name, bytes] : files) {
    std::ofstream(directory / name, std::ios::binary) << bytes;
  }
}

}  // namespace weir::broker
