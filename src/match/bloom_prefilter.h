// SPDX-License-Identifier: Apache-2.0
// BloomPrefilter: which subscriptions a publication may match, judged by their equality pairs
// alone.
//
// The idea (paper 001, section IV): hash every (attribute, value) pair of a publication p into a
// Bloom filter B(p) of n bits, k per pair, and the pairs that a subscription s demands by equality
// into B(s). If B(s) is not included in B(p), s cannot match, whatever else it says. Lists of
// subscriptions by bit keep most of them from being looked at:
//
//   list 0      B(s7) B(s2)           filters back to back, n / 64 words each; ids beside them
//   list 1
//   list 2      B(s9)                 B(p) = {0, 2, 5}: the lists 0, 2, 5 and the default list are
//   ...                               traversed, every filter in them is tested for inclusion
//   list n - 1  B(s4) B(s1) B(s3)
//   default     s5 s8                 no equality: always candidates
//
// Guarantees: a subscription all of whose pairs the publication has is a candidate, always. Every
// candidate is visited once. Others are candidates by chance, (z/n)^b for b bits in B(s) and z in
// B(p). Pairs are hashes of 64 bits that a caller made, so events may be plain or sealed.
//
// Where we differ from the paper:
//   - kRarestBit, the default, puts a subscription into one list: inclusion needs all of its bits,
//     so any one of them will find it, and the one that is rarest in publications is traversed
//     least often. Publications are counted by bit as they come; counts are halved now and then so
//     that old ones fade, and reregister() moves subscriptions after them. kEveryBit is the paper's
//     rule; a subscription that is in several lists is visited in that of its highest bit.
//   - A publication with several values at one path (data.items[*].sku) has a pair for each of
//     them: a subscription demands one pair, and finds it whichever element has it.
//   - A pair is hashed, not its value alone, so that `x = 2` and `y = 2` differ. Leave pairs of
//     attributes out of a publication that no subscription compares by equality: they fill B(p).
//
// Costs: a publication costs its pairs, at most k lists for each, and a pass over their filters,
// which lie in memory in order; nothing is allocated or cleared. n / 8 + 12 bytes per subscription
// (kEveryBit: n / 8 + 4 for each bit of B(s), and 8). Adding costs its pairs; removing the same, or
// with kEveryBit a search in each of its lists. Measured (labs/001) with 100 000 subscriptions of 2
// to 5 predicates on 20 attributes, 512 bits, k = 2: 8.6 us per publication, kEveryBit 127 us, and
// 1.1 times the candidates of exact sets. 64 bits want few attributes. Single-threaded.
//
//   BloomPrefilter prefilter({.bit_count = 256, .probe_count = 2});
//   const PrefilterId id = prefilter.add(hashes_of_equality_pairs);
//   prefilter.candidates(hashes_of_all_pairs, [&](PrefilterId candidate) { test(candidate); });
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::match {

// Small numbers from 0, reused once free: callers keep what they know of a subscription in an
// array.
using PrefilterId = std::uint32_t;

enum class Registration : std::uint8_t { kEveryBit, kRarestBit };

inline constexpr std::uint32_t kPrefilterBitCountMax = 4096;
inline constexpr std::uint32_t kPrefilterProbeCountMax = 16;

struct PrefilterOptions {
  std::uint32_t bit_count = 256;  // n: a power of two from 64 to kPrefilterBitCountMax
  std::uint32_t probe_count = 2;  // k: from 1 to kPrefilterProbeCountMax
  Registration registration = Registration::kRarestBit;
  std::uint32_t publications_per_halving = 4096;  // of the counts by bit; up to 2^30
};

// Since the prefilter was made.
struct PrefilterCounters {
  std::uint64_t publications = 0;
  std::uint64_t lists = 0;            // traversed, the default list among them
  std::uint64_t entries = 0;          // in these lists
  std::uint64_t inclusion_tests = 0;  // entries less those of the default list
  std::uint64_t candidates = 0;
};

class BloomPrefilter {
 public:
  // Requires options within their limits.
  explicit BloomPrefilter(const PrefilterOptions& options);

  // By the hashes of its equality pairs; none: the default list. Requires fewer than 2^32 - 1
  // subscriptions.
  PrefilterId add(std::span<const std::uint64_t> pairs);
  // Requires an id that was added and not removed since.
  void remove(PrefilterId id);
  std::size_t size() const { return places_.size() - free_.size(); }

  // Calls visit(PrefilterId) for every candidate, and counts the publication. `visit` may not
  // change the prefilter.
  template <typename Visit>
  void candidates(std::span<const std::uint64_t> pairs, Visit&& visit) {
    find(pairs);
    for (const PrefilterId id : found_) visit(id);
  }

  // Looks at so many subscriptions, going on where the last call ended, and moves those that have a
  // bit which came less often, by the counts of now, than the one they are registered by. Gives the
  // number moved: 0 with kEveryBit. A few for each publication follow a drifting stream.
  std::size_t reregister(std::size_t subscription_count_max);

  const PrefilterOptions& options() const { return options_; }
  const PrefilterCounters& counters() const { return counters_; }
  // Subscriptions without equality.
  std::size_t default_count() const { return lists_.back().ids.size(); }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kWordCountMax = kPrefilterBitCountMax / 64;
  using Filter = std::array<std::uint64_t, kWordCountMax>;  // the first n / 64 words are used

  struct List {
    std::vector<std::uint64_t> words;  // none in the default list
    std::vector<PrefilterId> ids;
  };
  // Where a subscription is: with kEveryBit, in the list of its highest bit.
  struct Place {
    std::uint32_t list_index;
    std::uint32_t position;
  };
  using Scan = void (*)(const List& list, const Filter& absent, std::vector<PrefilterId>& found);

  template <std::size_t WordCount>
  static void scan(const List& list, const Filter& absent, std::vector<PrefilterId>& found);
  static Scan scan_of(std::size_t word_count);

  Filter filter_of(std::span<const std::uint64_t> pairs) const;
  void find(std::span<const std::uint64_t> pairs);
  void find_in_list(std::uint32_t bit, const Filter& absent);
  void count_publication(const Filter& publication);
  std::uint32_t rarest_bit(const Filter& filter) const;
  Filter filter_at(const Place& place) const;
  void put(std::uint32_t list_index, PrefilterId id, const Filter& filter);
  void take(const Place& place);

  PrefilterOptions options_;
  std::size_t word_count_;
  Scan scan_;
  std::vector<List> lists_;          // by bit; the last is the default list
  std::vector<Place> places_;        // by id
  std::vector<PrefilterId> free_;    // ids to be given again
  std::vector<PrefilterId> found_;   // candidates of the publication at hand
  std::vector<std::uint32_t> seen_;  // publications by bit, halved now and then
  std::uint32_t counted_count_ = 0;  // publications since the last halving
  PrefilterId reregister_cursor_ = 0;
  PrefilterCounters counters_;
};

}  // namespace weir::match
