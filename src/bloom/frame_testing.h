// SPDX-License-Identifier: Apache-2.0
// Bytes of saved filters, for tests and fuzzers of their formats.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "bloom/frame.h"

namespace weir::bloom {

// The bytes of the line "name hex" in formats_v1.txt. Aborts if there is none.
std::string golden_frame(std::string_view name);
std::string to_hex(std::string_view bytes);

// A frame with this body, whose checksum is right; and the body of one.
std::string framed(FrameKind kind, std::string_view body);
std::string_view body_of(std::string_view frame);

// The filter, or nothing if the bytes are refused. Aborts if they are refused for another reason
// than damage, or if the filter would be saved as other bytes.
template <typename Filter>
std::optional<Filter> restored_or_refused(std::string_view bytes) {
  auto filter = Filter::restore(bytes);
  if (!filter) {
    WEIR_CHECK(filter.error().id == base::ErrorId::kStoreCorrupt);
    return std::nullopt;
  }
  WEIR_CHECK(filter->save() == bytes);
  return std::move(*filter);
}

// Every body that is cut short or has one bit changed, under a checksum that is right; how many
// of them were restored.
template <typename Filter>
std::size_t try_damaged_bodies(FrameKind kind, std::string_view frame) {
  const std::string body(body_of(frame));
  std::size_t restored_count = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    WEIR_CHECK(!restored_or_refused<Filter>(framed(kind, body.substr(0, i))));
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = body;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      restored_count += restored_or_refused<Filter>(framed(kind, changed)) ? 1U : 0U;
    }
  }
  return restored_count;
}

}  // namespace weir::bloom
