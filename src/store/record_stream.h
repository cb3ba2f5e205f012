// SPDX-License-Identifier: Apache-2.0
// RecordStream: the records of one segment, forwards, read in large pieces.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"

namespace weir::store {

enum class StepKind : std::uint8_t { kRecord, kEnd, kDamaged };

struct RecordStep {
  StepKind kind = StepKind::kEnd;
  RecordView record;  // valid until the next call
};

class RecordStream {
 public:
  // From the record at the place on.
  RecordStream(std::shared_ptr<const File> file, RecordPlace place)
      : file_(std::move(file)), place_(place), buffer_offset_bytes_(place.offset_bytes) {}

  // The next record that ends within the first `limit_bytes` of the file, which only grow from
  // call to call; kEnd exactly there. Does not pass damage.
  base::Result<RecordStep> next(std::uint64_t limit_bytes);

  // Where the next record begins.
  std::uint64_t offset_bytes() const { return place_.offset_bytes; }

 private:
  DecodedRecord decode_buffered() const;
  base::Result<void> fill(std::uint64_t limit_bytes, std::uint64_t byte_count_min);

  std::shared_ptr<const File> file_;
  RecordPlace place_;
  std::string buffer_;
  std::uint64_t buffer_offset_bytes_;
};

}  // namespace weir::store
