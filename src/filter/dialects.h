// SPDX-License-Identifier: Apache-2.0
// The filter dialects of the CloudEvents subscriptions draft: exact prefix suffix all any not sql
// (also named cesql), and our own, weir.
//
//   [{"exact":{"type":"quote"}}, {"any":[{"prefix":{"subject":"IN"}}, {"weir":"data.price > 20"}]}]
//
// The array is ANDed; each object has exactly one dialect. exact, prefix and suffix compare the
// attribute's text, whatever its type, and every attribute they name must agree. Nothing is
// skipped: an unknown dialect, an empty object or name, or a filter that does not parse is an error
// with its place in the JSON text.
#pragma once

#include <string_view>

#include "base/result.h"
#include "filter/ast.h"
#include "filter/limits.h"

namespace weir::filter {

// The JSON text of the `filters` member of a subscription; an empty array lets everything through.
base::Result<Parsed> parse_dialects(std::string_view json, const FilterLimits& limits = {});

// One CESQL expression as a filter.
base::Result<Parsed> parse_cesql(std::string_view text, const FilterLimits& limits = {});

}  // namespace weir::filter
