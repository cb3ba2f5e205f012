// SPDX-License-Identifier: Apache-2.0
// MatchNote: which durable subscriptions the events of one batch went to, as notes in the log.
//
//   version u8 = 4 | flags u8 (1: all deliveries of all events up to the note's sequence are noted;
//                              2: partial, it counts only together with the next note)
//   base varint, a sequence | items up to the end:
//     delivery  head varint = 4n, +1 for a group, +2 with text; n >= 1 events
//               subscription varint, delivery varint, n events as distance from the base,
//               with text: its predicate varint, varint how many shares ago (1: the last), score
//     shares    0 varint, epoch varint, count varint, count x (term text, score varint)
//
// A distance is base - sequence, zigzag: 0, -1, 1, ... are 0, 1, 2, ...; in a group it is doubled,
// plus 1 if the subscriber was given the event before. Scores are in ten-thousandths. Versions 1 to
// 3 are still read; they told what an event is annotated with as JSON for each delivery. Bytes:
// docs/formats/event_log.md.
//
// The sequence of a dead letter that is delivered again is a reference to the letter
// (resent_letters.h), with bit 62 set.
//
// The notes stand behind their events. Their instant is that of the batch, or of the time that
// passed after it: what was held back for these subscriptions and was due by then is noted, here or
// before. After a crash, outboxes are filled from notes; events behind the last complete note are
// matched again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "match/text_finding.h"

namespace weir::broker {

struct NotedMatch {
  std::uint64_t subscription = 0;  // its number in the registry
  std::uint64_t delivery = 0;      // its number
  std::vector<std::uint64_t> sequences;
  match::TextFinding text = {};  // engine::Delivery has this and the rest
  bool is_group = false;
  std::vector<std::uint32_t> repeated = {};

  bool operator==(const NotedMatch&) const = default;
};

struct MatchNote {
  bool complete = false;
  bool partial = false;
  std::vector<NotedMatch> matches;

  bool operator==(const MatchNote&) const = default;
};

base::Result<MatchNote> decode_match_note(std::string_view bytes);

// Several shards' matches, each encoded where they arise, put together as notes of bounded size.
class MatchNoteWriter {
 public:
  // A note is longer only by its last delivery. The largest is a group of all keys of a
  // subscription: 10 MB by the default limits, a hundredth of what a record can hold.
  static constexpr std::size_t kNoteBytesMax = std::size_t{1} << 20U;

  // Sequences near the base take the fewest bytes.
  explicit MatchNoteWriter(std::uint64_t base = 0, std::size_t note_bytes_max = kNoteBytesMax)
      : base_(base), note_bytes_max_(note_bytes_max) {}

  // The same members as a NotedMatch has.
  struct Content {
    std::span<const std::uint64_t> sequences;
    match::TextFinding text = {};
    bool is_group = false;  // several events are one anyway
    std::span<const std::uint32_t> repeated = {};
  };
  void add(std::uint64_t subscription, std::uint64_t delivery, const Content& content);
  // Everything another writer of the same base has.
  void add(const MatchNoteWriter& other);
  // How the last note counts: it completes its batch, waits for the next one, or does neither.
  enum class End : std::uint8_t { kAlone, kComplete, kPartial };
  // At least one note. All before the last are partial.
  std::vector<std::string> finish(End end) const;

  std::uint64_t base() const { return base_; }
  bool empty() const { return parts_.empty(); }

 private:
  using SharesPtr = std::shared_ptr<const match::TextShares>;

  void begin_part();
  void add_sequences(const Content& content);
  void add_text(const match::TextFinding& text);

  std::uint64_t base_;
  std::size_t note_bytes_max_;
  std::vector<base::ByteWriter> parts_;
  std::vector<SharesPtr> shares_;  // in the last part, in their order
};

}  // namespace weir::broker
