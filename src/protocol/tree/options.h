// SPDX-License-Identifier: Apache-2.0
// AggregationOptions: which tree, how often its members speak, and how much they keep.
#pragma once

#include <cstddef>

#include "base/instant.h"
#include "protocol/ring.h"

namespace weir::protocol::tree {

struct AggregationOptions {
  Key root_key;  // its home is the root
  // A child that has nothing new says so after this long.
  base::Duration renewal_interval = base::Duration::seconds(2);
  // A child that was not heard for this long is none any more.
  base::Duration lease = base::Duration::seconds(7);
  // Changes that come sooner after a report, or a root's result, than this wait and go together.
  base::Duration change_interval = base::Duration::milliseconds(100);
  std::size_t child_count_max = 1024;
  std::size_t summary_bytes_max = 65'536;
};

}  // namespace weir::protocol::tree
