// SPDX-License-Identifier: Apache-2.0
// The words after `about`, taken apart: words, "phrases" and what is excluded by a minus.
//
// A minus or a double quote is special at the beginning of a word only, that is at the start or
// after a blank, a quote also after such a minus; so well-known and 6" are words. What a word is
// inside a part is said by the analysis of texts.
//
//   storm "flash flood" -sport -"stock market"
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::filter {

struct TextPart {
  std::string_view text;  // without minus and quotes, a view into what was split; not empty
  bool phrase = false;
  bool excluded = false;

  bool operator==(const TextPart&) const = default;
};

// In the order written. Fails with the position in `words` for a quote that is not closed, an empty
// phrase, a minus or quote without a blank where one must be, too many phrases, and if all is
// excluded.
base::Result<std::vector<TextPart>> split_words(std::string_view words);

}  // namespace weir::filter
