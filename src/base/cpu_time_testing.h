// SPDX-License-Identifier: Apache-2.0
// The clock of benchmarks: CPU time of the calling thread, which other programs do not lengthen.
#pragma once

namespace weir::base {

double thread_cpu_seconds();

template <typename Work>
double seconds_of(Work&& work) {
  const double begin = thread_cpu_seconds();
  work();
  return thread_cpu_seconds() - begin;
}

}  // namespace weir::base
