// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/site_table.h"

#include <cstdint>

#include "base/check.h"

namespace weir::runtime::sim {

base::Duration SiteTable::latency(protocol::NodeId from, protocol::NodeId to,
                                  base::Prng& prng) const {
  WEIR_CHECK(!is_empty() && round_trips.size() == site_count * site_count);
  const base::Duration round_trip = round_trips[(site_of(from) * site_count) + site_of(to)];
  const std::int64_t one_way = round_trip.nanoseconds / 2;
  const std::int64_t jitter_max = one_way / jitter.denominator * jitter.numerator;
  if (jitter_max == 0) return {one_way};
  return {one_way +
          static_cast<std::int64_t>(prng.next() % (static_cast<std::uint64_t>(jitter_max) + 1))};
}

}  // namespace weir::runtime::sim
