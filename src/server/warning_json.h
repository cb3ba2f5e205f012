// SPDX-License-Identifier: Apache-2.0
// Warnings about filters as the API tells them:
//
//   {"name":"near_name","message":"...","position":{"line":1,"column":1,"offset":0},"filter":0}
//
// `filter` is the index in `filters`. A stream tells them in header fields, which are short and
// visible ASCII: at most kWarningFieldCountMax of them, the last of which counts the others if
// there are more.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/definition_warning.h"

namespace weir::server {

using Warnings = std::span<const broker::DefinitionWarning>;

inline constexpr std::string_view kWarningField = "Weir-Warning";
inline constexpr std::size_t kWarningFieldCountMax = 16;

// An array.
void append_warnings(Warnings warnings, std::string& out);
// The values of header fields, each an object.
std::vector<std::string> warning_fields(Warnings warnings);

}  // namespace weir::server
