// SPDX-License-Identifier: Apache-2.0
#include "protocol/segment_map.h"

#include <algorithm>

#include "base/check.h"

namespace weir::protocol {

namespace {

// Returns a * b / divisor, rounded down. Requires a <= divisor.
std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b / divisor);
}

}  // namespace

SegmentMap::SegmentMap(const Ring& ring, const Options& options) : ring_(ring), options_(options) {
  WEIR_CHECK(options.length < ring.mask() && options.value_max >= 1);
}

Key SegmentMap::key_of(std::string_view source, std::uint64_t value) const {
  const std::uint64_t bounded = std::min(value, options_.value_max);
  return ring_.plus(ring_.key_of(source), scaled(bounded, options_.length, options_.value_max));
}

KeyArc SegmentMap::segment_of(std::string_view source) const {
  const Key first = ring_.key_of(source);
  return {.after = ring_.plus(first, ring_.mask()), .last = ring_.plus(first, options_.length)};
}

}  // namespace weir::protocol
