// SPDX-License-Identifier: Apache-2.0
// Outbox: the deliveries of one subscription that are not acknowledged yet, oldest first, bounded.
//
//   acknowledged | sent ... | not sent ...          each: its number and the events' sequences
//
// Holds no events, only their places in the log: 24 bytes per delivery, and what it is annotated
// with. What is sent stays until
// it is acknowledged, so that it can be sent again. When a new delivery comes and the outbox is
// full, the oldest gives way (kDropOldest, kConflate: counted as dropped if it was never sent), or
// the outbox grows and says that it is full (kBlock: whoever publishes must be stopped).
//
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/definition.h"

namespace weir::broker {

struct OutboxEntry {
  std::uint64_t number = 0;
  std::uint64_t matched_at = 0;  // no note on it stands before this event in the log
  std::vector<std::uint64_t> sequences;
  std::string annotation;    // of the last event
  bool redelivered = false;  // it was, or may have been, sent before
};

class Outbox {
 public:
  // What is to be delivered.
  struct Content {
    std::span<const std::uint64_t> sequences;
    std::string_view source = {};  // of one event; none: it takes no other's place
    std::string_view annotation = {};
  };
  struct Options {
    OutboxPolicy policy = OutboxPolicy::kDropOldest;
    std::size_t count_max = 0;
  };
  explicit Outbox(Options options) : options_(options) {}

  // Adds a delivery and gives it a number. For kConflate: a delivery of one event takes the place
  // of the one of the same source that is not sent yet.
  std::uint64_t push(std::uint64_t matched_at, const Content& content);
  // Puts back a delivery from before a restart, with its number, which must ascend. It may have
  // been sent.
  void restore(std::uint64_t number, std::uint64_t matched_at, const Content& content);

  // Everything up to this number was acknowledged before a restart. Requires an empty outbox.
  void restore_acknowledged(std::uint64_t number);

  // Everything that is there may have been sent before a restart.
  void assume_sent() { sent_through_ = last_number_; }

  // The next deliveries to send, at most so many; mark_sent() says how far they went.
  std::vector<OutboxEntry> peek(std::size_t count_max) const;
  void mark_sent(std::uint64_t through_number);
  bool has_unsent() const { return !entries_.empty() && entries_.back().number > position_; }
  // Everything that is not acknowledged is to be sent again.
  void rewind();

  // Forgets everything up to this number; the count of deliveries forgotten. Nothing if the number
  // is higher than any that was sent.
  std::optional<std::size_t> acknowledge(std::uint64_t number);

  // Applies new bounds. Deliveries beyond them give way.
  void set_bounds(OutboxPolicy policy, std::size_t count_max);

  std::size_t size() const { return live_count_; }
  bool is_full() const { return live_count_ >= options_.count_max; }
  OutboxPolicy policy() const { return options_.policy; }
  std::uint64_t last_number() const { return last_number_; }  // the highest ever given
  std::uint64_t acknowledged() const { return acknowledged_; }
  // The oldest delivery; nothing if there is none.
  std::optional<OutboxEntry> oldest() const;
  std::optional<std::uint64_t> oldest_matched_at() const;

  std::uint64_t dropped_count() const { return dropped_count_; }
  std::uint64_t conflated_count() const { return conflated_count_; }

 private:
  struct Entry {
    std::uint64_t number;
    std::uint64_t matched_at;
    std::uint64_t sequence;  // the first one; 0: conflated away
  };
  using Sources = std::map<std::string, std::uint64_t, std::less<>>;

  void add(std::uint64_t number, std::uint64_t matched_at, const Content& content);
  void conflate(std::string_view source, std::uint64_t number);
  void make_room();
  void pop_front();
  OutboxEntry shown(const Entry& entry) const;

  Options options_;
  std::deque<Entry> entries_;  // ascending by number; the first is never conflated away
  std::map<std::uint64_t, std::vector<std::uint64_t>> groups_;  // all sequences, by number
  std::map<std::uint64_t, std::string> annotations_;            // by number, those there are
  Sources newest_;                                              // kConflate: number by source
  std::map<std::uint64_t, Sources::iterator> sources_;          // and its way back
  std::size_t live_count_ = 0;
  std::uint64_t last_number_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t position_ = 0;      // sent in this session through this number
  std::uint64_t sent_through_ = 0;  // sent ever
  std::uint64_t dropped_count_ = 0;
  std::uint64_t conflated_count_ = 0;
};

}  // namespace weir::broker
