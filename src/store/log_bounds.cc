// SPDX-License-Identifier: Apache-2.0
#include "store/log_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace weir::store {
namespace {

constexpr std::string_view kMagic = "WEIRBND\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kSeed = 0x626f756e6473;  // "bounds"
constexpr std::size_t kMarkSlot = 2;             // of each commit

std::string encode_slot(std::size_t slot, const LogBounds& bounds) {
  base::ByteWriter writer;
  writer.raw(kMagic);
  writer.u32(kVersion);
  writer.u32(static_cast<std::uint32_t>(slot));
  writer.u64(bounds.first_segment);
  writer.u64(bounds.first_sequence);
  writer.u64(bounds.end_segment);
  writer.u64(bounds.end_bytes);
  writer.u64(bounds.next_sequence);
  writer.u64(base::hash_bytes(writer.bytes(), kSeed ^ slot));
  return writer.take();
}

enum class SlotState : std::uint8_t { kWhole, kDamaged, kUnknownVersion };

struct Slot {
  SlotState state = SlotState::kDamaged;
  LogBounds bounds = {};
};

// A later version has its number and its checksum in the same places.
Slot decode_slot(std::size_t slot, std::string_view bytes) {
  if (bytes.size() < kBoundsSlotBytes) return {};
  bytes = bytes.substr(0, kBoundsSlotBytes);
  base::ByteReader reader(bytes);
  const bool magic = reader.raw(kMagic.size()) == kMagic;
  const std::uint32_t version = reader.u32();
  const bool is_here = reader.u32() == slot;
  LogBounds bounds;
  bounds.first_segment = reader.u64();
  bounds.first_sequence = reader.u64();
  bounds.end_segment = reader.u64();
  bounds.end_bytes = reader.u64();
  bounds.next_sequence = reader.u64();
  const std::uint64_t checksum = reader.u64();
  const std::string_view summed = bytes.substr(0, bytes.size() - sizeof checksum);
  if (!magic || !is_here || checksum != base::hash_bytes(summed, kSeed ^ slot)) return {};
  if (version != kVersion) return {SlotState::kUnknownVersion};
  return {SlotState::kWhole, bounds};
}

// The highest values of both.
LogBounds joined(const LogBounds& a, const LogBounds& b) {
  const auto begin = [](const LogBounds& one) {
    return std::tuple(one.first_segment, one.first_sequence);
  };
  const auto end = [](const LogBounds& one) { return std::tuple(one.end_segment, one.end_bytes); };
  LogBounds result = begin(a) < begin(b) ? b : a;
  const LogBounds& later = end(a) < end(b) ? b : a;
  result.end_segment = later.end_segment;
  result.end_bytes = later.end_bytes;
  result.next_sequence = std::max(a.next_sequence, b.next_sequence);
  return result;
}

base::Result<bool> is_there(FileSystem& files, const std::filesystem::path& log) {
  const auto names = files.list(log);
  if (!names) return names.error();
  return std::ranges::find(*names, kBoundsName) != names->end();
}

}  // namespace

base::Result<std::optional<FoundBounds>> read_bounds(FileSystem& files,
                                                     const std::filesystem::path& log) {
  const auto there = is_there(files, log);
  if (!there) return there.error();
  if (!*there) return std::optional<FoundBounds>();
  const std::filesystem::path path = log / kBoundsName;
  const auto file = files.open_to_read(path);
  if (!file) return file.error();
  const auto bytes = (*file)->read_at(0, kBoundsFileBytes);
  if (!bytes) return bytes.error();
  FoundBounds found;
  for (std::size_t i = 0; i < kBoundsSlotCount; ++i) {
    const std::size_t begin = std::min(i * kBoundsSectorBytes, bytes->size());
    const Slot slot = decode_slot(i, std::string_view(*bytes).substr(begin));
    switch (slot.state) {
      case SlotState::kWhole:
        found.bounds = joined(found.bounds, slot.bounds);
        break;
      case SlotState::kDamaged:
        ++found.damaged_count;
        break;
      case SlotState::kUnknownVersion:
        return base::Error{
            base::ErrorId::kStoreVersion,
            fmt::format("{} has at offset {} a version that this program does not "
                        "know (it knows {})",
                        path.native(), i * kBoundsSectorBytes + kMagic.size(), kVersion),
            std::nullopt};
    }
  }
  return std::optional(found);
}

std::string encode_bounds(const LogBounds& bounds) {
  std::string bytes(kBoundsFileBytes, '\0');
  for (std::size_t i = 0; i < kBoundsSlotCount; ++i) {
    bytes.replace(i * kBoundsSectorBytes, kBoundsSlotBytes, encode_slot(i, bounds));
  }
  return bytes;
}

base::Result<std::unique_ptr<BoundsFile>> BoundsFile::open(FileSystem& files,
                                                           const std::filesystem::path& log,
                                                           const LogBounds& bounds) {
  auto file = files.open(log / kBoundsName);
  if (!file) return file.error();
  auto opened = std::make_unique<BoundsFile>(files, log, bounds);
  opened->file_ = *std::move(file);
  return opened;
}

base::Result<void> BoundsFile::require() {
  if (file_) return {};
  const auto there = is_there(files_, log_);
  if (!there) return there.error();
  auto file = *there ? files_.open(log_ / kBoundsName) : files_.create(log_ / kBoundsName);
  if (!file) return file.error();
  if (auto written = (*file)->write_at(0, encode_bounds(bounds_)); !written) return written;
  if (auto synced = (*file)->sync_data(); !synced) return synced;
  if (auto synced = files_.sync_directory(log_); !synced) return synced;
  file_ = *std::move(file);
  return {};
}

base::Result<void> BoundsFile::begin_with(std::uint64_t first_segment,
                                          std::uint64_t first_sequence) {
  bounds_.first_segment = first_segment;
  bounds_.first_sequence = first_sequence;
  auto kept = keep();
  if (!kept && !file_ && kept.error().id == base::ErrorId::kStoreFull) return {};
  return kept;
}

void BoundsFile::end_with(std::uint64_t segment, std::uint64_t bytes, std::uint64_t next_sequence) {
  bounds_.end_segment = segment;
  bounds_.end_bytes = bytes;
  bounds_.next_sequence = next_sequence;
  [[maybe_unused]] const auto written = file_ ? write_slot(kMarkSlot, bounds_) : require();
}

// One copy after the other, so that a crash leaves one of them whole.
base::Result<void> BoundsFile::keep() {
  if (!file_) return require();
  for (std::size_t slot = 0; slot < kBoundsSlotCount; ++slot) {
    if (auto written = write_slot(slot, bounds_); !written) return written;
    if (slot == kMarkSlot - 1) continue;  // with the next one
    if (auto synced = file_->sync_data(); !synced) return synced;
  }
  return {};
}

base::Result<void> BoundsFile::write_slot(std::size_t slot, const LogBounds& bounds) {
  return file_->write_at(slot * kBoundsSectorBytes, encode_slot(slot, bounds));
}

}  // namespace weir::store
