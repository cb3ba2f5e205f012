// SPDX-License-Identifier: Apache-2.0
// ResentLetters: the dead letters of an outbox's subscription that are deliveries again.
//
// Such a delivery has a number of its own. In place of the sequence of an event it has a reference
// to the letter, by the number under which that was buried, since the log may have lost the events:
//
//   sequence:  0 1 <62 bits: number of the letter>      events have sequences below 2^62
//
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace weir::broker {

inline constexpr std::uint64_t kLetterReference = std::uint64_t{1} << 62U;

constexpr bool is_letter(std::uint64_t sequence) { return (sequence & kLetterReference) != 0; }
constexpr std::uint64_t letter_of(std::uint64_t sequence) { return sequence & ~kLetterReference; }
constexpr std::uint64_t reference_to(std::uint64_t letter) { return letter | kLetterReference; }

class ResentLetters {
 public:
  // The delivery of this sequence is pending, or no longer. Those of events are passed over.
  void add(std::uint64_t sequence) {
    if (is_letter(sequence)) pending_.insert(letter_of(sequence));
  }
  // Whether the sink took it, or it was buried anew: then the letter has had its day. Otherwise it
  // stays in the list.
  void settle(std::uint64_t sequence, bool is_done) {
    if (!is_letter(sequence)) return;
    pending_.erase(letter_of(sequence));
    if (is_done) done_.push_back(letter_of(sequence));
  }

  bool is_pending(std::uint64_t letter) const { return pending_.contains(letter); }
  // Letters that are done since the last call.
  std::vector<std::uint64_t> take_done() { return std::exchange(done_, {}); }

 private:
  std::set<std::uint64_t> pending_;
  std::vector<std::uint64_t> done_;
};

}  // namespace weir::broker
