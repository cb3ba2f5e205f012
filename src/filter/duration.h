// SPDX-License-Identifier: Apache-2.0
// Durations as filters write them: 500ms, 10m, 1h30m, 7d. Units: ns us ms s m h d w.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace weir::filter {

// The duration at the start of `text`: one or more whole numbers, each followed by a unit, the
// whole below 292 years. Nothing if there is none or it does not end where a word would end.
struct DurationPrefix {
  base::Duration duration;
  std::size_t length_bytes;
};
std::optional<DurationPrefix> parse_duration_prefix(std::string_view text);

// The canonical text, largest units first: 5400 s is 1h30m.
std::string to_text(base::Duration duration);

}  // namespace weir::filter
