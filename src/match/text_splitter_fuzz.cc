// SPDX-License-Identifier: Apache-2.0
// Any bytes have the words that ICU finds in them, and with a small limit of stretches words in
// ascending order, none of them empty. The first byte chooses the limit.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "match/text_splitter.h"

namespace {

using weir::match::TextRange;
using weir::match::TextSplitter;
using weir::match::TextSplitting;

std::vector<TextRange> split(const TextSplitting& options, std::string_view text) {
  TextSplitter splitter = TextSplitter::create(options).value();
  std::vector<TextRange> all;
  std::vector<TextRange> some;
  splitter.start(text);
  for (splitter.next(some); !some.empty(); splitter.next(some)) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  WEIR_CHECK(split({.stretch_bytes_max = kNoLimit}, text) ==
             split({.icu_alone = true, .stretch_bytes_max = kNoLimit}, text));
  std::size_t end = 0;
  for (const TextRange range : split({.stretch_bytes_max = std::size_t{4} + data[0]}, text)) {
    WEIR_CHECK(range.begin >= end && range.end > range.begin);
    end = range.end;
  }
  WEIR_CHECK(end <= text.size());
  return 0;
}
