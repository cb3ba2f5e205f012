// SPDX-License-Identifier: Apache-2.0
// Filters that remember, and streams that make them, for tests of saved states.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"
#include "engine/engine.h"

namespace weir::engine {

base::Instant at_second(std::int64_t seconds);

// Every kind of memory, alone and together; a few filters remember nothing of their own.
std::span<const char* const> remembering_filters();

// An event to publish, or without one an instant to advance to.
struct Step {
  event::EventPtr event;
  base::Instant now;
};

// Events in ascending sequence; a few instants go back.
std::vector<Step> random_steps(base::Prng& prng, std::size_t count);

std::span<const Delivery> take(Engine& engine, const Step& step);

// "a#7,b#8": the ids and sequences of the events.
std::string shown_events(const Delivery& delivery);

// The bytes with another body, whose checksum is right.
std::string with_body(std::string_view bytes, std::string_view body);
std::string_view body_of(std::string_view bytes);

}  // namespace weir::engine
