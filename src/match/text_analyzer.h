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
// is one term); a character that folds to several words (U+FDFA) is one term with blanks; where 64
// KiB have neither blank nor punctuation, words may be cut (text_splitter.h).
// Costs: linear in the text: two to three times as fast as ICU alone finds the words of English,
// 180 MB/s, and about as fast where ICU must find them; no allocation for a word that is in the
// table. Memory is bounded, whatever the text: 16 MiB.
// Threads: one at a time.
//
//   base::Result<TextAnalyzer> analyzer = TextAnalyzer::create({.language = "english"});
//   std::vector<std::string> terms;
//   analyzer->analyze("The STORMS flooded Zürich!", terms);  // storm, flood, zürich
//   analyzer->for_each_word("The STORMS!", [](const TextToken& token, const TextWord& word) {
//     // 0 3 the (no term), 4 10 storms storm
//   });
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "match/text_word_table.h"

namespace weir::match {

struct TextAnalysis {
  // A name of TextAnalyzer::languages(); "none" neither drops nor stems any word.
  std::string language = "english";
  bool stop_words = true;  // drop them, where the language has a list
  bool stemming = true;
  std::size_t term_bytes_max = 64;  // longer words are cut between code points; 4 to 256

  bool operator==(const TextAnalysis&) const = default;
};

// A word where it stands.
struct TextToken {
  std::uint32_t begin = 0;  // in the text, in bytes
  std::uint32_t end = 0;
  std::uint32_t word = 0;  // its id, in the analyzer's table of words

  bool operator==(const TextToken&) const = default;
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

  // Begins with a text of less than 2 GiB, which must stay until its last word was given.
  void start(std::string_view utf8);

  // The next words of the text in its order, stop words among them, at most some hundreds; none at
  // its end. Good until the next call.
  std::span<const TextToken> next();

  // A word of the table. Ids are small numbers from 0 upwards, the same for a word however often it
  // comes and in whatever text, so that what else is known of a word can be kept in an array. The
  // table is bounded: when it is full, next() forgets all words, ids begin anew and generation()
  // changes. Spellings have ids of their own: "Storm" is not "storm", but has its folded word.
  const TextWord& word(std::uint32_t id) const;
  std::uint64_t generation() const;

  // Calls `use` with the token and the word of each word of a text.
  template <typename Use>
  void for_each_word(std::string_view utf8, Use use) {
    start(utf8);
    for (auto tokens = next(); !tokens.empty(); tokens = next()) {
      for (const TextToken& token : tokens) use(token, word(token.word));
    }
  }

  // Appends the terms of a text in its order, repeated ones too.
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
