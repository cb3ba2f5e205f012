// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/or_summary.h"

#include <algorithm>

#include "base/check.h"

namespace weir::protocol::tree {

bool OrSummary::merge(std::string& into, std::string_view from, std::size_t bytes_max) const {
  WEIR_CHECK(is_valid(into) && is_valid(from));
  if (size_bytes_ > bytes_max) return false;
  std::ranges::transform(into, from, into.begin(), [](char a, char b) {
    return static_cast<char>(static_cast<unsigned char>(a) | static_cast<unsigned char>(b));
  });
  return true;
}

}  // namespace weir::protocol::tree
