// SPDX-License-Identifier: Apache-2.0
// The workloads W1 and W2 of content matching: generated conjunctions and events, with checksums.
//
// Twenty attributes data.a0 to data.a19, which filters use with Zipf's frequencies, two to five at
// a time. Those of type enum have Zipf-distributed values and are compared with =, the others have
// uniform integers below 10 000 and are asked to lie in a range 500 to 1 500 wide.
//
//   data.a0 = 17 and data.a3 between 4711 and 5500
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "event/event.h"

namespace weir::match {

enum class ContentWorkload : std::uint8_t {
  kW1,  // attributes with an even number are enums of 200 values
  kW2,  // four of five attributes are enums of 1 000 values
};

// The same for every count, as far as both go. Filters are in the weir language.
std::vector<std::string> content_filters(ContentWorkload workload, std::size_t count);
std::vector<event::EventPtr> content_events(ContentWorkload workload, std::size_t count);

// What the match of an event and a filter, both by index, adds to the checksum.
std::uint64_t content_match_mix(std::uint64_t event_index, std::uint64_t filter_index);

}  // namespace weir::match
