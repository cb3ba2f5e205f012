// SPDX-License-Identifier: Apache-2.0
// The bytes of a segment of the event log: a header, then records up to the end of the file.
//
//   header   magic "WEIRLOG\n"  u32 version  u32 KiB of notes before  u64 number
//            u64 first sequence  u64 previous bytes  i64 newest before  u64 checksum
//   record   u64 checksum  u32 payload bytes  u8 kind  u64 confirmed  u64 sequence  i64 at  payload
//
// Little-endian. A record tells how many bytes of its segment were confirmed when it was written:
// what lies before that mark was durable, so damage there is never a torn write. Its checksum
// depends on the segment and the offset too: a record is valid in its place only. The drawing and
// the reasons are in docs/formats/event_log.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "store/event_log.h"

namespace weir::store {

inline constexpr std::uint32_t kSegmentVersion = 3;
// From this version on the file BOUNDS is there before the segment is (store/log_bounds.h).
inline constexpr std::uint32_t kBoundsVersion = 3;
inline constexpr std::uint64_t kSegmentHeaderBytes = 56;
inline constexpr std::uint64_t kRecordHeadBytes = 37;

struct SegmentHeader {
  std::uint64_t number = 1;          // of the segment; the next one has the next number
  std::uint64_t first_sequence = 1;  // of the first event in it or after it
  std::uint64_t previous_bytes = 0;  // length of the segment before, which is complete
  // The newest instant in all segments before.
  base::Instant newest_before{std::numeric_limits<std::int64_t>::min()};
  // How much of the segment before is notes, in KiB, rounded down; 0 in version 1.
  std::uint32_t previous_note_kib = 0;

  bool operator==(const SegmentHeader&) const = default;
};

enum class HeaderState : std::uint8_t { kWhole, kDamaged, kUnknownVersion };

struct DecodedHeader {
  HeaderState state = HeaderState::kDamaged;
  SegmentHeader header;
  std::uint32_t version = 0;
};

std::string encode_header(const SegmentHeader& header);
// Of the first bytes of a file; too few are damaged.
DecodedHeader decode_header(std::string_view bytes);

// Where a record is.
struct RecordPlace {
  std::uint64_t segment_number = 0;
  std::uint64_t offset_bytes = 0;
};

struct RecordView {
  RecordKind kind = RecordKind::kEvent;
  std::uint64_t confirmed_bytes = 0;
  std::uint64_t sequence = 0;
  base::Instant at;
  std::string_view payload;

  std::uint64_t size_bytes() const { return kRecordHeadBytes + payload.size(); }
};

// Requires a payload of less than 4 GiB.
void append_record(std::string& out, RecordPlace place, const RecordView& record);

enum class RecordState : std::uint8_t { kWhole, kIncomplete, kDamaged };

struct DecodedRecord {
  RecordState state = RecordState::kDamaged;
  std::uint64_t bytes_needed = 0;  // of an incomplete one, as far as is known
  RecordView record;               // of a whole one: a view into the bytes
};

// Of the record that begins with the bytes.
DecodedRecord decode_record(std::string_view bytes, RecordPlace place);

// Whether some whole record in the bytes, which begin at the place, at any offset in them, was
// written when more than `mark_bytes` of the segment were confirmed.
bool proves_confirmed(std::string_view bytes, RecordPlace place, std::uint64_t mark_bytes);

}  // namespace weir::store
