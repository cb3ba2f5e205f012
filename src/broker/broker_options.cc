// SPDX-License-Identifier: Apache-2.0
#include "broker/broker_options.h"

#include <chrono>

namespace weir::broker {

base::Instant system_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

}  // namespace weir::broker
