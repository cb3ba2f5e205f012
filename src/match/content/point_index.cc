// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using Kind = PointView::Kind;

constexpr std::uint32_t kEpochEventCount = 1024;
constexpr double kPriorEvents = 16;  // what is known before any are seen counts as much

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
  return {.slot = slot, .kind = Kind::kPrefix, .text = prefix};
}

PointView suffix_point(SlotId slot, std::string_view suffix) {
  return {.slot = slot, .kind = Kind::kSuffix, .text = suffix};
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
    if (++point_count_ > table_.size() / 8 * 5) grow();
    insert(point, hash, id);
  }
  ++uses_[id].use_count;
  return id;
}

PointId PointIndex::make(const PointView& point) {
  if (free_.empty()) {
    free_.push_back(static_cast<PointId>(keys_.size()));
    keys_.emplace_back();
    uses_.emplace_back();
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
    text_bytes_ += point.text.size();
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
  erase(gone.hash(), id);
  --point_count_;
  text_bytes_ -= gone.text.size();
  key = {};
  free_.push_back(id);
  return true;
}

void PointIndex::insert(const PointView& point, std::uint64_t hash, PointId id) {
  std::size_t place = place_of(hash);
  while (table_[place].id != kNoId) place = next(place);
  table_[place] = {entry_bits(point, hash), entry_kind(point), id};
}

// Closes the gap: what stands behind it moves up, unless that is before where it belongs.
void PointIndex::erase(std::uint64_t hash, PointId id) {
  std::size_t gap = place_of(hash);
  while (table_[gap].id != id) gap = next(gap);
  for (std::size_t place = next(gap); table_[place].id != kNoId; place = next(place)) {
    const std::size_t home = place_of(view(table_[place].id).hash());
    const std::size_t mask = table_.size() - 1;
    if (((place - home) & mask) < ((place - gap) & mask)) continue;
    table_[gap] = table_[place];
    gap = place;
  }
  table_[gap] = {};
}

void PointIndex::grow() {
  const std::vector<Entry> old = std::exchange(table_, std::vector<Entry>(2 * table_.size()));
  for (const Entry& entry : old) {
    if (entry.id == kNoId) continue;
    const PointView point = view(entry.id);
    insert(point, point.hash(), entry.id);
  }
}

void PointIndex::SlotUseCount::change(std::uint32_t by) {
  constexpr double kPriorUses = 9;  // of other points
  count += by;
  part_of_one = 1 / (static_cast<double>(count) + kPriorUses);
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

void PointIndex::set_part_of_hit() { part_of_hit_ = 1 / (kPriorEvents + event_count_); }

std::uint32_t PointIndex::aged_hits(const Uses& uses) const {
  return uses.hits >> std::min(epoch_ - uses.epoch, 31U);
}

void PointIndex::count(PointId id) {
  Uses& uses = uses_[id];
  uses.hits = aged_hits(uses) + 1;
  uses.epoch = epoch_;
}

// Before events were seen: the part that the point has in all uses of points of its slot, prefixes
// and suffixes apart, and below 1/10 as long as there are few. That counts as much as some events.
double PointIndex::share(PointId id) const {
  constexpr double kAffixPriorMin = 0.05;
  const Uses& uses = uses_[id];
  double prior = 1;
  if (uses.use_place != kNoId) {
    prior = static_cast<double>(uses.use_count) * slot_uses_[uses.use_place].part_of_one;
    if (uses.use_place % kUseGroupCount != 0) prior = std::max(prior, kAffixPriorMin);
  }
  const auto hits = static_cast<double>(aged_hits(uses));
  return std::min(1.0, (prior * kPriorEvents + hits) * part_of_hit_);
}

std::size_t PointIndex::memory_bytes() const {
  return table_.capacity() * sizeof(Entry) + keys_.capacity() * sizeof(Key) +
         uses_.capacity() * sizeof(Uses) + free_.capacity() * sizeof(PointId) + text_bytes_ +
         slot_uses_.capacity() * sizeof(SlotUseCount);
}

}  // namespace weir::match::content
