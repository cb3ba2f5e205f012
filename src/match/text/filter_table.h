// SPDX-License-Identifier: Apache-2.0
// FilterTable: the filters, each once, and the members that share it.
//
// Filters are equal if their mode, terms in order and threshold are. A record in one array of
// words:
//
//   threshold (2 words) | term count, mode, side, shared | first member | terms
//
// 16 bytes and 4 per term for a filter, 5 to 7 to find it again, 12 for each member. Adding and
// removing a member costs a look-up, however many share the filter. Single-threaded.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/change/slot_pool.h"
#include "match/text/text_filter.h"

namespace weir::match::text {

class FilterTable {
 public:
  struct Added {
    RecordRef record;
    bool is_new;
  };
  // Requires a member that is not there.
  Added add(MemberId member, TextMode mode, std::span<const TermId> terms, double score_min);
  // Gives the member's record. It stays, if need be without members.
  RecordRef remove(MemberId member);
  // Requires a record without members.
  void erase(RecordRef record);
  // Makes room for so many more, of so many terms in all.
  void reserve(std::size_t filter_count, std::size_t term_count);

  bool has(MemberId member) const {
    return member < members_.size() && members_[member].record != kNoId;
  }
  bool has_members(RecordRef record) const { return words_[record + kFirst] != kNoId; }
  double score_min(RecordRef record) const {
    return std::bit_cast<double>(std::uint64_t{words_[record + 1]} << 32U | words_[record]);
  }
  TextMode mode(RecordRef record) const {
    return (words_[record + kMeta] & kAllBit) != 0 ? TextMode::kAll : TextMode::kAny;
  }
  std::span<const TermId> terms(RecordRef record) const {
    return {&words_[record + kTerms], words_[record + kMeta] & kCountMask};
  }
  // Which placement the record stands in: 0 or 1.
  unsigned side(RecordRef record) const {
    return (words_[record + kMeta] & kSideBit) != 0 ? 1U : 0U;
  }
  void set_side(RecordRef record, unsigned side) {
    words_[record + kMeta] = (words_[record + kMeta] & ~kSideBit) | (side != 0 ? kSideBit : 0U);
  }
  template <typename Visit>
  void for_each_member(RecordRef record, const Visit& visit) const {
    MemberId id = words_[record + kFirst];
    if ((words_[record + kMeta] & kSharedBit) == 0) return id != kNoId ? visit(id) : void();
    for (; id != kNoId; id = members_[id].next) visit(id);
  }
  void prefetch(RecordRef record) const { __builtin_prefetch(&words_[record]); }

  // The records are in so many slots, in no order; kNoId where there is none. They may change
  // places when one is added or erased.
  std::size_t slot_count() const { return slots_.size(); }
  RecordRef at_slot(std::size_t slot) const { return slots_[slot]; }

  std::size_t size() const { return size_; }
  std::size_t member_count() const { return member_count_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kMeta = 2;
  static constexpr std::uint32_t kFirst = 3;
  static constexpr std::uint32_t kTerms = 4;
  static constexpr std::uint32_t kCountMask = 0xffff;
  static constexpr std::uint32_t kAllBit = 1U << 16U;
  static constexpr std::uint32_t kSideBit = 1U << 17U;
  static constexpr std::uint32_t kSharedBit = 1U << 18U;  // has, or has had, several members
  static constexpr std::uint32_t kKeyMask = kCountMask | kAllBit;

  struct Member {
    RecordRef record = kNoId;
    MemberId next = kNoId;
    MemberId previous = kNoId;
  };
  struct Key {
    std::uint64_t score_bits;
    std::uint32_t meta;  // what belongs to the key
    std::span<const TermId> terms;

    std::uint64_t hash() const;
  };

  Key key_of(RecordRef record) const;
  RecordRef new_record(const Key& key);
  void link(MemberId member, RecordRef record);
  std::size_t home_of(const Key& key) const;
  std::size_t after(std::size_t slot) const { return slot + 1 == slots_.size() ? 0 : slot + 1; }
  // Where it is, or the empty slot where it would be.
  std::size_t find_slot(const Key& key) const;
  void rehash(std::size_t slot_count);
  void close_gap(std::size_t gap);

  SlotPool<std::uint32_t> words_;
  std::vector<Member> members_;   // by member
  std::vector<RecordRef> slots_;  // open addressing, linear probing
  std::size_t size_ = 0;
  std::size_t member_count_ = 0;
};

}  // namespace weir::match::text
