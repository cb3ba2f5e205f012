// SPDX-License-Identifier: Apache-2.0
#include "broker/restart_guard.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace weir::broker {
namespace {

constexpr std::size_t kFileBytes = 24;  // sequence, count of starts, checksum of both

bool is_there(store::FileSystem& files, const std::filesystem::path& directory) {
  const auto names = files.list(directory);
  return names && std::ranges::find(*names, kRestartGuardName) != names->end();
}

}  // namespace

RestartGuard::RestartGuard(store::FileSystem& files, std::filesystem::path directory)
    : files_(files), directory_(std::move(directory)) {
  if (!is_there(files_, directory_)) return;
  auto file = files_.open(directory_ / kRestartGuardName);
  if (!file) return;
  file_ = *std::move(file);
  const auto bytes = file_->read_at(0, kFileBytes);
  if (!bytes) return;
  base::ByteReader reader(*bytes);
  const std::uint64_t sequence = reader.u64();
  const std::uint64_t start_count = reader.u64();
  const std::uint64_t checksum = reader.u64();
  constexpr std::size_t kNumbersBytes = 16;
  if (!reader.done() || checksum != base::hash_bytes(bytes->substr(0, kNumbersBytes))) return;
  last_sequence_ = sequence;
  start_count_ = start_count;
}

bool RestartGuard::begin(std::uint64_t sequence) {
  const std::uint64_t failed_count = sequence == last_sequence_ ? start_count_ : 0;
  if (failed_count >= kFailedStartsMax) return false;
  write(sequence, failed_count + 1);
  return true;
}

void RestartGuard::write(std::uint64_t sequence, std::uint64_t start_count) {
  if (!file_) {
    auto file = files_.create(directory_ / kRestartGuardName);
    if (!file) return;
    file_ = *std::move(file);
  }
  base::ByteWriter writer;
  writer.u64(sequence);
  writer.u64(start_count);
  writer.u64(base::hash_bytes(writer.bytes()));
  [[maybe_unused]] const auto written = file_->write_at(0, writer.bytes());
}

void RestartGuard::finish() {
  if (!file_) return;
  file_.reset();
  [[maybe_unused]] const auto removed = files_.remove(directory_ / kRestartGuardName);
}

}  // namespace weir::broker
