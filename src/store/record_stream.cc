// SPDX-License-Identifier: Apache-2.0
#include "store/record_stream.h"

#include <algorithm>
#include <utility>

namespace weir::store {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{256} << 10U;

}  // namespace

base::Result<RecordStep> RecordStream::next(std::uint64_t limit_bytes) {
  if (place_.offset_bytes >= limit_bytes) return RecordStep{StepKind::kEnd, {}};
  const std::uint64_t rest_bytes = limit_bytes - place_.offset_bytes;
  DecodedRecord decoded = decode_buffered();
  while (decoded.state == RecordState::kIncomplete && decoded.bytes_needed <= rest_bytes) {
    const std::uint64_t bytes_needed = decoded.bytes_needed;
    if (auto filled = fill(limit_bytes, bytes_needed); !filled) return filled.error();
    decoded = decode_buffered();
    if (decoded.bytes_needed == bytes_needed) break;  // the file is shorter than its limit
  }
  if (decoded.state != RecordState::kWhole) return RecordStep{StepKind::kDamaged, {}};
  place_.offset_bytes += decoded.record.size_bytes();
  return RecordStep{StepKind::kRecord, decoded.record};
}

DecodedRecord RecordStream::decode_buffered() const {
  const std::string_view rest =
      std::string_view(buffer_).substr(place_.offset_bytes - buffer_offset_bytes_);
  return decode_record(rest, place_);
}

base::Result<void> RecordStream::fill(std::uint64_t limit_bytes, std::uint64_t byte_count_min) {
  const std::uint64_t byte_count =
      std::min(limit_bytes - place_.offset_bytes, std::max(byte_count_min, kChunkBytes));
  auto bytes = file_->read_at(place_.offset_bytes, byte_count);
  if (!bytes) return bytes.error();
  buffer_ = std::move(*bytes);
  buffer_offset_bytes_ = place_.offset_bytes;
  return {};
}

}  // namespace weir::store
