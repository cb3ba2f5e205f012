// SPDX-License-Identifier: Apache-2.0
// AggregationOptions: the tree, its intervals and its limits.
#pragma once

#include <cstddef>

#include "base/instant.h"
#include "protocol/ring.h"

namespace weir::protocol::tree {

struct AggregationOptions {
  Key root_key;  // its home is the root
  // A child without changes renews its report after this time.
  base::Duration renewal_interval = base::Duration::seconds(2);
  // A parent forgets a child that was not heard for this time.
  base::Duration lease = base::Duration::seconds(7);
  // The shortest time between two reports, or two results of the root. Changes in between go
  // together.
  base::Duration change_interval = base::Duration::milliseconds(100);
  std::size_t child_count_max = 1024;
  std::size_t summary_bytes_max = 65'536;
};

}  // namespace weir::protocol::tree
