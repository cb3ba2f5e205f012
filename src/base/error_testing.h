// SPDX-License-Identifier: Apache-2.0
// Errors for tests: one line that tells all of an error, so that one comparison checks it.
#pragma once

#include <string>

#include "base/result.h"

namespace weir::base {

// "json.syntax 1:7@6 expected ...": name, line, column, byte offset, message. Without a position
// the place is "-".
std::string describe(const Error& error);

// The same of a result; "ok" if there is no error.
template <typename T>
std::string describe(const Result<T>& result) {
  return result ? "ok" : describe(result.error());
}

}  // namespace weir::base
