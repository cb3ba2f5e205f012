// SPDX-License-Identifier: Apache-2.0
// Any text is refused with a line of its own, or written back as it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "match/corpus_counts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto counts = weir::match::parse_corpus_counts(text);
  if (counts) {
    WEIR_CHECK(to_text(*counts) == text);
    return 0;
  }
  const std::uint64_t line = counts.error().position->line;
  WEIR_CHECK(line >= 1);
  WEIR_CHECK(line <= static_cast<std::uint64_t>(std::ranges::count(text, '\n')) + 1);
  return 0;
}
