// SPDX-License-Identifier: Apache-2.0
#include "match/content/vocabulary.h"

#include <algorithm>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

void add_length(std::vector<SlotUses::Length>& lengths, std::size_t bytes) {
  const auto found = std::ranges::lower_bound(lengths, bytes, {}, &SlotUses::Length::bytes);
  if (found != lengths.end() && found->bytes == bytes) {
    ++found->use_count;
  } else {
    lengths.insert(found, {static_cast<std::uint32_t>(bytes), 1});
  }
}

void remove_length(std::vector<SlotUses::Length>& lengths, std::size_t bytes) {
  const auto found = std::ranges::lower_bound(lengths, bytes, {}, &SlotUses::Length::bytes);
  WEIR_CHECK(found != lengths.end() && found->bytes == bytes);
  if (--found->use_count == 0) lengths.erase(found);
}

}  // namespace

SlotUses& Vocabulary::uses_of(SlotId slot) {
  if (slot >= uses_.size()) uses_.resize(slot + 1);
  return uses_[slot];
}

void Vocabulary::change_use(const PointView& point, bool acquired) {
  SlotUses& uses = uses_of(point.slot);
  const auto change_length = acquired ? add_length : remove_length;
  switch (point.kind) {
    case PointView::Kind::kPresent:
      break;
    case PointView::Kind::kPrefix:
      return change_length(uses.prefixes, point.text.size());
    case PointView::Kind::kSuffix:
      return change_length(uses.suffixes, point.text.size());
    default:
      acquired ? ++uses.values : --uses.values;
  }
}

SlotId Vocabulary::acquire_slot(const filter::Operand& operand) {
  const SlotId slot = operands_.acquire(operand);
  uses_of(slot);
  return slot;
}

PointId Vocabulary::acquire_point(const PointView& point) {
  const PointId id = points_.acquire(point);
  change_use(point, true);
  if (point.kind == PointView::Kind::kPresent) uses_of(point.slot).present = id;
  operands_.acquire_again(point.slot);
  return id;
}

void Vocabulary::release_point(PointId id) {
  // Most are values, whose keys need not be looked at.
  if (const SlotId slot = points_.slot_of_value(id); slot != kNoId) {
    --uses_[slot].values;
    points_.release(id);
    return operands_.release(slot);
  }
  const SlotId slot = points_.view(id).slot;
  change_use(points_.view(id), false);
  if (points_.release(id) && uses_[slot].present == id) uses_[slot].present = kNoId;
  operands_.release(slot);
}

void Vocabulary::acquire_column(ColumnId column) {
  const SlotId slot = slot_of(column);
  SlotUses& uses = uses_of(slot);
  if (kind_of(column) == ColumnKind::kNumber) ++uses.numbers;
  if (kind_of(column) == ColumnKind::kTime) ++uses.times;
  operands_.acquire_again(slot);
}

void Vocabulary::release_column(ColumnId column) {
  const SlotId slot = slot_of(column);
  if (kind_of(column) == ColumnKind::kNumber) --uses_[slot].numbers;
  if (kind_of(column) == ColumnKind::kTime) --uses_[slot].times;
  operands_.release(slot);
}

std::size_t Vocabulary::memory_bytes() const {
  std::size_t bytes = operands_.memory_bytes() + points_.memory_bytes() + base::heap_bytes(uses_);
  for (const SlotUses& uses : uses_) {
    bytes += base::heap_bytes(uses.prefixes) + base::heap_bytes(uses.suffixes);
  }
  return bytes;
}

}  // namespace weir::match::content
