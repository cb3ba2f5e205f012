// SPDX-License-Identifier: Apache-2.0
// What every saved state begins and ends with, so that damage and mix-ups are noticed.
//
//   u8 kind   u8 version   u64 owner   body   u64 XXH3 of all before
//
// The owner tells whose it is: a subscription's state has the XXH3 of its filter's shape, up to
// version 2 of its canonical text; corpora have 0. Bodies: docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::engine {

enum class CheckpointKind : std::uint8_t { kSubscription = 'S', kText = 'T' };

struct CheckpointHead {
  CheckpointKind kind;
  std::uint64_t owner = 0;
  std::uint64_t old_owner = 0;  // in version 1 and 2
};

// Version 1 of a subscription's state had exact windows only, versions 1 and 2 no instants of a
// key's last reading, versions 1 to 3 no events that a composite may deliver again.
inline constexpr std::uint8_t kSubscriptionVersion = 4;
// Version 1 of corpora had one language and no epochs, versions 1 and 2 no visibility.
inline constexpr std::uint8_t kTextVersion = 3;

struct CheckpointBody {
  std::uint8_t version = 0;
  std::string_view bytes;
};

// The body is to be written next.
base::ByteWriter begin_checkpoint(const CheckpointHead& head);
std::string finish_checkpoint(base::ByteWriter writer);

// The body, a view into the bytes, of this version or an earlier one. Fails with kStoreCorrupt.
base::Result<CheckpointBody> open_checkpoint(const CheckpointHead& head, std::string_view bytes);

// `why` goes on after "the saved state", as in "is cut short".
base::Error corrupt_checkpoint(CheckpointKind kind, std::string_view why);

}  // namespace weir::engine
