// SPDX-License-Identifier: Apache-2.0
// MomentQueue: what is to be looked at and when, the earliest first.
//
// Nothing is taken out of the middle: whoever looks knows whether a moment is still of use. tidy()
// keeps those that are not from becoming the most. Adding costs little if most moments are later
// than those that are there, taking the first one a logarithm. Single-threaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "match/change/moment.h"

namespace weir::match {

class MomentQueue {
 public:
  bool is_empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // Requires that there is one.
  const Moment& first() const { return heap_.front(); }
  void push(Moment moment) {
    heap_.push_back(moment);
    std::ranges::push_heap(heap_, std::greater());
  }
  Moment pop() {
    std::ranges::pop_heap(heap_, std::greater());
    const Moment moment = heap_.back();
    heap_.pop_back();
    return moment;
  }
  // Drops whatever is not of use, and what is there twice, if there are many more than these.
  template <typename IsOfUse>
  void tidy(std::size_t used_count, const IsOfUse& is_of_use) {
    if (heap_.size() <= 2 * used_count + kSpareCount) return;
    std::erase_if(heap_, [&](const Moment& moment) { return !is_of_use(moment); });
    std::ranges::sort(heap_);
    const auto repeated = std::ranges::unique(heap_);
    heap_.erase(repeated.begin(), repeated.end());
  }

  std::size_t memory_bytes() const { return heap_.capacity() * sizeof(Moment); }

 private:
  static constexpr std::size_t kSpareCount = 64;

  std::vector<Moment> heap_;  // sorted is a heap as well
};

}  // namespace weir::match
