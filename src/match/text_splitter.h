// SPDX-License-Identifier: Apache-2.0
// TextSplitter: where the words of a text are, by the root rules of ICU (UAX 29, with dictionaries
// for Chinese, Japanese, Thai, Lao, Khmer and Burmese). Segments without a letter, number, kana or
// ideograph are no words, nor are letters that U+200D joins to a pictograph.
//
// Text that TextCharacters knows is split by table. At a character that it does not know, ICU
// splits a stretch, from the last boundary to the next place where there is one whatever stands
// around it: two ASCII characters, the first of which belongs to no word. ICU itself finds a
// boundary from the one before and the characters behind it, so that the words are those that ICU
// finds in the whole text.
//
// Limits: stretches for ICU have at most stretch_bytes_max bytes. A longer one is parted where ICU
// finds a segment that is no word, which changes nothing. Without one it is parted before its last
// word, where a dictionary may find other words than in the whole; and if all of it is one word,
// between two code points.
// Costs: linear in the text; memory at most some 20 times stretch_bytes_max.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::match {

struct TextRange {
  std::uint32_t begin = 0;  // in bytes
  std::uint32_t end = 0;

  bool operator==(const TextRange&) const = default;
};

struct TextSplitting {
  bool icu_alone = false;  // ICU splits all of the text: the judge of the tables, and slow
  std::size_t stretch_bytes_max = 65'536;  // at least 4, which any code point has room in
};

class TextSplitter {
 public:
  // Fails with kEngineTextOptions if ICU finds no data.
  static base::Result<TextSplitter> create(const TextSplitting& options = {});

  TextSplitter(TextSplitter&&) noexcept;
  TextSplitter& operator=(TextSplitter&&) noexcept;
  ~TextSplitter();

  // Begins with a text of less than 2 GiB, which must stay until its last word was given.
  void start(std::string_view utf8);

  // Puts the next words in place of what is in `words`, some hundreds of them or those of one
  // stretch; none at the end of the text.
  void next(std::vector<TextRange>& words);

 private:
  struct Icu;  // keeps ICU's headers out of this one

  TextSplitter(const TextSplitting& options, std::unique_ptr<Icu> icu);

  // Splits from at_ on, at least up to hard_ unless the limit comes first.
  void split_by_icu(std::vector<TextRange>& words);
  std::size_t stretch_end() const;

  TextSplitting options_;
  std::unique_ptr<Icu> icu_;
  std::string_view text_;
  std::size_t at_ = 0;    // what is before it is split; a boundary, unless a stretch was cut there
  std::size_t hard_ = 0;  // behind the last character that is known to be hard
};

}  // namespace weir::match
