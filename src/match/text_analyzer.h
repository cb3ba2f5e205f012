// SPDX-License-Identifier: Apache-2.0
// TextAnalyzer: from a text to the terms it is matched by.
//
// A text is split at Unicode word boundaries (UAX 29, the root rules of ICU; dictionaries for
// Chinese, Japanese, Thai, Lao, Khmer and Burmese); segments without a letter, number, kana or
// ideograph are skipped. Each word is folded (NFKC_Casefold; ’ becomes '; in turkish I becomes ı),
// dropped if it is a stop word (stop_words.h has the languages with a list), and stemmed
// (Snowball).
//
// Terms are never empty, are valid UTF-8 and have at most term_bytes_max bytes. Bytes that are not
// UTF-8 part words, as U+FFFD does. The same bytes give the same terms with the same versions of
// ICU and libstemmer; terms of different versions must not be compared.
// Limits: of a word only the first 4 * term_bytes_max bytes are read; elided articles stay ("l'eau"
// is one term); a character that folds to several words (U+FDFA) is one term with blanks.
// Costs: linear in the text, some 30 MB/s of English; besides the terms at most 9 times the text,
// and that only in a text without blanks or punctuation in a script that needs a dictionary.
// Threads: one at a time.
//
//   base::Result<TextAnalyzer> analyzer = TextAnalyzer::create({.language = "english"});
//   std::vector<std::string> terms;
//   analyzer->analyze("The STORMS flooded Zürich!", terms);  // storm, flood, zürich
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::match {

struct TextAnalysis {
  // A name of TextAnalyzer::languages(); "none" neither drops nor stems any word.
  std::string language = "english";
  bool stop_words = true;  // drop them, where the language has a list
  bool stemming = true;
  std::size_t term_bytes_max = 64;  // longer words are cut between code points; 4 to 256

  bool operator==(const TextAnalysis&) const = default;
};

class TextAnalyzer {
 public:
  // Fails with kEngineTextOptions for an unknown language or if ICU finds no data, and with
  // kEngineOption if term_bytes_max is out of range.
  static base::Result<TextAnalyzer> create(const TextAnalysis& options);

  // What `language` may be, ascending.
  static std::vector<std::string> languages();

  TextAnalyzer(TextAnalyzer&&) noexcept;
  TextAnalyzer& operator=(TextAnalyzer&&) noexcept;
  ~TextAnalyzer();

  // Appends the terms of a text in its order, repeated ones too. Requires less than 2 GiB.
  void analyze(std::string_view utf8, std::vector<std::string>& terms);

  // Appends the folded words, stop words among them and none of them stemmed.
  void split(std::string_view utf8, std::vector<std::string>& words);

  const TextAnalysis& options() const;

 private:
  struct Tools;  // keeps ICU's and libstemmer's headers out of this one

  explicit TextAnalyzer(std::unique_ptr<Tools> tools);

  std::unique_ptr<Tools> tools_;
};

}  // namespace weir::match
