// SPDX-License-Identifier: Apache-2.0
// Where a phrase stands among words. Linear in the words whatever they repeat (Knuth, Morris and
// Pratt, 1977).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::match {

// Folded words next to each other in one string, stop words among them and none of them stemmed; at
// least one.
using TextPhrase = std::vector<std::string>;

class PhraseFinder {
 public:
  explicit PhraseFinder(const TextPhrase& phrase) : phrase_(phrase), borders_(phrase.size(), 0) {
    for (std::size_t i = 1; i < phrase_.size(); ++i) {
      borders_[i] = next(borders_[i - 1], phrase_[i]);
    }
  }

  // Calls use(index of the first word) for each place, overlapping ones too, as long as it returns
  // true. `word_at(index)` gives the folded word.
  template <typename WordAt, typename Use>
  void for_each(std::size_t word_count, WordAt word_at, Use use) const {
    std::size_t matched = 0;
    for (std::size_t i = 0; i < word_count; ++i) {
      if (matched == phrase_.size()) matched = borders_[matched - 1];
      matched = next(matched, word_at(i));
      if (matched == phrase_.size() && !use(i + 1 - matched)) return;
    }
  }

 private:
  // How many words of the phrase end with this word, if so many ended before it.
  std::size_t next(std::size_t matched, const std::string& word) const {
    while (matched > 0 && phrase_[matched] != word) matched = borders_[matched - 1];
    return phrase_[matched] == word ? matched + 1 : 0;
  }

  const TextPhrase& phrase_;
  std::vector<std::size_t> borders_;  // of each prefix: its longest proper prefix that ends it
};

}  // namespace weir::match
