// SPDX-License-Identifier: Apache-2.0
// What the bytes of every structure begin and end with, so that damage and mix-ups are noticed.
//
//   u8 kind   u8 version   body   u64 XXH3 of all before
//
// Bodies: docs/formats/bloom.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::bloom {

enum class FrameKind : std::uint8_t {
  kClassic = 'C',
  kBlock = 'B',
  kTimer = 'T',
  kGenerational = 'G',
  kGrowing = 'W',
  kElastic = 'E',
  kCompressed = 'Z',
};

inline constexpr std::uint8_t kFrameVersion = 1;

// The body is to be written next.
base::ByteWriter begin_frame(FrameKind kind);
std::string finish_frame(base::ByteWriter writer);
// The same behind other bytes; gives where it begins, for the end.
std::size_t begin_frame(FrameKind kind, base::ByteWriter& writer);
void finish_frame(std::size_t begun, base::ByteWriter& writer);

// The body, a view into the bytes. Fails with kStoreCorrupt.
base::Result<std::string_view> open_frame(FrameKind kind, std::string_view bytes);

// `why` goes on after "the saved filter", as in "is cut short".
base::Error corrupt_frame(FrameKind kind, std::string_view why);

}  // namespace weir::bloom
