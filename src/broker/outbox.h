// SPDX-License-Identifier: Apache-2.0
// Outbox: the deliveries of one subscription that are not settled yet, oldest first, bounded.
//
//   settled ...            | pending: sent, or not sent yet
//   1 ... settled_through  | 17  18  (19)  20  21       (19): settled before older ones
//
// Deliveries are numbered from 1 without gaps. Each is pending until it is settled, once and for
// one reason, which is counted: deliveries = pending + counts().total(), always and after every
// restart.
//
// Holds no events, only their places in the log: 24 bytes per delivery, some 80 more if its text
// matched, with what all deliveries of that event share of its terms. A sent
// delivery stays until it is settled, so that it can be sent again. When a new delivery comes and
// the outbox is full, by count or because its account has no memory, the oldest is dropped
// (kDropOldest, kConflate), sent or not, or the outbox grows and says that it is full (kBlock:
// publishers must be stopped). A delivery for which all of the others make no room is dropped
// itself. An outbox of less than kBytesMin is never short of memory, so that one subscriber that is
// behind does not cut off those of the same owner that are not.
//
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_account.h"
#include "base/result.h"
#include "broker/definition.h"
#include "broker/number_ranges.h"
#include "broker/resent_letters.h"
#include "match/text_finding.h"
#include "store/registry.h"

namespace weir::broker {

struct OutboxEntry {
  std::uint64_t number = 0;
  std::uint64_t matched_at = 0;  // no note on it stands before this event in the log
  std::vector<std::uint64_t> sequences;
  match::TextFinding text = {};  // of the last event
  bool is_group = false;
  std::vector<std::uint32_t> repeated = {};  // as engine::Delivery has it
  bool redelivered = false;                  // it was, or may have been, sent before
};

// Why a delivery is no longer pending; store::SettledCounts has a count for each.
enum class Settled : std::uint8_t {
  kAcknowledged,
  kDropped,
  kExpired,
  kConflated,
  kDeadLetter,
  kWithheld,
};

class Outbox {
 public:
  struct Content {
    std::span<const std::uint64_t> sequences;
    std::string_view source = {};  // of one event; empty: it takes no other's place
    match::TextFinding text = {};
    std::shared_ptr<const void> text_memory = {};  // counts the memory of the text's scores
    bool is_group = false;                         // several events are one anyway
    std::span<const std::uint32_t> repeated = {};
  };
  struct Options {
    OutboxPolicy policy = OutboxPolicy::kDropOldest;
    std::size_t count_max = 0;
    base::MemoryAccount::Ptr memory = {};  // null: there is enough
  };
  static constexpr std::size_t kBytesMin = 1024;
  explicit Outbox(Options options) : options_(std::move(options)), charge_(options_.memory) {}

  // Adds a delivery and returns its number. For kConflate: a delivery of one event takes the place
  // of the one of the same source that is not sent yet.
  std::uint64_t push(std::uint64_t matched_at, const Content& content);

  // Recovery, in this order: the cursor, then every delivery that the log still has a note on,
  // ascending. A number that is neither settled nor noted was lost with its note: it has expired.
  base::Result<void> restore_cursor(const store::CursorRow& row);
  void restore(std::uint64_t number, std::uint64_t matched_at, const Content& content);
  // Everything that is there may have been sent before a restart.
  void assume_sent() { sent_through_ = last_number_; }

  // The next deliveries to send, at most so many; mark_sent() says how far they went.
  std::vector<OutboxEntry> peek(std::size_t count_max) const { return after(position_, count_max); }
  void mark_sent(std::uint64_t through_number);
  bool has_unsent() const { return !entries_.empty() && entries_.back().number > position_; }
  // Everything pending is to be sent again.
  void rewind() { position_ = settled_through_; }

  // Settles everything pending up to this number as acknowledged and returns how many that were;
  // nullopt if the number is higher than any that was sent.
  std::optional<std::size_t> acknowledge(std::uint64_t number);
  // Settles one delivery. Returns false if it is not pending.
  bool settle(std::uint64_t number, Settled why);
  // Settles as expired every delivery whose newest event stands before this one; returns how many.
  std::size_t expire_before(std::uint64_t sequence);

  // Of dead letters that are deliveries again: see resent_letters.h.
  bool is_resent(std::uint64_t letter) const { return resent_.is_pending(letter); }
  std::vector<std::uint64_t> take_done_letters() { return resent_.take_done(); }

  // Applies new bounds. Deliveries beyond them are dropped, the oldest first.
  void set_bounds(OutboxPolicy policy, std::size_t count_max);

  std::size_t size() const { return live_count_; }  // pending
  bool is_full() const { return live_count_ >= options_.count_max || lacks_memory(); }
  // Estimated, with what others keep about its deliveries.
  std::size_t memory_bytes() const { return charge_.bytes(); }
  // Memory of a table about its deliveries that stands beside it.
  void set_bytes_beside(std::size_t bytes);
  const base::MemoryAccount::Ptr& account() const { return options_.memory; }
  // From now on another account counts its memory.
  void set_account(base::MemoryAccount::Ptr memory);
  OutboxPolicy policy() const { return options_.policy; }
  std::uint64_t last_number() const { return last_number_; }  // how many deliveries there ever were
  std::uint64_t sent_through() const { return sent_through_; }
  std::uint64_t settled_through() const { return settled_through_; }
  const store::SettledCounts& counts() const { return counts_; }
  // Fills in all of the row but the subscription and the sequence to scan from.
  void write_cursor(store::CursorRow& row) const;

  // Pending deliveries.
  std::optional<OutboxEntry> find(std::uint64_t number) const;
  std::vector<OutboxEntry> after(std::uint64_t number, std::size_t count_max) const;
  std::optional<OutboxEntry> oldest() const;
  std::optional<std::uint64_t> oldest_matched_at() const;
  // The newest event of the oldest delivery.
  std::optional<std::uint64_t> oldest_sequence() const;

 private:
  struct Entry {
    std::uint64_t number;
    std::uint64_t matched_at;
    std::uint64_t sequence;  // the first one, or a letter's reference; 0: settled
  };
  using Entries = std::deque<Entry>;
  struct Group {
    std::vector<std::uint64_t> sequences;
    std::vector<std::uint32_t> repeated;
  };
  struct Text {
    match::TextFinding finding;
    std::shared_ptr<const void> memory;
  };
  using Sources = std::map<std::string, std::uint64_t, std::less<>>;

  void add(std::uint64_t number, std::uint64_t matched_at, const Content& content);
  bool make_memory(std::size_t bytes);
  bool lacks_memory() const;
  std::size_t measured_bytes() const;
  void drop_new(std::uint64_t number);
  void forget_source(const std::map<std::uint64_t, Sources::iterator>::iterator& source);
  void conflate(std::string_view source, std::uint64_t number);
  void make_room(std::size_t count_max);
  void settle(const Entries::iterator& entry, Settled why);
  void count(Settled why);
  void mark_settled(std::uint64_t number);
  void discard_settled();
  std::uint64_t newest_sequence(const Entry& entry) const;
  OutboxEntry shown(const Entry& entry) const;

  Options options_;
  base::MemoryCharge charge_;
  std::size_t extra_bytes_ = 0;  // of groups, texts and sources
  std::size_t bytes_beside_ = 0;
  Entries entries_;                        // ascending by number; the first one is pending
  std::map<std::uint64_t, Group> groups_;  // by number
  std::map<std::uint64_t, Text> texts_;    // by number, where there is one
  Sources newest_;                         // kConflate: number by source
  std::map<std::uint64_t, Sources::iterator> sources_;  // and its way back
  std::size_t live_count_ = 0;
  std::uint64_t last_number_ = 0;
  std::uint64_t settled_through_ = 0;
  NumberRanges settled_beyond_;
  ResentLetters resent_;
  store::SettledCounts counts_;
  std::uint64_t position_ = 0;       // sent in this session through this number
  std::uint64_t sent_through_ = 0;   // sent ever
  std::uint64_t noted_through_ = 0;  // restore() has heard of every delivery up to this number
};

}  // namespace weir::broker
