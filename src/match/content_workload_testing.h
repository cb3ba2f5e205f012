// SPDX-License-Identifier: Apache-2.0
// The workloads W1 and W2 of content matching: generated conjunctions and events, with checksums,
// and the flat scan that matchers are compared with.
//
// Twenty attributes data.a0 to data.a19, which filters use with Zipf's frequencies, two to five at
// a time. Those of type enum have Zipf-distributed values and are compared with =, the others have
// uniform integers below 10 000 and are asked to lie in a range 500 to 1 500 wide.
//
//   data.a0 = 17 and data.a3 between 4711 and 5500
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "event/event.h"
#include "filter/filter.h"

namespace weir::match {

enum class ContentWorkload : std::uint8_t {
  kW1,  // attributes with an even number are enums of 200 values
  kW2,  // four of five attributes are enums of 1 000 values
};

inline constexpr std::size_t kContentAttributeCount = 20;
// Filters may also speak of data.a20 and so on, up to here.
inline constexpr std::size_t kContentAttributeCountMax = 200;

struct ContentPredicate {
  std::uint32_t attribute;
  bool is_range;
  std::uint32_t low;
  std::uint32_t high;  // equal to low unless it is a range
};
using ContentConjunction = std::vector<ContentPredicate>;
using ContentRow = std::array<std::uint32_t, kContentAttributeCount>;

// The same for every count, as far as both go.
std::vector<ContentConjunction> content_conjunctions(ContentWorkload workload, std::size_t count);
std::vector<ContentRow> content_rows(ContentWorkload workload, std::size_t count);
// The values of enums in the reverse order of their frequencies.
std::vector<ContentRow> reversed(ContentWorkload workload, std::vector<ContentRow> rows);
// Enums with an even number, or those with an odd one, always have the same value.
enum class ContentHalf : std::uint8_t { kEven, kOdd };
std::vector<ContentRow> half_fixed(ContentWorkload workload, std::vector<ContentRow> rows,
                                   ContentHalf fixed);

std::string to_text(const ContentConjunction& conjunction);
filter::FilterPtr to_filter(const ContentConjunction& conjunction);
event::EventPtr to_event(const ContentRow& row);
std::vector<event::EventPtr> to_events(const std::vector<ContentRow>& rows);

// What the match of an event and a filter, both by index, adds to the checksum.
std::uint64_t content_match_mix(std::uint64_t event_index, std::uint64_t filter_index);

// The baseline: all predicates one after the other, 16 bytes each, until one of a conjunction
// fails.
class FlatScan {
 public:
  void add(const ContentConjunction& conjunction);
  // Appends the indexes of the conjunctions that hold.
  void match(const ContentRow& row, std::vector<std::uint32_t>& matches) const;

 private:
  struct Predicate {
    std::uint32_t is_last;
    std::uint32_t attribute;
    std::uint32_t low;
    std::uint32_t span;
  };
  std::vector<Predicate> predicates_;
};

}  // namespace weir::match
