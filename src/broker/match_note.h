// SPDX-License-Identifier: Apache-2.0
// MatchNote: which durable subscriptions the events of one batch went to, as a note in the log.
//
//   version u8 = 2 | flags u8 (1: all deliveries of all events up to the note's sequence are noted)
//   count varint | count x (subscription varint, delivery varint, n varint, n x sequence varint,
//                           annotation text)
//
// Version 1 had no annotations; it is still read.
//
// The note stands behind its events. Its instant is that of the batch, or of the time that passed
// after it: what was held back for these subscriptions and was due by then is noted, here or
// before. After a crash, outboxes are filled from notes; events behind the last complete note are
// matched again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::broker {

struct NotedMatch {
  std::uint64_t subscription = 0;  // its number in the registry
  std::uint64_t delivery = 0;      // its number
  std::vector<std::uint64_t> sequences;
  std::string annotation = {};  // engine::Delivery has it

  bool operator==(const NotedMatch&) const = default;
};

struct MatchNote {
  bool complete = false;
  std::vector<NotedMatch> matches;

  bool operator==(const MatchNote&) const = default;
};

base::Result<MatchNote> decode_match_note(std::string_view bytes);

// Several shards' matches, each encoded where they arise, put together as one note.
class MatchNoteWriter {
 public:
  void add(std::uint64_t subscription, std::uint64_t delivery,
           std::span<const std::uint64_t> sequences, std::string_view annotation = {});
  // Everything another writer has.
  void add(const MatchNoteWriter& other);
  std::string finish(bool complete) const;

  std::size_t size_bytes() const { return matches_.size(); }
  bool empty() const { return count_ == 0; }

 private:
  base::ByteWriter matches_;
  std::uint64_t count_ = 0;
};

}  // namespace weir::broker
