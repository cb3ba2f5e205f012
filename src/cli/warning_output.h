// SPDX-License-Identifier: Apache-2.0
// How commands tell warnings about filters on stderr: the command goes on.
//
//   weir: warning: filter: line 1, column 1: did you mean data.price? (bare_name)
//     price > 20
//     ^
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"
#include "event/json_document.h"
#include "filter/warning.h"

namespace weir::cli {

// Warnings about a filter with this text.
void tell_warnings(std::span<const filter::Warning> warnings, std::string_view text, bool json,
                   Output& err);
// The `warnings` of a broker's answer to a document with this text, if there are any.
void tell_warnings(const event::JsonRef& answer, std::string_view document, Output& err);

}  // namespace weir::cli
