// SPDX-License-Identifier: Apache-2.0
// Any bytes as a note on matches: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/check.h"
#include "broker/match_note.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::broker::MatchNoteWriter;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto note = weir::broker::decode_match_note(bytes);
  if (!note) return 0;
  MatchNoteWriter writer(0, std::numeric_limits<std::size_t>::max());
  for (const auto& match : note->matches) {
    writer.add(match.subscription, match.delivery,
               {.sequences = match.sequences,
                .text = match.text,
                .is_group = match.is_group,
                .repeated = match.repeated});
  }
  const auto end = note->complete  ? MatchNoteWriter::End::kComplete
                   : note->partial ? MatchNoteWriter::End::kPartial
                                   : MatchNoteWriter::End::kAlone;
  const auto again = weir::broker::decode_match_note(writer.finish(end).front());
  WEIR_CHECK(again && *again == *note);
  return 0;
}
