// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/prng.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using Kind = PointView::Kind;

std::optional<PointView> number_point(SlotId slot, double number) {
  constexpr double kTwoTo63 = 0x1p63;
  if (std::isnan(number)) return std::nullopt;
  if (number >= -kTwoTo63 && number < kTwoTo63 && std::floor(number) == number) {
    return point_of(slot, Value::of(static_cast<std::int64_t>(number)));
  }
  return PointView{
      .slot = slot, .kind = Kind::kFraction, .bits = std::bit_cast<std::uint64_t>(number)};
}

std::uint64_t mix(std::uint64_t bits) { return base::Prng(bits).next(); }

}  // namespace

std::optional<PointView> point_of(SlotId slot, const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return PointView{.slot = slot, .kind = Kind::kBool, .bits = value.as_bool() ? 1U : 0U};
    case ValueKind::kInt:
      return PointView{.slot = slot, .bits = static_cast<std::uint64_t>(value.as_int())};
    case ValueKind::kDouble:
      return number_point(slot, value.as_double());
    case ValueKind::kString:
      return PointView{.slot = slot, .kind = Kind::kString, .text = value.as_string()};
    case ValueKind::kTimestamp:
      return PointView{.slot = slot,
                       .kind = Kind::kTimestamp,
                       .nanoseconds = static_cast<std::uint32_t>(value.as_timestamp().nanoseconds),
                       .bits = static_cast<std::uint64_t>(value.as_timestamp().seconds)};
    default:
      return std::nullopt;
  }
}

PointView prefix_point(SlotId slot, std::string_view prefix) {
  return {.slot = slot, .kind = Kind::kPrefix, .text = prefix};
}

std::size_t PointIndex::Hash::operator()(const PointView& view) const {
  const std::uint64_t place =
      (std::uint64_t{view.slot} << 8U) | static_cast<std::uint64_t>(view.kind);
  if (view.kind >= Kind::kString) {
    return static_cast<std::size_t>(base::hash_bytes(view.text, place));
  }
  return static_cast<std::size_t>(
      mix(view.bits ^ mix(place ^ (std::uint64_t{view.nanoseconds} << 34U))));
}

std::size_t PointIndex::Hash::operator()(const Key& key) const {
  PointView view = key.view;
  view.text = key.text;
  return (*this)(view);
}

bool PointIndex::Equal::operator()(const Key& key, const PointView& view) const {
  return key.view.bits == view.bits && key.view.slot == view.slot && key.view.kind == view.kind &&
         key.view.nanoseconds == view.nanoseconds && key.text == view.text;
}

bool PointIndex::Equal::operator()(const Key& left, const Key& right) const {
  PointView view = right.view;
  view.text = right.text;
  return (*this)(left, view);
}

std::uint32_t& PointIndex::uses(const PointView& point) {
  if (point.slot >= slot_uses_.size()) slot_uses_.resize(point.slot + 1);
  SlotUses& uses = slot_uses_[point.slot];
  return point.kind == Kind::kPrefix ? uses.prefixes : uses.values;
}

PointId PointIndex::acquire(const PointView& point) {
  ++uses(point);
  PointId id = find(point);
  if (id == kNoId) {
    id = free_.empty() ? static_cast<PointId>(points_.size()) : free_.back();
    if (free_.empty()) {
      points_.emplace_back();
    } else {
      free_.pop_back();
    }
    Key key{point, std::string(point.text)};
    key.view.text = {};
    ids_.emplace(std::move(key), id);
  }
  ++points_[id].use_count;
  return id;
}

void PointIndex::release(const PointView& point) {
  --uses(point);
  const auto found = ids_.find(point);
  WEIR_CHECK(found != ids_.end());
  Point& at = points_[found->second];
  if (--at.use_count > 0) return;
  WEIR_CHECK(at.entries.empty());
  at = {};
  free_.push_back(found->second);
  ids_.erase(found);
}

PointId PointIndex::find(const PointView& point) const {
  const auto found = ids_.find(point);
  return found == ids_.end() ? kNoId : found->second;
}

double PointIndex::share(const PointView& point) const {
  constexpr double kPriorUses = 9;  // of other points
  const PointId id = find(point);
  if (id == kNoId) return 0;
  const SlotUses& uses = slot_uses_[point.slot];
  const std::uint32_t all = point.kind == Kind::kPrefix ? uses.prefixes : uses.values;
  return static_cast<double>(points_[id].use_count) / (static_cast<double>(all) + kPriorUses);
}

}  // namespace weir::match::content
