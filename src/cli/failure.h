// SPDX-License-Identifier: Apache-2.0
// Failure: an error together with where it came from, and how a command tells it.
//
//   weir: filter 2: line 1, column 8: expected a value, found '='
//     type = = 'quote'
//            ^
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/error.h"
#include "cli/output.h"

namespace weir::cli {

struct Failure {
  base::Error error;
  std::string what = {};  // which input: "filter 2", "stdin"; empty: the error says it all
  std::string text = {};  // the text that the position points into, to be shown; may be empty
};

// An error met while reading a file; one of the file itself names it already.
Failure file_failure(base::Error error, const std::string& name);

// A T, or why there is none.
template <typename T>
using Attempt = tl::expected<T, Failure>;

// For --json: {"error":{"number":201,"name":"filter.syntax","code":"invalid_input","what":...,
// "message":...,"line":1,"column":8}}; line and column only where there is a place.
std::string to_text(const Failure& failure);
std::string to_json(const Failure& failure);

// Writes the failure at once and gives the exit code for it.
int report(const Failure& failure, bool json, Output& err);

// Flushes the output; gives the exit code, or reports why it could not be written.
int finish(int code, bool json, Streams& streams);

}  // namespace weir::cli
