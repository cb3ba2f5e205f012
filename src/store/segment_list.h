// SPDX-License-Identifier: Apache-2.0
// SegmentList: the segments of the log, oldest first; never empty once the log is open.
//
// Threads: any. Segments are shared: one that is taken off the list lives on with its readers.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "store/segment.h"

namespace weir::store {

class SegmentList {
 public:
  using SegmentPtr = std::shared_ptr<Segment>;

  void push_back(SegmentPtr segment);
  void pop_front();

  std::size_t size() const;
  SegmentPtr front() const;
  SegmentPtr back() const;
  // The one that has the event, or would have it; null if it is older than all.
  SegmentPtr find(std::uint64_t sequence) const;
  // The first with a higher number, or null.
  SegmentPtr after(std::uint64_t number) const;

  std::vector<SegmentPtr> all() const;
  std::uint64_t size_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<SegmentPtr> segments_;
};

}  // namespace weir::store
