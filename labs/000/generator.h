// SPDX-License-Identifier: Apache-2.0
// Workloads made from a seed, for want of the paper's logs: as many events and as many distinct
// ones, and as skewed.
//
// The locality of the web log's clients is ours, the paper tells no figure of it: with chance
// own_repeat a request repeats one of the same client, with network_repeat one of its network, else
// it is drawn anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "000/workload.h"

namespace weir::lab {

struct SyntheticOptions {
  std::string name;
  std::size_t event_count = 100'000;
  std::size_t distinct_count = 5'700;  // about so many
  double exponent = 1.0;               // of Zipf's law; 0 is uniform
  std::uint64_t seed = 1;
};
// Independent draws, all of one client. Requires 1 <= distinct_count < event_count.
Workload make_synthetic(const SyntheticOptions& options);

struct WebLogOptions {
  std::size_t event_count = 100'000;
  std::size_t distinct_count = 16'850;
  std::size_t client_count = 2'500;
  double own_repeat = 0.25;
  double network_repeat = 0.15;
  std::uint64_t seed = 1;
};
// URLs by Zipf's law with exponent 1, clients with IPv4 addresses, busy ones and idle ones.
// Requires 1 <= distinct_count < event_count * (1 - own_repeat - network_repeat).
Workload make_web_log(const WebLogOptions& options);

}  // namespace weir::lab
