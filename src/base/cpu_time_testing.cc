// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_time_testing.h"

#include <ctime>

namespace weir::base {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace weir::base
