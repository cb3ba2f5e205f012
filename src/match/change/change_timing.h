// SPDX-License-Identifier: Apache-2.0
// ChangeTiming: the modifiers of a change that have to do with time.
#pragma once

#include <optional>

#include "base/instant.h"

namespace weir::match {

struct ChangeTiming {
  std::optional<base::Duration> silent_for = std::nullopt;
  std::optional<base::Duration> at_most_every = std::nullopt;

  bool is_any() const { return silent_for.has_value() || at_most_every.has_value(); }
  bool operator==(const ChangeTiming&) const = default;
};

}  // namespace weir::match
