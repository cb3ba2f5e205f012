// SPDX-License-Identifier: Apache-2.0
// Any bytes as a note on matches: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "broker/match_note.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::broker::MatchNoteWriter;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto note = weir::broker::decode_match_note(bytes);
  if (!note) return 0;
  MatchNoteWriter writer;
  for (const auto& match : note->matches) {
    writer.add(match.subscription, match.delivery, match.sequences, match.annotation);
  }
  const auto again = weir::broker::decode_match_note(writer.finish(note->complete));
  WEIR_CHECK(again && *again == *note);
  return 0;
}
