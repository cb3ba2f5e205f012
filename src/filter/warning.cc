// SPDX-License-Identifier: Apache-2.0
#include "filter/warning.h"

#include <array>

namespace weir::filter {
namespace {

constexpr std::array<std::string_view, kWarningIdCount> kNames = {
    "near_name",           "bare_name",     "string_attribute",  "null",
    "quoted_string",       "core_type",     "timestamp_pattern", "empty_range",
    "every_reading",       "never_crossed", "never_changes",     "always_changes",
    "silence_within_pace", "cesql_mixture", "cesql_not",         "cesql_data"};

}  // namespace

std::string_view to_string(WarningId id) { return kNames[static_cast<std::size_t>(id)]; }

}  // namespace weir::filter
