// SPDX-License-Identifier: Apache-2.0
#include "match/content/many_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "base/heap_bytes.h"
#include "filter/evaluate.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;

template <typename T>
void sort_unique(std::vector<T>& items, std::size_t begin) {
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, items.end());
  items.erase(std::unique(first, items.end()), items.end());
}

}  // namespace

void ManyValues::clear() {
  added_.clear();
  values_.clear();
  slots_.clear();
  ends_.clear();
  points_.clear();
  codes_.clear();
  columns_.clear();
}

void ManyValues::add(const PathNode& node, const event::JsonRef& json) {
  for (std::size_t i = 0; i < node.slots.size(); ++i) {
    if (node.slots[i] == kNoId) continue;
    const Value value = filter::convert(json, static_cast<filter::Operand::Conversion>(i));
    if (value.missing()) continue;
    added_.push_back({node.slots[i], static_cast<std::uint32_t>(added_.size()), value});
  }
}

void ManyValues::finish() {
  std::ranges::sort(added_, [](const Added& left, const Added& right) {
    return std::tie(left.slot, left.order) < std::tie(right.slot, right.order);
  });
  values_.reserve(added_.size());
  // At most one code for each value, so that columns_ can point at them.
  codes_.reserve(added_.size());
  for (const Added& added : added_) {
    if (slots_.empty() || slots_.back() != added.slot) {
      slots_.push_back(added.slot);
      ends_.push_back(values_.size());
    }
    values_.push_back(added.value);
    ++ends_.back();
  }
  for (const SlotId slot : slots_) take(slot, values(slot));
  sort_unique(points_, 0);
}

std::span<const Value> ManyValues::values(SlotId slot) const {
  const auto found = std::ranges::lower_bound(slots_, slot);
  if (found == slots_.end() || *found != slot) return {};
  const auto index = static_cast<std::size_t>(found - slots_.begin());
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::span(values_).subspan(begin, ends_[index] - begin);
}

bool ManyValues::has_point(PointId point) const {
  return std::ranges::binary_search(points_, point);
}

void ManyValues::take(SlotId slot, std::span<const Value> values) {
  const SlotUses& uses = vocabulary_.uses(slot);
  if (uses.present != kNoId) points_.push_back(uses.present);
  for (const Value& value : values) {
    if (uses.values > 0) {
      if (const auto point = point_of(slot, value)) take_point(*point);
    }
    if (value.kind() != ValueKind::kString) continue;
    const std::string_view text = value.as_string();
    for (const SlotUses::Length& length : uses.prefixes) {
      if (length.bytes > text.size()) break;
      take_point(prefix_point(slot, text.substr(0, length.bytes)));
    }
    for (const SlotUses::Length& length : uses.suffixes) {
      if (length.bytes > text.size()) break;
      take_point(suffix_point(slot, text.substr(text.size() - length.bytes)));
    }
  }
  if (uses.numbers > 0) take_codes(slot, values, ColumnKind::kNumber);
  if (uses.times > 0) take_codes(slot, values, ColumnKind::kTime);
}

void ManyValues::take_point(const PointView& point) {
  const PointId found = vocabulary_.points().find(point, point.hash());
  if (found != kNoId) points_.push_back(found);
}

void ManyValues::take_codes(SlotId slot, std::span<const Value> values, ColumnKind kind) {
  const std::size_t begin = codes_.size();
  for (const Value& value : values) {
    if (kind == ColumnKind::kTime) {
      if (value.kind() == ValueKind::kTimestamp) codes_.push_back(time_code(value.as_timestamp()));
    } else if (value.is_number() && !std::isnan(value.as_number())) {
      codes_.push_back(number_code(value));
    }
  }
  sort_unique(codes_, begin);
  if (codes_.size() == begin) return;
  columns_.push_back({column_of(slot, kind), std::span(codes_).subspan(begin)});
}

std::size_t ManyValues::memory_bytes() const {
  return base::heap_bytes(added_) + base::heap_bytes(values_) + base::heap_bytes(slots_) +
         base::heap_bytes(ends_) + base::heap_bytes(points_) + base::heap_bytes(codes_) +
         base::heap_bytes(columns_);
}

}  // namespace weir::match::content
