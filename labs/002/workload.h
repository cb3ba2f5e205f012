// SPDX-License-Identifier: Apache-2.0
// Workload: streams of integers, as the experiments of paper 002 read them. One stream is one
// source's values in the order of time.
//
// Read from lines of values with blanks between them, one line for each source, or made by
// generator.h:
//
//   1250 1250 1248 1251
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::lab {

using Value = std::int64_t;  // the paper converts all data to integers
using Stream = std::vector<Value>;

// So that differences of values, and twice a threshold, always fit.
inline constexpr Value kValueMax = Value{1} << 40;

struct Workload {
  std::string name;
  std::vector<Stream> streams = {};
};

// Fails with kCliFile where a line is not one or more integers of at most kValueMax, or there is no
// line.
base::Result<Workload> parse_workload(std::string_view name, std::string_view text);
base::Result<Workload> read_workload(std::string_view name, const std::string& file_name);

}  // namespace weir::lab
