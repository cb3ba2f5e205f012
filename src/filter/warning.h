// SPDX-License-Identifier: Apache-2.0
// Warning: something in a filter that is allowed but probably not meant, with its place in the
// text. Its name never changes; docs/filters.md has all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weir::filter {

enum class WarningId : std::uint8_t {
  kNearName,
  kBareName,
  kStringAttribute,
  kNull,
  kQuotedString,
  kCoreType,
  kTimestampPattern,
  kEmptyRange,
  kEveryReading,
  kNeverCrossed,
  kNeverChanges,
  kAlwaysChanges,
  kSilenceWithinPace,
  kCesqlMixture,
  kCesqlNot,
  kCesqlData,
};
inline constexpr std::size_t kWarningIdCount = 16;

// The stable short name, such as "bare_name".
std::string_view to_string(WarningId id);

struct Warning {
  WarningId id;
  base::Position position;
  std::string message;

  std::string_view name() const { return to_string(id); }
};

}  // namespace weir::filter
