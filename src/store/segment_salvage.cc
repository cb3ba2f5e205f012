// SPDX-License-Identifier: Apache-2.0
#include "store/segment_salvage.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace weir::store {
namespace {

class Salvager {
 public:
  Salvager(std::string bytes, std::uint64_t number, std::uint64_t first_sequence)
      : bytes_(std::move(bytes)), number_(number) {
    result_.next_sequence = first_sequence;
    result_.newest.nanoseconds = std::numeric_limits<std::int64_t>::min();
    result_.end_bytes = kSegmentHeaderBytes;
  }

  Salvage run(std::uint64_t limit_bytes) {
    std::uint64_t offset_bytes = kSegmentHeaderBytes;
    while (offset_bytes < bytes_.size()) {
      const DecodedRecord decoded =
          decode_record(std::string_view(bytes_).substr(offset_bytes), {number_, offset_bytes});
      if (decoded.state != RecordState::kWhole || !is_in_order(decoded.record)) {
        ++offset_bytes;
        continue;
      }
      take(decoded.record, offset_bytes);
      offset_bytes += decoded.record.size_bytes();
    }
    if (result_.end_bytes < limit_bytes) {
      result_.gaps.push_back({result_.end_bytes, limit_bytes, result_.next_sequence});
    }
    return std::move(result_);
  }

 private:
  bool is_in_order(const RecordView& record) const {
    return record.kind == RecordKind::kNote || record.sequence >= result_.next_sequence;
  }

  void take(const RecordView& record, std::uint64_t offset_bytes) {
    if (offset_bytes > result_.end_bytes) {
      result_.gaps.push_back({result_.end_bytes, offset_bytes, result_.next_sequence});
    }
    result_.end_bytes = offset_bytes + record.size_bytes();
    if (record.kind != RecordKind::kEvent) result_.note_bytes += record.size_bytes();
    if (record.kind == RecordKind::kLost) result_.next_sequence = record.sequence;
    if (record.kind != RecordKind::kEvent) return;
    result_.newest = std::max(result_.newest, record.at);
    if (!result_.first_sequence) result_.first_sequence = record.sequence;
    for (auto gap = result_.gaps.rbegin(); gap != result_.gaps.rend() && !gap->next_sequence;
         ++gap) {
      gap->next_sequence = record.sequence;
    }
    result_.next_sequence = record.sequence + 1;
  }

  std::string bytes_;
  std::uint64_t number_;
  Salvage result_;
};

}  // namespace

base::Result<Salvage> salvage_segment(const File& file, std::uint64_t number,
                                      std::uint64_t first_sequence, std::uint64_t limit_bytes) {
  const auto size_bytes = file.size();
  if (!size_bytes) return size_bytes.error();
  auto bytes = file.read_at(0, std::min(*size_bytes, limit_bytes));
  if (!bytes) return bytes.error();
  return Salvager(*std::move(bytes), number, first_sequence).run(limit_bytes);
}

}  // namespace weir::store
