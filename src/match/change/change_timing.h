// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/instant.h"

namespace weir::match {

// What time does to a change; nothing by itself.
struct ChangeTiming {
  std::optional<base::Duration> silent_for = std::nullopt;
  std::optional<base::Duration> at_most_every = std::nullopt;

  bool is_any() const { return silent_for.has_value() || at_most_every.has_value(); }
  bool operator==(const ChangeTiming&) const = default;
};

}  // namespace weir::match
