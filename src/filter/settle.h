// SPDX-License-Identifier: Apache-2.0
// settle: which elements decide a predicate on paths with [*].
#pragma once

#include <cstddef>
#include <optional>

#include "event/event.h"
#include "filter/ast.h"

namespace weir::filter {

// So many values of a path are tried.
inline constexpr std::size_t kSettledValueCountMax = 1024;

// The predicate with an index in place of each [*], so that it still holds for the event; of
// several such elements the first. Nothing if the predicate does not hold, or if it holds for none
// of the first kSettledValueCountMax values. Requires a predicate with operands or a path.
std::optional<Predicate> settle(const Predicate& predicate, const event::Event& event);

}  // namespace weir::filter
