// SPDX-License-Identifier: Apache-2.0
// Any bytes give words that are not empty, terms that are valid UTF-8, both within the limit, and
// the same every time. The first byte picks the language, the second the limit.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "match/text_analyzer.h"

namespace {

using weir::match::TextAnalyzer;
using weir::match::TextToken;
using weir::match::TextWord;

TextAnalyzer& analyzer_of(std::size_t language_index, bool small) {
  static const std::vector<std::string> kLanguages = TextAnalyzer::languages();
  static std::map<std::pair<std::size_t, bool>, TextAnalyzer> analyzers;
  const std::pair key(language_index % kLanguages.size(), small);
  const auto known = analyzers.find(key);
  if (known != analyzers.end()) return known->second;
  const std::size_t bytes_max = small ? 4 : 64;
  auto created =
      TextAnalyzer::create({.language = kLanguages[key.first], .term_bytes_max = bytes_max});
  WEIR_CHECK(created.has_value());
  return analyzers.emplace(key, *std::move(created)).first->second;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  TextAnalyzer& analyzer = analyzer_of(data[0], (data[1] & 1U) != 0);
  const std::string text(data + 2, data + size);
  const std::size_t bytes_max = analyzer.options().term_bytes_max;
  std::vector<std::string> terms;
  std::size_t end = 0;
  analyzer.for_each_word(text, [&](const TextToken& token, const TextWord& word) {
    WEIR_CHECK(token.begin >= end && token.end > token.begin && token.end <= text.size());
    end = token.end;
    WEIR_CHECK(!word.folded.empty() && word.folded.size() <= bytes_max);
    WEIR_CHECK(word.term.size() <= bytes_max);
    WEIR_CHECK(weir::base::utf8_valid_prefix_bytes(word.folded) == word.folded.size());
    WEIR_CHECK(weir::base::utf8_valid_prefix_bytes(word.term) == word.term.size());
    if (!word.term.empty()) terms.emplace_back(word.term);
  });
  std::vector<std::string> again;
  analyzer.analyze(text, again);
  WEIR_CHECK(terms == again);
  return 0;
}
