// SPDX-License-Identifier: Apache-2.0
// RegistryNumbers: the numbers of the registry's last transactions, in a file beside it.
//
// A bad bit in the write-ahead log makes SQLite leave out the transactions behind it without a
// word. So each transaction has a number, which this file gets as soon as it is committed, before
// anybody is told: a registry whose number is lower than the highest one here has lost some.
//
//   slot, 24 bytes    u64 number  u64 tables changed, a bit for each  u64 checksum
//
// 64 slots, little-endian; a transaction's is its number modulo 64. A slot that fails its checksum
// is a write that a crash has torn, or damage; the others still tell. docs/formats/registry.md.
//
// Threads: any; several processes may record at once. A record costs a write and an fdatasync of
// one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/file_system.h"
#include "store/registry_tables.h"

namespace weir::store {

inline constexpr std::size_t kNumberSlotCount = 64;

// A set of tables, a bit for each.
using TableSet = std::uint64_t;
constexpr TableSet table_bit(RegistryTable table) {
  return TableSet{1} << static_cast<unsigned>(table);
}
// As "cursors, tokens".
std::string table_names(TableSet tables);

struct RecordedNumbers {
  std::map<std::uint64_t, TableSet> recent;  // by number; without 0
  std::size_t damaged_count = 0;             // slots
  std::uint64_t highest() const { return recent.empty() ? 0 : recent.rbegin()->first; }
};

// The name of the file that belongs to a registry.
std::filesystem::path numbers_file(const std::filesystem::path& registry);

// Nullopt if there is no file. kStoreIncomplete if no slot is whole.
base::Result<std::optional<RecordedNumbers>> read_numbers(const std::filesystem::path& registry);

// Makes the file, without a number, unless it is there. Durable when it returns.
base::Result<void> create_numbers(const std::filesystem::path& registry);
// Puts a file with this number in its place. Requires that nobody has the registry open.
base::Result<void> replace_numbers(const std::filesystem::path& registry, std::uint64_t number);

// kStoreIncomplete, with what is missing and what to do, if a registry of this number is older than
// the numbers tell.
base::Result<void> check_number(const std::filesystem::path& registry, std::uint64_t number,
                                const RecordedNumbers& recorded);

class RegistryNumbers {
 public:
  // Requires the file.
  static base::Result<RegistryNumbers> open(const std::filesystem::path& registry);

  // Durable when it returns.
  base::Result<void> record(std::uint64_t number, TableSet tables);

 private:
  explicit RegistryNumbers(std::unique_ptr<File> file) : file_(std::move(file)) {}

  std::unique_ptr<File> file_;
};

}  // namespace weir::store
