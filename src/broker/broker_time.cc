// SPDX-License-Identifier: Apache-2.0
#include "broker/broker_time.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/bytes.h"

namespace weir::broker {
namespace {

constexpr std::string_view kName = "broker_time";

}  // namespace

base::Instant BrokerTime::now() {
  const std::scoped_lock lock(mutex_);
  return clock_.advance(read_());
}

base::Instant BrokerTime::age_now() {
  const std::scoped_lock lock(mutex_);
  clock_.advance(read_());
  return clock_.age_now();
}

BrokerTime::Status BrokerTime::status() {
  const std::scoped_lock lock(mutex_);
  clock_.advance(read_());
  return {.steps = clock_.steps(), .offset = clock_.offset()};
}

store::SharedState stored_time(base::Instant now) {
  base::ByteWriter writer;
  writer.u64(std::bit_cast<std::uint64_t>(now.nanoseconds));
  return {.name = std::string(kName), .state = writer.take()};
}

base::Result<base::Instant> read_stored_time(const std::vector<store::SharedState>& states) {
  const auto found = std::ranges::find(states, kName, &store::SharedState::name);
  if (found == states.end()) return base::Instant{std::numeric_limits<std::int64_t>::min()};
  base::ByteReader reader(found->state);
  const auto nanoseconds = std::bit_cast<std::int64_t>(reader.u64());
  if (reader.done()) return base::Instant{nanoseconds};
  return base::Error{base::ErrorId::kStoreCorrupt,
                     "the registry's shared state 'broker_time' is not 8 bytes: restore a backup",
                     std::nullopt};
}

}  // namespace weir::broker
