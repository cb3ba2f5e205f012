// SPDX-License-Identifier: Apache-2.0
// Any bytes give terms that are not empty, valid UTF-8, within the limit, and the same every time.
// The first byte picks the language, the second the limit.
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
  std::vector<std::string> terms;
  analyzer.analyze(text, terms);
  for (const std::string& term : terms) {
    WEIR_CHECK(!term.empty());
    WEIR_CHECK(term.size() <= analyzer.options().term_bytes_max);
    WEIR_CHECK(weir::base::utf8_valid_prefix_bytes(term) == term.size());
  }
  std::vector<std::string> again;
  analyzer.analyze(text, again);
  WEIR_CHECK(terms == again);
  return 0;
}
