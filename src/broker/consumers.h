// SPDX-License-Identifier: Apache-2.0
// SharedConsumers: how several consumers share a subscription, read from `config.consumers`.
//
//   "consumers": "exclusive"                     the default: one at a time, a new one takes over
//   "consumers": "shared"
//   "consumers": {"mode": "shared",              each delivery goes to one of them
//                 "by": "subject",               optional: deliveries with one value here stay in
//                                                order, the next goes out when the one before is
//                                                settled
//                 "acknowledge_within": "30s",   then a delivery goes to another consumer
//                 "in_flight": 1000,             unacknowledged deliveries of one consumer, at most
//                 "attempts": 5}                 optional: then a delivery becomes a dead letter
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "event/json_document.h"
#include "event/path.h"

namespace weir::broker {

struct ConsumerLimits {
  base::Duration acknowledge_within_min = base::Duration::milliseconds(100);
  base::Duration acknowledge_within_max = base::Duration::seconds(std::int64_t{24} * 3600);
  std::size_t in_flight_max = 10'000;
  std::size_t attempt_count_max = 1000;
};

// How long a negative acknowledgement may hold a delivery back.
inline constexpr base::Duration kNackDelayMax = base::Duration::seconds(std::int64_t{24} * 3600);

struct SharedConsumers {
  std::optional<event::Path> by = {};
  base::Duration acknowledge_within = base::Duration::seconds(30);
  std::size_t in_flight_max = 1000;
  std::optional<std::uint64_t> attempt_count_max = {};

  bool operator==(const SharedConsumers&) const = default;
};

// Nullopt: exclusive. The offset of an error's position is one in the value's document.
base::Result<std::optional<SharedConsumers>> read_consumers(const event::JsonRef& value,
                                                            const ConsumerLimits& limits);

// The delay of a negative acknowledgement, such as 5s; nullopt if it is none or beyond the limit.
std::optional<base::Duration> parse_nack_delay(std::string_view text);

}  // namespace weir::broker
