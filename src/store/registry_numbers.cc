// SPDX-License-Identifier: Apache-2.0
#include "store/registry_numbers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace weir::store {
namespace {

using std::filesystem::path;

constexpr std::size_t kSlotBytes = 24;
constexpr std::uint64_t kSeed = 0x6e756d62657273;  // "numbers"

std::uint64_t slot_of(std::uint64_t number) { return number % kNumberSlotCount; }

std::string encode_slot(std::uint64_t slot, std::uint64_t number, TableSet tables) {
  base::ByteWriter writer;
  writer.u64(number);
  writer.u64(tables);
  writer.u64(base::hash_bytes(writer.bytes(), kSeed ^ slot));
  return writer.take();
}

// Adds the number of a slot; false if it is damaged.
bool decode_slot(std::uint64_t slot, std::string_view bytes, RecordedNumbers& numbers) {
  base::ByteReader reader(bytes);
  const std::uint64_t number = reader.u64();
  const TableSet tables = reader.u64();
  if (reader.failed() || bytes != encode_slot(slot, number, tables)) return false;
  if (number == 0) return true;
  if (slot_of(number) != slot) return false;
  numbers.recent.emplace(number, tables);
  return true;
}

base::Error incomplete(std::string message) {
  return {base::ErrorId::kStoreIncomplete, std::move(message), std::nullopt};
}

path parent_of(const path& registry) {
  return registry.has_parent_path() ? registry.parent_path() : path(".");
}

// Several threads and processes may make the file at once.
path unique_name(const path& registry) {
  static std::atomic<std::uint64_t> count = 0;
  return fmt::format("{}.{}.{}", numbers_file(registry).native(), ::getpid(), ++count);
}

base::Result<void> write_file(const path& made, std::uint64_t number) {
  std::string bytes;
  for (std::size_t slot = 0; slot < kNumberSlotCount; ++slot) {
    bytes += encode_slot(slot, slot_of(number) == slot ? number : 0, 0);
  }
  auto file = posix_file_system().create(made);
  if (!file) return file.error();
  std::error_code failed;
  using std::filesystem::perms;
  std::filesystem::permissions(made, perms::owner_read | perms::owner_write, failed);
  if (auto written = (*file)->write_at(0, bytes); !written) return written;
  return (*file)->sync_data();
}

base::Error cannot_make(const path& registry, const std::error_code& failed) {
  return {base::ErrorId::kStoreIo,
          fmt::format("cannot make {}: {}", numbers_file(registry).native(), failed.message()),
          std::nullopt};
}

}  // namespace

std::string table_names(TableSet tables) {
  std::string names;
  for (std::size_t i = 0; i < kRegistryTableCount; ++i) {
    const auto table = static_cast<RegistryTable>(i);
    if ((tables & table_bit(table)) == 0) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", info(table).name);
  }
  return names;
}

std::filesystem::path numbers_file(const std::filesystem::path& registry) {
  return registry.native() + "-numbers";
}

base::Result<std::optional<RecordedNumbers>> read_numbers(const std::filesystem::path& registry) {
  const std::filesystem::path path = numbers_file(registry);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::optional<RecordedNumbers>();
  const auto file = posix_file_system().open_to_read(path);
  if (!file) return file.error();
  const auto bytes = (*file)->read_at(0, kNumberSlotCount * kSlotBytes);
  if (!bytes) return bytes.error();
  RecordedNumbers numbers;
  for (std::size_t slot = 0; slot < kNumberSlotCount; ++slot) {
    const std::size_t begin = std::min(slot * kSlotBytes, bytes->size());
    const auto one = std::string_view(*bytes).substr(begin, kSlotBytes);
    if (!decode_slot(slot, one, numbers)) ++numbers.damaged_count;
  }
  if (numbers.damaged_count < kNumberSlotCount) return std::optional(std::move(numbers));
  return incomplete(
      fmt::format("{} is damaged: nothing tells whether {} has all its transactions. Copy both "
                  "again while no broker runs, or restore a backup",
                  path.native(), registry.filename().native()));
}

base::Result<void> create_numbers(const std::filesystem::path& registry) {
  const path made = unique_name(registry);
  if (auto written = write_file(made, 0); !written) return written;
  // There as a whole, or not at all, and not in the place of another's.
  std::error_code failed;
  std::filesystem::create_hard_link(made, numbers_file(registry), failed);
  std::error_code ignored;
  std::filesystem::remove(made, ignored);
  if (failed && failed != std::errc::file_exists) return cannot_make(registry, failed);
  return posix_file_system().sync_directory(parent_of(registry));
}

base::Result<void> replace_numbers(const std::filesystem::path& registry, std::uint64_t number) {
  const path made = unique_name(registry);
  if (auto written = write_file(made, number); !written) return written;
  std::error_code failed;
  std::filesystem::rename(made, numbers_file(registry), failed);
  if (failed) return cannot_make(registry, failed);
  return posix_file_system().sync_directory(parent_of(registry));
}

base::Result<void> check_number(const std::filesystem::path& registry, std::uint64_t number,
                                const RecordedNumbers& recorded) {
  const std::uint64_t highest = recorded.highest();
  if (number >= highest) return {};
  TableSet changed = 0;
  for (const auto& [missing, tables] : recorded.recent) changed |= missing > number ? tables : 0;
  return incomplete(fmt::format(
      "{0} ends with transaction {1}, but {2} was confirmed: {3} transactions are missing, the "
      "last of which changed {4}. The end of {5}-wal is damaged, or the files are of different "
      "times. Copy {5}, {5}-wal and {5}-numbers again while no broker runs, or restore a backup",
      registry.native(), number, highest, highest - number,
      changed == 0 ? "nothing that is known" : table_names(changed), registry.filename().native()));
}

base::Result<RegistryNumbers> RegistryNumbers::open(const std::filesystem::path& registry) {
  auto file = posix_file_system().open(numbers_file(registry));
  if (!file) return file.error();
  return RegistryNumbers(*std::move(file));
}

base::Result<void> RegistryNumbers::record(std::uint64_t number, TableSet tables) {
  const std::uint64_t slot = slot_of(number);
  if (auto written = file_->write_at(slot * kSlotBytes, encode_slot(slot, number, tables));
      !written) {
    return written;
  }
  return file_->sync_data();
}

}  // namespace weir::store
