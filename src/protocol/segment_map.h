// SPDX-License-Identifier: Apache-2.0
// SegmentMap: the stateless mapping of paper 002, h(x, d) = h1(x) + h2(d): the values of one source
// lie on one segment of the ring, in their order.
//
// h1 is the SHA-1 of the source's name; h2(d) = a * d with a = L / max(d), exact and rounded down,
// so h2 never falls as d grows, h2(0) = 0 and h2(max) = L. Values beyond max map to L. The map
// needs no state and no global knowledge: all members map alike.
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

  // Returns the key of a value. The values of [from, to] lie on the arc between the keys of both.
  Key key_of(std::string_view source, std::uint64_t value) const;
  // Returns the L + 1 keys of a source.
  KeyArc segment_of(std::string_view source) const;

 private:
  Ring ring_;
  Options options_;
};

}  // namespace weir::protocol
