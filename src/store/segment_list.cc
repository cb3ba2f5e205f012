// SPDX-License-Identifier: Apache-2.0
#include "store/segment_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::store {

void SegmentList::push_back(SegmentPtr segment) {
  const std::lock_guard lock(mutex_);
  segments_.push_back(std::move(segment));
}

void SegmentList::pop_front() {
  const std::lock_guard lock(mutex_);
  segments_.erase(segments_.begin());
}

std::size_t SegmentList::size() const {
  const std::lock_guard lock(mutex_);
  return segments_.size();
}

SegmentList::SegmentPtr SegmentList::front() const {
  const std::lock_guard lock(mutex_);
  return segments_.front();
}

SegmentList::SegmentPtr SegmentList::back() const {
  const std::lock_guard lock(mutex_);
  return segments_.back();
}

SegmentList::SegmentPtr SegmentList::find(std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto later = std::upper_bound(segments_.begin(), segments_.end(), sequence,
                                      [](std::uint64_t wanted, const SegmentPtr& segment) {
                                        return wanted < segment->header().first_sequence;
                                      });
  return later == segments_.begin() ? nullptr : *std::prev(later);
}

SegmentList::SegmentPtr SegmentList::after(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto later = std::upper_bound(segments_.begin(), segments_.end(), number,
                                      [](std::uint64_t given, const SegmentPtr& segment) {
                                        return given < segment->header().number;
                                      });
  return later == segments_.end() ? nullptr : *later;
}

std::vector<SegmentList::SegmentPtr> SegmentList::all() const {
  const std::lock_guard lock(mutex_);
  return segments_;
}

std::uint64_t SegmentList::size_bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum_bytes = 0;
  for (const SegmentPtr& segment : segments_) sum_bytes += segment->end().bytes;
  return sum_bytes;
}

}  // namespace weir::store
