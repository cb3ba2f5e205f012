// SPDX-License-Identifier: Apache-2.0
// The machine's clocks: the one place where the broker reads the time.
#pragma once

#include "base/instant.h"
#include "broker/broker_clock.h"

namespace weir::broker {

// Both clocks at one moment. The steady one also counts the time that the machine was suspended.
ClockReading system_clocks();

// The wall clock alone.
base::Instant system_now();

}  // namespace weir::broker
