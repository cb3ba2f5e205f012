// SPDX-License-Identifier: Apache-2.0
// What `./bench FAMILY --data DIR` has prepared, in the folder that WEIR_BENCH_DATA names.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace weir::match {

// The lines of a file there, the first ones if there are more. It must be there.
std::vector<std::string> bench_lines(
    std::string_view name, std::size_t count_max = std::numeric_limits<std::size_t>::max());

// Whether there is such a folder: without it a benchmark has nothing to measure.
bool has_bench_data();

}  // namespace weir::match
