// SPDX-License-Identifier: Apache-2.0
#include "store/segment_format.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace weir::store {
namespace {

constexpr std::string_view kMagic = "WEIRLOG\n";
constexpr std::uint32_t kVersionWithoutNotes = 1;
constexpr std::uint32_t kVersionWithNotes = 2;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kLengthOffset = 8;
constexpr std::size_t kKindOffset = 12;
constexpr std::size_t kConfirmedOffset = 13;
constexpr std::size_t kSequenceOffset = 21;
constexpr std::size_t kAtOffset = 29;

// Compilers make one move of each loop.
template <typename Number>
void put(char* out, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) out[i] = static_cast<char>(value >> (8 * i));
}

template <typename Number>
Number get(const char* in) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value |= static_cast<Number>(Number{static_cast<unsigned char>(in[i])} << (8 * i));
  }
  return value;
}

std::uint64_t record_checksum(std::string_view bytes, RecordPlace place) {
  constexpr unsigned kNumberShift = 40;
  const std::uint64_t seed = (place.segment_number << kNumberShift) ^ place.offset_bytes;
  return base::hash_bytes(bytes.substr(kChecksumBytes), seed);
}

bool known(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(RecordKind::kEvent) &&
         kind <= static_cast<std::uint8_t>(RecordKind::kLost);
}

// Before version 3, the version told whether there is a number of notes.
bool fits(std::uint32_t version, std::uint32_t note_kib) {
  if (version == kSegmentVersion) return true;
  return version == (note_kib != 0 ? kVersionWithNotes : kVersionWithoutNotes);
}

}  // namespace

std::string encode_header(const SegmentHeader& header) {
  base::ByteWriter writer;
  writer.raw(kMagic);
  writer.u32(kSegmentVersion);
  writer.u32(header.previous_note_kib);
  writer.u64(header.number);
  writer.u64(header.first_sequence);
  writer.u64(header.previous_bytes);
  writer.u64(static_cast<std::uint64_t>(header.newest_before.nanoseconds));
  writer.u64(base::hash_bytes(writer.bytes()));
  return writer.take();
}

DecodedHeader decode_header(std::string_view bytes) {
  if (bytes.size() < kSegmentHeaderBytes) return {};
  bytes = bytes.substr(0, kSegmentHeaderBytes);
  base::ByteReader reader(bytes);
  const bool magic = reader.raw(kMagic.size()) == kMagic;
  const std::uint32_t version = reader.u32();
  // A later version may have another header: only its first twelve bytes are known.
  if (magic && version > kSegmentVersion) return {HeaderState::kUnknownVersion, {}, version};
  SegmentHeader header;
  header.previous_note_kib = reader.u32();
  header.number = reader.u64();
  header.first_sequence = reader.u64();
  header.previous_bytes = reader.u64();
  header.newest_before.nanoseconds = static_cast<std::int64_t>(reader.u64());
  const std::uint64_t checksum = reader.u64();
  if (!magic || !fits(version, header.previous_note_kib) || !reader.done() ||
      checksum != base::hash_bytes(bytes.substr(0, bytes.size() - kChecksumBytes))) {
    return {};
  }
  return {HeaderState::kWhole, header, version};
}

void append_record(std::string& out, RecordPlace place, const RecordView& record) {
  WEIR_CHECK(record.payload.size() <= std::numeric_limits<std::uint32_t>::max());
  std::array<char, kRecordHeadBytes> head{};
  put(&head[kLengthOffset], static_cast<std::uint32_t>(record.payload.size()));
  put(&head[kKindOffset], static_cast<std::uint8_t>(record.kind));
  put(&head[kConfirmedOffset], record.confirmed_bytes);
  put(&head[kSequenceOffset], record.sequence);
  put(&head[kAtOffset], static_cast<std::uint64_t>(record.at.nanoseconds));
  const std::size_t begin = out.size();
  out.append(head.data(), head.size());
  out.append(record.payload);
  put(&out[begin], record_checksum(std::string_view(out).substr(begin), place));
}

DecodedRecord decode_record(std::string_view bytes, RecordPlace place) {
  if (bytes.size() < kRecordHeadBytes) return {RecordState::kIncomplete, kRecordHeadBytes, {}};
  const char* const head = bytes.data();
  const auto kind = get<std::uint8_t>(head + kKindOffset);
  const auto confirmed_bytes = get<std::uint64_t>(head + kConfirmedOffset);
  if (!known(kind) || confirmed_bytes > place.offset_bytes) return {};
  const std::uint64_t size_bytes = kRecordHeadBytes + get<std::uint32_t>(head + kLengthOffset);
  if (bytes.size() < size_bytes) return {RecordState::kIncomplete, size_bytes, {}};
  bytes = bytes.substr(0, size_bytes);
  if (get<std::uint64_t>(head) != record_checksum(bytes, place)) return {};
  return {RecordState::kWhole,
          size_bytes,
          {.kind = static_cast<RecordKind>(kind),
           .confirmed_bytes = confirmed_bytes,
           .sequence = get<std::uint64_t>(head + kSequenceOffset),
           .at = {static_cast<std::int64_t>(get<std::uint64_t>(head + kAtOffset))},
           .payload = bytes.substr(kRecordHeadBytes)}};
}

bool proves_confirmed(std::string_view bytes, RecordPlace place, std::uint64_t mark_bytes) {
  for (; bytes.size() >= kRecordHeadBytes; bytes.remove_prefix(1), ++place.offset_bytes) {
    // Most offsets fail here, before a checksum is computed.
    if (get<std::uint64_t>(bytes.data() + kConfirmedOffset) <= mark_bytes) continue;
    if (decode_record(bytes, place).state == RecordState::kWhole) return true;
  }
  return false;
}

}  // namespace weir::store
