// SPDX-License-Identifier: Apache-2.0
// DropReason: why a member ignored an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::protocol {

enum class DropReason : std::uint8_t {
  kMalformed,  // bytes that no encoder wrote
  kVersion,    // of a version that is not understood
  kUnknown,    // of a kind that is not understood
  kNonsense,   // well-formed, but nothing that an honest member would say
  kStale,      // an answer that nobody waits for any more, or news that is no news
  kTooFar,     // relayed too often
  kLimit,      // a named limit is reached
  kHomeless,   // no way to its home is known
};
inline constexpr std::size_t kDropReasonCount = 8;

std::string_view to_string(DropReason reason);

}  // namespace weir::protocol
