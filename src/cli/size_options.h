// SPDX-License-Identifier: Apache-2.0
// SizeOptions: what the command line of `weir size` asks for.
#pragma once

#include <cstdint>

#include "base/instant.h"

namespace weir::cli {

enum class SizeSubject : std::uint8_t {
  kDistinct,  // the keys of a time window
  kBloom,     // a set of keys that only grows
};

struct SizeOptions {
  SizeSubject subject = SizeSubject::kDistinct;
  double keys_per_second = 0;  // of distinct
  base::Duration window = {};  // of distinct
  double key_count = 0;        // of bloom; of distinct, the keys that are alive
  double false_positives = 0.001;
  bool json = false;
};

// More keys than any machine here remembers; figures stay exact below.
inline constexpr double kSizeKeyCountMax = 1e12;

}  // namespace weir::cli
