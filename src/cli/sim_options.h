// SPDX-License-Identifier: Apache-2.0
// SimOptions: what the command line of `weir sim` asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/ring.h"

namespace weir::cli {

struct SimOptions {
  std::vector<std::string> paths;     // of scenarios, at least one
  std::optional<std::uint64_t> seed;  // in place of each scenario's own
  std::uint64_t seed_count = 1;       // this many, one after another
  std::optional<protocol::Key> trace_key;
  std::string svg_directory;  // empty: no plots
  bool json = false;
};

inline constexpr std::uint64_t kSimSeedsMax = 1'000'000;

}  // namespace weir::cli
