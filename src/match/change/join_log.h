// SPDX-License-Identifier: Apache-2.0
// JoinLog: who joined, left and moved in a group, for sources to apply when they are next read.
//
// A join does not touch the sources of a group, of which there may be a million: each applies what
// it has not seen. Entries are numbered, and a source remembers the number of the last one it saw.
//
// What all have seen is dropped. If the log is long nevertheless, compact() drops what no longer
// matters: everything before a subscriber's last join, and everything about those who left. A
// source that missed a leaver so looks through all its pieces once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "match/change/change_source.h"
#include "match/change/initial.h"
#include "match/change/threshold_index.h"

namespace weir::match {

class JoinLog {
 public:
  void join(Position position, Initial initial);
  void leave(Position position);
  void move(Position from, Position to);

  // The number of the last entry; 0: there was none.
  std::uint64_t last_number() const { return last_number_; }

  // Tells the source, which has seen the entries up to `seen`, of all others. The index must be as
  // after the last of them.
  void apply(std::uint64_t seen, const ThresholdIndex& index, ChangeSource& source) const;

  // Drops the entries up to a number.
  void drop(std::uint64_t last_seen_by_all);
  void compact();

  std::size_t size() const { return entries_.size(); }
  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  enum class Kind : std::uint8_t { kJoin, kLeave, kMove };

  struct Entry {
    std::uint64_t number;
    std::uint64_t id;
    double threshold;  // of the leaver, or before the move
    double to;         // of the joiner, or after the move
    Kind kind;
    Initial initial;

    Position from_position() const { return {threshold, id}; }
    Position to_position() const { return {to, id}; }
  };

  using Entries = std::vector<Entry>;

  Entries::const_iterator first_behind(std::uint64_t number) const;
  void append(Kind kind, Position from, Position to, Initial initial);
  static void settle(const Entry& entry, const ThresholdIndex& index, PieceMap& pieces);

  Entries entries_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_dropped_leave_ = 0;
};

}  // namespace weir::match
