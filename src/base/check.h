// SPDX-License-Identifier: Apache-2.0
// WEIR_CHECK: a condition that only a mistake in this program can break; on in every build.
#pragma once

namespace weir::base {

// Prints condition, place and (when one was set) the seed of the running test, then aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

// The seed that a failing check prints; set by whoever runs generated input.
void set_check_seed(unsigned long long seed);

}  // namespace weir::base

#define WEIR_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::weir::base::check_failed(#condition, __FILE__, __LINE__))
