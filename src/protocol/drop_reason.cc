// SPDX-License-Identifier: Apache-2.0
#include "protocol/drop_reason.h"

#include <array>

namespace weir::protocol {

std::string_view to_string(DropReason reason) {
  static constexpr std::array<std::string_view, kDropReasonCount> kNames{
      "malformed", "version", "unknown", "nonsense", "stale", "too far", "limit", "homeless"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace weir::protocol
