// SPDX-License-Identifier: Apache-2.0
#include "match/text/filter_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace weir::match::text {
namespace {

// Slots are full to at most 4/5 and then grow by a half: between 5 and 7.5 bytes for a filter.
constexpr std::size_t kSlotCountMin = 16;

bool is_crowded(std::size_t size, std::size_t slot_count) { return size * 5 > slot_count * 4; }

}  // namespace

std::uint64_t FilterTable::Key::hash() const {
  const std::string_view bytes(reinterpret_cast<const char*>(terms.data()), terms.size_bytes());
  return base::hash_bytes(bytes, score_bits ^ meta);
}

FilterTable::Key FilterTable::key_of(RecordRef record) const {
  return {std::bit_cast<std::uint64_t>(score_min(record)), words_[record + kMeta] & kKeyMask,
          terms(record)};
}

FilterTable::Added FilterTable::add(MemberId member, TextMode mode, std::span<const TermId> terms,
                                    double score_min) {
  WEIR_CHECK(member != kNoId && !has(member));
  const auto meta =
      static_cast<std::uint32_t>(terms.size()) | (mode == TextMode::kAll ? kAllBit : 0U);
  const Key key{std::bit_cast<std::uint64_t>(score_min), meta, terms};
  if (slots_.empty() || is_crowded(size_ + 1, slots_.size())) {
    rehash(std::max(kSlotCountMin, slots_.size() * 3 / 2));
  }
  const std::size_t slot = find_slot(key);
  const bool is_new = slots_[slot] == kNoId;
  if (is_new) {
    slots_[slot] = new_record(key);
    ++size_;
  }
  const RecordRef record = slots_[slot];
  link(member, record);
  return {record, is_new};
}

RecordRef FilterTable::new_record(const Key& key) {
  const RecordRef record = words_.take(kTerms + static_cast<std::uint32_t>(key.terms.size()));
  words_[record] = static_cast<std::uint32_t>(key.score_bits);
  words_[record + 1] = static_cast<std::uint32_t>(key.score_bits >> 32U);
  words_[record + kMeta] = key.meta;
  words_[record + kFirst] = kNoId;
  std::ranges::copy(key.terms, &words_[record + kTerms]);
  return record;
}

void FilterTable::link(MemberId member, RecordRef record) {
  if (member >= members_.size()) {
    if (member >= members_.capacity()) members_.reserve(member + 1 + member / 8);
    members_.resize(member + 1);
  }
  const MemberId next = words_[record + kFirst];
  if (next != kNoId) {
    members_[next].previous = member;
    words_[record + kMeta] |= kSharedBit;
  }
  members_[member] = {record, next, kNoId};
  words_[record + kFirst] = member;
  ++member_count_;
}

RecordRef FilterTable::remove(MemberId member) {
  WEIR_CHECK(has(member));
  const auto [record, next, previous] = std::exchange(members_[member], Member{});
  if (next != kNoId) members_[next].previous = previous;
  if (previous != kNoId) {
    members_[previous].next = next;
  } else {
    words_[record + kFirst] = next;
  }
  --member_count_;
  return record;
}

void FilterTable::erase(RecordRef record) {
  WEIR_CHECK(!has_members(record));
  close_gap(find_slot(key_of(record)));
  --size_;
  words_.give_back(record, kTerms + (words_[record + kMeta] & kCountMask));
}

// Moves those behind the gap that could stand in it, so that none is behind an empty slot.
void FilterTable::close_gap(std::size_t gap) {
  for (std::size_t slot = after(gap); slots_[slot] != kNoId; slot = after(slot)) {
    const std::size_t home = home_of(key_of(slots_[slot]));
    const bool stays = gap <= slot ? gap < home && home <= slot : gap < home || home <= slot;
    if (stays) continue;
    slots_[gap] = slots_[slot];
    gap = slot;
  }
  slots_[gap] = kNoId;
}

std::size_t FilterTable::home_of(const Key& key) const {
  return static_cast<std::size_t>((key.hash() >> 32U) * slots_.size() >> 32U);
}

std::size_t FilterTable::find_slot(const Key& key) const {
  for (std::size_t slot = home_of(key);; slot = after(slot)) {
    if (slots_[slot] == kNoId) return slot;
    const Key other = key_of(slots_[slot]);
    if (other.score_bits == key.score_bits && other.meta == key.meta &&
        std::ranges::equal(other.terms, key.terms)) {
      return slot;
    }
  }
}

void FilterTable::rehash(std::size_t slot_count) {
  const std::vector<RecordRef> old =
      std::exchange(slots_, std::vector<RecordRef>(slot_count, kNoId));
  for (const RecordRef record : old) {
    if (record == kNoId) continue;
    std::size_t slot = home_of(key_of(record));
    while (slots_[slot] != kNoId) slot = after(slot);
    slots_[slot] = record;
  }
}

void FilterTable::reserve(std::size_t filter_count, std::size_t term_count) {
  words_.reserve(filter_count * kTerms + term_count);
  members_.reserve(members_.size() + filter_count);
  const std::size_t size = size_ + filter_count;
  if (is_crowded(size, slots_.size())) rehash(std::max(kSlotCountMin, size * 4 / 3));
}

std::size_t FilterTable::memory_bytes() const {
  return words_.memory_bytes() + members_.capacity() * sizeof(Member) +
         slots_.capacity() * sizeof(RecordRef);
}

}  // namespace weir::match::text
