// SPDX-License-Identifier: Apache-2.0
#include "match/content/access_index.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace weir::match::content {

AccessIndex::SlotAccess& AccessIndex::slot_access(SlotId slot) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  return slots_[slot];
}

void AccessIndex::learn(const Access& access) {
  if (access.kind != Access::Kind::kRange) return;
  auto& ranges = ranges_of(slot_access(access.slot), access);
  if (!ranges) ranges = std::make_unique<Ranges>();
  for (const double bound : {access.low, access.high}) {
    if (!std::isfinite(bound)) continue;
    ranges->bound_min = std::min(ranges->bound_min, bound);
    ranges->bound_max = std::max(ranges->bound_max, bound);
  }
}

void AccessIndex::forget(SlotId slot) {
  if (slot < slots_.size()) slots_[slot] = {};
}

double AccessIndex::share(const Access& access) const {
  constexpr double kPrefixShareMin = 0.05;
  double sum = 0;
  switch (access.kind) {
    case Access::Kind::kPoint:
      for (const PointView& point : access.points) sum += points_.share(point);
      return std::min(sum, 1.0);
    case Access::Kind::kPrefix:
      return std::max(points_.share(access.points.front()), kPrefixShareMin);
    case Access::Kind::kRange:
      return range_share(access);
    case Access::Kind::kPresent:
    case Access::Kind::kNone:
      break;
  }
  return 1;
}

// As if events were spread evenly over the span of all bounds. A half-bounded range is thought to
// be at least a tenth of it: bounds say little about how far values go.
double AccessIndex::range_share(const Access& access) const {
  constexpr double kShareMin = 0.02;
  constexpr double kHalfBoundedShareMin = 0.1;
  constexpr double kUnknownShare = 0.5;
  const SlotAccess& at = slots_[access.slot];
  const Ranges& ranges = access.of_timestamps ? *at.timestamps : *at.numbers;
  const double span = ranges.bound_max - ranges.bound_min;
  if (!(span > 0) || !std::isfinite(span)) return kUnknownShare;
  const bool bounded = std::isfinite(access.low) && std::isfinite(access.high);
  const double width =
      std::min(access.high, ranges.bound_max) - std::max(access.low, ranges.bound_min);
  return std::clamp(width / span, bounded ? kShareMin : kHalfBoundedShareMin, 1.0);
}

void AccessIndex::add(const Access& access, ConjunctionId id) {
  ++counts_[static_cast<std::size_t>(access.kind)];
  if (access.kind == Access::Kind::kNone) return enter(unindexed_, id);
  operands_.add_access(access.slot);
  SlotAccess& at = slot_access(access.slot);
  switch (access.kind) {
    case Access::Kind::kPoint:
      ++at.point_count;
      for (const PointView& point : access.points) enter(points_.entries(points_.find(point)), id);
      return;
    case Access::Kind::kPrefix:
      add_prefix_length(at, access.points.front().text.size());
      return enter(points_.entries(points_.find(access.points.front())), id);
    case Access::Kind::kRange:
      return ranges_of(at, access)->intervals.add(access.keys, id);
    case Access::Kind::kPresent:
    case Access::Kind::kNone:
      return enter(at.present, id);
  }
}

void AccessIndex::remove(const Access& access, ConjunctionId id) {
  --counts_[static_cast<std::size_t>(access.kind)];
  if (access.kind == Access::Kind::kNone) return leave(unindexed_, id);
  operands_.remove_access(access.slot);
  SlotAccess& at = slot_access(access.slot);
  switch (access.kind) {
    case Access::Kind::kPoint:
      --at.point_count;
      for (const PointView& point : access.points) leave(points_.entries(points_.find(point)), id);
      return;
    case Access::Kind::kPrefix:
      remove_prefix_length(at, access.points.front().text.size());
      return leave(points_.entries(points_.find(access.points.front())), id);
    case Access::Kind::kRange:
      return ranges_of(at, access)->intervals.remove(access.keys, id);
    case Access::Kind::kPresent:
    case Access::Kind::kNone:
      return leave(at.present, id);
  }
}

void AccessIndex::add_prefix_length(SlotAccess& at, std::size_t bytes) {
  const auto found = std::ranges::lower_bound(at.prefix_lengths, bytes, {}, &PrefixLength::bytes);
  if (found != at.prefix_lengths.end() && found->bytes == bytes) {
    ++found->use_count;
  } else {
    at.prefix_lengths.insert(found, {static_cast<std::uint32_t>(bytes), 1});
  }
}

void AccessIndex::remove_prefix_length(SlotAccess& at, std::size_t bytes) {
  const auto found = std::ranges::lower_bound(at.prefix_lengths, bytes, {}, &PrefixLength::bytes);
  WEIR_CHECK(found != at.prefix_lengths.end() && found->bytes == bytes);
  if (--found->use_count == 0) at.prefix_lengths.erase(found);
}

void AccessIndex::enter(Entries& entries, ConjunctionId id) {
  if (id >= positions_.size()) positions_.resize(id + 1);
  positions_[id] = static_cast<std::uint32_t>(entries.size());
  entries.push_back(id);
}

// Positions are hints: a conjunction that stands in several lists has only one.
void AccessIndex::leave(Entries& entries, ConjunctionId id) {
  std::size_t position = positions_[id];
  if (position >= entries.size() || entries[position] != id) {
    position = static_cast<std::size_t>(std::ranges::find(entries, id) - entries.begin());
  }
  WEIR_CHECK(position < entries.size());
  const ConjunctionId last = entries.back();
  entries[position] = last;
  positions_[last] = static_cast<std::uint32_t>(position);
  entries.pop_back();
}

}  // namespace weir::match::content
