// SPDX-License-Identifier: Apache-2.0
// SegmentMap: the stateless mapping of paper 002, h(x, d) = h1(x) + h2(d): what belongs to one
// source lies on one segment of the ring, in the order of its value.
//
// h1 is the SHA-1 of the source's name; h2(d) = a * d with a = L / max(d), exact and rounded down,
// so that h2 does not fall as d grows, h2(0) = 0 and h2(max) = L. Values beyond max are at L. No
// state and no global knowledge: every member maps alike.
//
//   const SegmentMap map(ring, {.length = ring.mask() / 1000, .value_max = 500});
//   map.key_of("quotes/INTC", 20);   // the same on every member
//   map.segment_of("quotes/INTC");   // holds every key of this source
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/ring.h"

namespace weir::protocol {

class SegmentMap {
 public:
  struct Options {
    std::uint64_t length = 0;     // L in the paper, in steps: less than the ring has
    std::uint64_t value_max = 1;  // max(d) in the paper: at least 1
  };

  // Requires length < ring.mask() and value_max >= 1.
  SegmentMap(const Ring& ring, const Options& options);

  // Where a value of a source lives; values of [from, to] lie on the arc between their keys.
  Key key_of(std::string_view source, std::uint64_t value) const;
  // All keys of a source: L + 1 of them.
  KeyArc segment_of(std::string_view source) const;

 private:
  Ring ring_;
  Options options_;
};

}  // namespace weir::protocol
