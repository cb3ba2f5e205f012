// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using Kind = PointView::Kind;

constexpr std::uint32_t kEpochEventCount = 1024;

bool make_number_point(double number, PointView& point) {
  constexpr double kTwoTo63 = 0x1p63;
  if (std::isnan(number)) return false;
  if (number >= -kTwoTo63 && number < kTwoTo63 && std::floor(number) == number) {
    point.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    return true;
  }
  point.kind = Kind::kFraction;
  point.bits = std::bit_cast<std::uint64_t>(number);
  return true;
}

}  // namespace

bool make_point(SlotId slot, const Value& value, PointView& point) {
  point.slot = slot;
  switch (value.kind()) {
    case ValueKind::kBool:
      point.kind = Kind::kBool;
      point.bits = value.as_bool() ? 1U : 0U;
      return true;
    case ValueKind::kInt:
      point.bits = static_cast<std::uint64_t>(value.as_int());
      return true;
    case ValueKind::kDouble:
      return make_number_point(value.as_double(), point);
    case ValueKind::kString:
      point.kind = Kind::kString;
      point.text = value.as_string();
      return true;
    case ValueKind::kTimestamp:
      point.kind = Kind::kTimestamp;
      point.nanoseconds = static_cast<std::uint32_t>(value.as_timestamp().nanoseconds);
      point.bits = static_cast<std::uint64_t>(value.as_timestamp().seconds);
      return true;
    default:
      return false;
  }
}

std::optional<PointView> point_of(SlotId slot, const Value& value) {
  PointView point;
  if (!make_point(slot, value, point)) return std::nullopt;
  return point;
}

PointView prefix_point(SlotId slot, std::string_view prefix) {
  return {.slot = slot, .kind = Kind::kPrefix, .text = prefix.substr(0, kAffixBytesMax)};
}

PointView suffix_point(SlotId slot, std::string_view suffix) {
  const std::size_t begin = suffix.size() - std::min(suffix.size(), kAffixBytesMax);
  return {.slot = slot, .kind = Kind::kSuffix, .text = suffix.substr(begin)};
}

PointView present_point(SlotId slot) { return {.slot = slot, .kind = Kind::kPresent}; }

bool PointIndex::has_same_rest(const Key& key, const PointView& point) {
  if (point.kind < Kind::kString) return key.size == point.nanoseconds;
  return std::string_view(key.text.get(), key.size) == point.text;
}

PointView PointIndex::view(PointId id) const {
  const Key& key = keys_[id];
  PointView view{.slot = key.slot, .kind = key.kind, .bits = key.bits};
  if (key.kind < Kind::kString) {
    view.nanoseconds = key.size;
  } else {
    view.text = {key.text.get(), key.size};
  }
  return view;
}

// kNoId where uses are not counted; 0 in its slot for values.
std::uint32_t PointIndex::use_place_of(const PointView& point) {
  if (point.kind == Kind::kPresent) return kNoId;
  const std::uint32_t group = point.kind < Kind::kPrefix ? 0 : point.kind == Kind::kPrefix ? 1 : 2;
  return point.slot * kUseGroupCount + group;
}

PointId PointIndex::acquire(const PointView& point) {
  if (const std::uint32_t place = use_place_of(point); place != kNoId) {
    if (place >= slot_uses_.size()) slot_uses_.resize(place + 1);
    slot_uses_[place].change(1);
  }
  const std::uint64_t hash = point.hash();
  PointId id = find(point, hash);
  if (id == kNoId) {
    id = make(point);
    ++point_count_;
    table_.insert(hash, {entry_bits(point, hash), entry_kind(point), id},
                  [this](PointId other) { return view(other).hash(); });
  }
  ++uses_[id].use_count;
  return id;
}

PointId PointIndex::make(const PointView& point) {
  if (free_.empty()) {
    free_.push_back(static_cast<PointId>(keys_.size()));
    keys_.emplace_back();
    uses_.push_back({});
  }
  const PointId id = free_.back();
  free_.pop_back();
  Key& key = keys_[id];
  key.bits = point.bits;
  key.slot = point.slot;
  key.kind = point.kind;
  key.size = point.nanoseconds;
  if (point.kind >= Kind::kString) {
    key.text = std::make_unique_for_overwrite<char[]>(point.text.size());
    std::ranges::copy(point.text, key.text.get());
    key.size = static_cast<std::uint32_t>(point.text.size());
    text_bytes_ += base::heap_bytes(point.text.size());
  }
  uses_[id] = {.epoch = epoch_, .use_place = use_place_of(point)};
  return id;
}

bool PointIndex::release(PointId id) {
  Key& key = keys_[id];
  WEIR_CHECK(uses_[id].use_count > 0);
  if (uses_[id].use_place != kNoId) slot_uses_[uses_[id].use_place].change(-1U);
  if (--uses_[id].use_count > 0) return false;
  const PointView gone = view(id);
  table_.erase(gone.hash(), id, [this](PointId other) { return view(other).hash(); });
  --point_count_;
  text_bytes_ -= base::heap_bytes(gone.text.size());
  key = {};
  free_.push_back(id);
  return true;
}

void PointIndex::SlotUseCount::change(std::uint32_t by) {
  constexpr float kPriorUses = 9;  // of other points
  count += by;
  part_of_one = 1 / (static_cast<float>(count) + kPriorUses);
}

void PointIndex::count_event() {
  event_count_ += 1;
  if (++epoch_event_count_ == kEpochEventCount) {
    epoch_event_count_ = 0;
    event_count_ /= 2;
    ++epoch_;
  }
  set_part_of_hit();
}

void PointIndex::set_part_of_hit() {
  part_of_hit_ = 1 / (kPriorEvents + static_cast<float>(event_count_));
}

void PointIndex::count(PointId id) {
  Uses& uses = uses_[id];
  uses.hits = aged_hits(uses) + 1;
  uses.epoch = epoch_;
}

std::size_t PointIndex::memory_bytes() const {
  return table_.memory_bytes() + keys_.size() * sizeof(Key) + uses_.memory_bytes() +
         free_.memory_bytes() + base::heap_bytes(slot_uses_) + text_bytes_;
}

}  // namespace weir::match::content
