// SPDX-License-Identifier: Apache-2.0
// PointIndex: the dictionary of all values that filters compare operands with, and how often events
// have them.
//
// A point is an operand's slot with a value, with the beginning or end of a string, or with
// anything at all. Two values that the filter language calls equal are one point: 1 and 1.0, two
// texts of one moment. So a comparison with a constant is a comparison of two small numbers, once
// the event's value has been looked up. A point lives as long as a filter names it.
//
// NaN, null, objects and arrays equal nothing and are no values of points.
//
// How often: counts of the last few thousand events, halved now and then so that they follow the
// stream; before there are any, a value that few filters name is taken to be rare.
//
// About 90 bytes per point, and its text. Nothing is ever copied as a whole when there are more.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/growing_array.h"
#include "base/hash.h"
#include "base/prng.h"
#include "event/value.h"
#include "match/content/ids.h"
#include "match/content/point_table.h"

namespace weir::match::content {

// A point, as a view: its text belongs to the filter, the event or the index.
struct PointView {
  enum class Kind : std::uint8_t {
    kInteger,
    kFraction,
    kBool,
    kTimestamp,
    kPresent,  // any value
    kString,
    kPrefix,
    kSuffix,
  };

  SlotId slot = kNoId;
  Kind kind = Kind::kInteger;
  std::uint32_t nanoseconds = 0;  // of a timestamp
  std::uint64_t bits = 0;         // of anything but a text
  std::string_view text = {};

  std::uint64_t hash() const {
    const std::uint64_t place = (std::uint64_t{slot} << 8U) | static_cast<std::uint64_t>(kind);
    if (kind >= Kind::kString) return base::hash_bytes(text, place);
    return base::Prng(bits ^ (place * 0x9E3779B97F4A7C15U) ^ (std::uint64_t{nanoseconds} << 34U))
        .next();
  }
  bool operator==(const PointView&) const = default;
};

// Turns a new view into that of the value's point; false for what is no value of points.
bool make_point(SlotId slot, const event::Value& value, PointView& point);
std::optional<PointView> point_of(SlotId slot, const event::Value& value);
// Of long ones only the first or last bytes: an event's text is looked up once for each length that
// filters name, so there must not be many. Who needs the rest checks it.
inline constexpr std::size_t kAffixBytesMax = 64;
PointView prefix_point(SlotId slot, std::string_view prefix);
PointView suffix_point(SlotId slot, std::string_view suffix);
PointView present_point(SlotId slot);

class PointIndex {
 public:
  PointIndex() { set_part_of_hit(); }

  // Each acquire needs one release.
  PointId acquire(const PointView& point);
  // True if this was the point's last use.
  bool release(PointId id);
  // kNoId if no filter names the point.
  PointId find(const PointView& point) const { return find(point, point.hash()); }
  PointId find(const PointView& point, std::uint64_t hash) const {
    return table_.find(hash, entry_bits(point, hash), entry_kind(point),
                       [&](PointId id) { return is(id, point); });
  }
  // The same for an integer, of which there are most.
  static std::uint64_t hash_of_integer(SlotId slot, std::uint64_t bits) {
    return PointView{.slot = slot, .bits = bits}.hash();
  }
  PointId find_integer(SlotId slot, std::uint64_t bits, std::uint64_t hash) const {
    return table_.find(hash, bits, entry_kind({.slot = slot}), [](PointId) { return true; });
  }
  // For a find() of that hash some steps later.
  void prefetch(std::uint64_t hash) const { table_.prefetch(hash); }
  PointView view(PointId id) const;
  // The slot of a point that is a value; kNoId for any other.
  SlotId slot_of_value(PointId id) const {
    const std::uint32_t place = uses_[id].use_place;
    return place != kNoId && place % kUseGroupCount == 0 ? place / kUseGroupCount : kNoId;
  }

  // To be called for each event, and for each point that it has; or for some events.
  void count_event();
  void count(PointId id);
  // A guess at the part of all events that have the point, above 0 and at most 1.
  float share(PointId id) const {
    const Uses& uses = uses_[id];
    return std::min(
        1.0F, (prior_of(uses) * kPriorEvents + static_cast<float>(aged_hits(uses))) * part_of_hit_);
  }

  // By how much such a share may well be too small: of few hits, one more and what they vary by.
  float doubt(float share) const {
    return part_of_hit_ + std::sqrt(part_of_hit_ * (share + part_of_hit_));
  }

  std::size_t point_count() const { return point_count_; }
  std::size_t memory_bytes() const;

 private:
  // Uses are counted by slot; values, prefixes and suffixes apart.
  static constexpr std::uint32_t kUseGroupCount = 3;
  // What is known before any events are seen counts as much as so many.
  static constexpr float kPriorEvents = 16;
  struct Key {
    std::uint64_t bits = 0;
    SlotId slot = kNoId;
    std::uint32_t size = 0;  // of a text; nanoseconds of a timestamp
    std::unique_ptr<char[]> text = {};
    PointView::Kind kind = PointView::Kind::kInteger;
  };
  struct Uses {
    std::uint32_t use_count = 0;
    std::uint32_t hits = 0;  // as of the epoch
    std::uint32_t epoch = 0;
    std::uint32_t use_place = 0;  // in slot_uses_
  };

  // Divisions are done when counts change, not when shares are asked for.
  struct SlotUseCount {
    std::uint32_t count = 0;
    float part_of_one = 0;  // of all uses, before events were seen

    void change(std::uint32_t by);
  };

  static std::uint64_t entry_bits(const PointView& point, std::uint64_t hash) {
    return point.kind >= PointView::Kind::kString ? hash : point.bits;
  }
  static std::uint32_t entry_kind(const PointView& point) {
    return point.slot << 3U | static_cast<std::uint32_t>(point.kind);
  }
  // Of a point whose entry says the same.
  bool is(PointId id, const PointView& point) const {
    return point.kind < PointView::Kind::kTimestamp || has_same_rest(keys_[id], point);
  }
  static bool has_same_rest(const Key& key, const PointView& point);
  static std::uint32_t use_place_of(const PointView& point);
  PointId make(const PointView& point);
  void set_part_of_hit();
  std::uint32_t aged_hits(const Uses& uses) const {
    return uses.hits >> std::min(epoch_ - uses.epoch, 31U);
  }
  // Before events were seen: the part that the point has in all uses of points of its slot,
  // prefixes and suffixes apart, and below 1/10 as long as there are few.
  float prior_of(const Uses& uses) const {
    constexpr float kAffixPriorMin = 0.05F;
    if (uses.use_place == kNoId) return 1;
    const float prior = static_cast<float>(uses.use_count) * slot_uses_[uses.use_place].part_of_one;
    return uses.use_place % kUseGroupCount == 0 ? prior : std::max(prior, kAffixPriorMin);
  }

  PointTable table_;
  std::deque<Key> keys_;           // by id
  base::GrowingArray<Uses> uses_;  // by id
  base::GrowingArray<PointId> free_;
  std::vector<SlotUseCount> slot_uses_;  // by slot and group
  std::size_t point_count_ = 0;
  std::size_t text_bytes_ = 0;
  std::uint32_t epoch_ = 0;
  double event_count_ = 0;  // aged as hits are
  float part_of_hit_;       // of all events
  std::uint32_t epoch_event_count_ = 0;
};

}  // namespace weir::match::content
