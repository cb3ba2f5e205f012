// SPDX-License-Identifier: Apache-2.0
// RecordStore: the conjunctions of all filters, each a few words side by side.
//
//   word 0   subscription, the lower half     1   counts and flags     2   row in its bucket
//        3.. columns of the tests, two to a word, with a kind each: range, equal, not equal, detail
//        ... codes of the tests: low and span of a range or detail, one code otherwise
//        ... if flagged: the subscription's upper half; the conjunction's number; its Extra; the
//            subscription's next record
//
// A record of three tests takes 32 to 44 bytes. References stay valid until the record is removed.
// Memory comes in chunks; nothing is ever moved. Removed records are reused for others as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "bloom/line_buffer.h"
#include "match/content/code_tests.h"
#include "match/content/ids.h"
#include "match/matcher.h"

namespace weir::match::content {

// The way by which a record is reached.
struct DoorChoice {
  enum class Kind : std::uint8_t {
    kNever,      // no event can match
    kAlways,     // every event matches
    kUnindexed,  // every event must be tried
    kTest,       // by one of its tests
    kExtra,      // by one of the doors in its Extra
  };
  static constexpr std::size_t kKindCount = 5;

  Kind kind = Kind::kNever;
  std::uint8_t index = 0;  // of the test or door
  std::uint8_t grid = 0;   // of a range: by which of its column's grids, plus 1; 0: by none

  bool operator==(const DoorChoice&) const = default;
};

class RecordStore {
 public:
  static constexpr std::size_t kTestCountMax = 255;

  struct Contents {
    Match match;
    std::span<const CodeTest> tests;  // at most kTestCountMax
    std::uint32_t extra = kNoId;
    RecordRef next = kNoId;
  };

  RecordRef add(const Contents& contents);
  void remove(RecordRef ref);

  SubscriptionId subscription(RecordRef ref) const {
    const std::uint32_t* const record = words(ref);
    if ((record[1] & kHasUpperHalf) == 0) return SubscriptionId{record[0]};
    return SubscriptionId{record[0] | std::uint64_t{optional(ref, kHasUpperHalf)} << 32U};
  }
  std::uint32_t conjunction(RecordRef ref) const {
    return (words(ref)[1] & kHasConjunction) == 0 ? 0 : optional(ref, kHasConjunction);
  }
  std::uint32_t extra(RecordRef ref) const;
  RecordRef next(RecordRef ref) const;
  std::size_t test_count(RecordRef ref) const { return words(ref)[1] & 0xFFU; }
  void read_tests(RecordRef ref, std::vector<CodeTest>& tests) const;

  DoorChoice door(RecordRef ref) const;
  // Which of two placements it stands in.
  unsigned side(RecordRef ref) const { return words(ref)[1] >> kSideShift & 1U; }
  void set_place(RecordRef ref, DoorChoice door, unsigned side) {
    constexpr std::uint32_t kOfPlace =
        0xFFU << kDoorShift | 7U << kDoorKindShift | 3U << kDoorGridShift | 1U << kSideShift;
    std::uint32_t& flags = words(ref)[1];
    flags = (flags & ~kOfPlace) | std::uint32_t{door.index} << kDoorShift |
            static_cast<std::uint32_t>(door.kind) << kDoorKindShift |
            std::uint32_t{door.grid} << kDoorGridShift | side << kSideShift;
  }
  std::uint32_t row(RecordRef ref) const { return words(ref)[2]; }
  void set_row(RecordRef ref, std::uint32_t row) { words(ref)[2] = row; }

  // Most records lie in one cache line or two.
  void prefetch(RecordRef ref) const {
    const std::uint32_t* const record = words(ref);
    __builtin_prefetch(record);
    __builtin_prefetch(record + kTypicalWords - 1);
  }
  bool has_extra(RecordRef ref) const { return (words(ref)[1] & kHasExtra) != 0; }
  // Whether all tests hold, given EventValues or what can tell code(column) and value(slot).
  template <typename Values>
  bool holds(RecordRef ref, const Values& values) const {
    const std::uint32_t* const record = words(ref);
    const std::size_t count = record[1] & 0xFFU;
    const std::uint32_t* at = record + kHeaderWords + (count + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t column = column_word(record, i);
      const unsigned kind = column >> kKindShift;
      if (kind == kDetail) {
        const ColumnId range = column_word(record, i - 1) & (kColumnBound - 1);
        if (!holds_in_detail(record, i, at, values.code(range), values.value(slot_of(range)))) {
          return false;
        }
        at += 2;
        continue;
      }
      const Code code = values.code(column & (kColumnBound - 1));
      if (kind == kEqual) {
        if (code != *at++) return false;
      } else if (kind == kNotEqual) {
        if (code == *at++) return false;
      } else {
        if (code - at[0] > at[1] && code != kManyCode) return false;
        at += 2;
      }
    }
    return true;
  }

  std::size_t size() const { return record_count_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kHeaderWords = 3;
  static constexpr std::size_t kTypicalWords = 10;
  static constexpr std::size_t kWordsMax =
      kHeaderWords + (kTestCountMax + 1) / 2 + 2 * kTestCountMax + 4;
  static constexpr std::size_t kChunkWords = std::size_t{1} << 20U;
  static constexpr unsigned kKindShift = 14;
  enum : std::uint8_t { kRange, kEqual, kNotEqual, kDetail };
  static constexpr unsigned kDoorShift = 8;       // eight bits of index
  static constexpr unsigned kDoorKindShift = 16;  // three bits
  static constexpr unsigned kDoorGridShift = 19;  // two bits
  static constexpr unsigned kSideShift = 21;
  static constexpr std::uint32_t kHasUpperHalf = 1U << 22U;
  static constexpr std::uint32_t kHasConjunction = 1U << 23U;
  static constexpr std::uint32_t kHasExtra = 1U << 24U;
  static constexpr std::uint32_t kHasNext = 1U << 25U;

  std::uint32_t* words(RecordRef ref) { return chunks_[ref / kChunkWords] + ref % kChunkWords; }
  const std::uint32_t* words(RecordRef ref) const {
    return chunks_[ref / kChunkWords] + ref % kChunkWords;
  }
  // A test's column, with its kind above it.
  static std::uint32_t column_word(const std::uint32_t* record, std::size_t index) {
    return record[kHeaderWords + index / 2] >> (index % 2 * 16) & 0xFFFFU;
  }
  // Of the range before it, whose words stand before `at`.
  static bool holds_in_detail(const std::uint32_t* record, std::size_t index,
                              const std::uint32_t* at, Code code, const event::Value& value);
  static unsigned kind_of(const CodeTest& test);
  static std::uint32_t* write_tests(std::span<const CodeTest> tests, std::uint32_t* columns);
  static std::size_t test_words(const std::uint32_t* record);
  static std::size_t optional_words(std::uint32_t flags);
  std::uint32_t optional(RecordRef ref, std::uint32_t flag) const;
  void add_chunk();

  std::vector<bloom::LineBuffer> buffers_;  // of the chunks
  std::vector<std::uint32_t*> chunks_;
  std::size_t chunk_used_words_ = kChunkWords;       // of the last
  std::vector<base::GrowingArray<RecordRef>> free_;  // by length
  std::size_t record_count_ = 0;
};

}  // namespace weir::match::content
