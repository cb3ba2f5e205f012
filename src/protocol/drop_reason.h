// SPDX-License-Identifier: Apache-2.0
// DropReason: the reason why a member ignored an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::protocol {

enum class DropReason : std::uint8_t {
  kMalformed,  // no encoder writes these bytes
  kVersion,    // unknown version
  kUnknown,    // unknown kind of message
  kNonsense,   // well-formed, but no honest member sends it
  kStale,      // an answer that comes too late, or news that is known already
  kTooFar,     // relayed too often
  kLimit,      // a named limit is reached
  kHomeless,   // no way to the home is known
};
inline constexpr std::size_t kDropReasonCount = 8;

std::string_view to_string(DropReason reason);

}  // namespace weir::protocol
