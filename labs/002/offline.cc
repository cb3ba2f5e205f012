// SPDX-License-Identifier: Apache-2.0
#include "002/offline.h"

#include <algorithm>

namespace weir::lab {
namespace {

// The least and the greatest of some values.
struct Span {
  Value low;
  Value high;

  explicit Span(Value value) : low(value), high(value) {}
  void add(Value value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Value width() const { return high - low; }
  bool is_within(Value distance, Value value) const {
    return high - value <= distance && value - low <= distance;
  }
};

// The first item that is within the threshold of all behind it.
std::size_t first_dominating(std::span<const Value> stream, Value threshold) {
  std::size_t found = stream.size() - 1;
  Span behind(stream.back());
  for (std::size_t i = stream.size(); i-- > 0;) {
    behind.add(stream[i]);
    if (behind.width() > 2 * threshold) break;  // nor is anything before
    if (behind.is_within(threshold, stream[i])) found = i;
  }
  return found;
}

}  // namespace

bool conforms(std::span<const Value> stream, std::span<const std::size_t> delivered,
              Value threshold) {
  if (delivered.empty() || delivered.front() != 0) return stream.empty() && delivered.empty();
  for (std::size_t m = 0; m < delivered.size(); ++m) {
    const std::size_t end = m + 1 < delivered.size() ? delivered[m + 1] : stream.size();
    if (delivered[m] >= end || end > stream.size()) return false;
    for (std::size_t t = delivered[m]; t < end; ++t) {
      if (!Span(stream[t]).is_within(threshold, stream[delivered[m]])) return false;
    }
  }
  return true;
}

std::vector<std::size_t> global_opt(std::span<const Value> stream, Value threshold) {
  std::vector<std::size_t> delivered;
  for (std::size_t end = stream.size(); end > 0; end = delivered.back()) {
    delivered.push_back(first_dominating(stream.first(end), threshold));
  }
  std::ranges::reverse(delivered);
  return delivered;
}

std::size_t free_value_count(std::span<const Value> stream, Value threshold) {
  if (stream.empty()) return 0;
  std::size_t count = 1;
  Span covered(stream.front());
  for (const Value value : stream) {
    covered.add(value);
    if (covered.width() <= 2 * threshold) continue;
    covered = Span(value);
    ++count;
  }
  return count;
}

}  // namespace weir::lab
