// SPDX-License-Identifier: Apache-2.0
// Generated events for benchmarks and tests: the same seed gives the same texts on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "base/prng.h"

namespace weir::event {

// A stock quote of about 300 bytes in JSON format: one of eight symbols as subject, JSON data with
// symbol, price (10 to 910), size, venue, bid, ask, currency and flag. `n` makes its id and, ten to
// a second, its time.
std::string quote_event_json(base::Prng& prng, std::uint64_t n);

}  // namespace weir::event
