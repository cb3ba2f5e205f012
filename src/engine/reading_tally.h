// SPDX-License-Identifier: Apache-2.0
// ReadingTally: how many events concerned at least one of a subscription's streams, without a count
// for each subscription. Also of its sources, which are numbered in the same way.
//
// Events that concern the same streams in the same way are of one kind, and kinds are counted. A
// subscription's count is the sum over the kinds that have one of its streams, each once. A count
// since some moment is the difference of two, since no count ever falls until all are cleared.
//
//   kinds        {a} 17   {b} 4   {a, b} 3   {c, without a value: a} 1
//   of a and b   17 + 4 + 3 readings, 1 without a value
//
// An event costs a lookup, a sum what the lists of its streams hold. Bounded: whoever sums must
// take over what was counted and clear it when it is full. Single-threaded.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/composite_member.h"

namespace weir::engine {

class ReadingTally {
 public:
  struct Counts {
    std::uint64_t readings = 0;
    std::uint64_t no_value = 0;  // without a reading of any of the streams
  };

  // Places in the lists of streams: so many, and kEntriesPerStream for each stream.
  static constexpr std::size_t kEntryCountMax = 65'536;
  static constexpr std::size_t kEntriesPerStream = 4;

  // One event: the streams that it has a value for, and those it should have one for. Each
  // ascending.
  void count(std::span<const StreamNumber> read, std::span<const StreamNumber> unread);
  Counts of(std::span<const StreamNumber> streams) const;

  bool is_full() const {
    return entry_count_ > kEntryCountMax + kEntriesPerStream * entries_.size();
  }
  void clear();
  std::size_t memory_bytes() const;

 private:
  using Kind = std::vector<StreamNumber>;  // with kUnread between the two parts
  struct KindHash {
    using is_avalanching = void;

    std::size_t operator()(const Kind& kind) const;
  };
  struct Entry {
    std::uint32_t kind = 0;
    bool is_read = false;
  };
  static constexpr StreamNumber kUnread = static_cast<StreamNumber>(-1);

  std::uint32_t add_kind(std::span<const StreamNumber> read, std::span<const StreamNumber> unread);
  void list(StreamNumber stream, Entry entry);

  boost::unordered_flat_map<Kind, std::uint32_t, KindHash> kinds_;
  std::vector<std::uint64_t> counts_;        // by kind
  std::vector<std::vector<Entry>> entries_;  // by stream
  std::size_t entry_count_ = 0;
  Kind kind_;  // of the event at hand
};

}  // namespace weir::engine
