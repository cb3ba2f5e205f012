// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace weir::base {
namespace {

// One per process and written before the work it describes: it only ever feeds a last message.
thread_local unsigned long long check_seed = 0;

}  // namespace

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s (seed %llu)\n", file, line, condition, check_seed);
  std::abort();
}

void set_check_seed(unsigned long long seed) { check_seed = seed; }

}  // namespace weir::base
