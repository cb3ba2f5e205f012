// SPDX-License-Identifier: Apache-2.0
#include "match/text_analyzer.h"

#include <fmt/format.h>
#include <libstemmer.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "match/stop_words.h"
#include "match/text_splitter.h"

namespace weir::match {
namespace {

constexpr std::string_view kNoLanguage = "none";
constexpr std::size_t kTermBytesMin = 4;  // any code point fits
constexpr std::size_t kTermBytesMax = 256;
constexpr std::size_t kTokensMax = 256;

// How much more of a word is read than its term may have: a letter with marks of its own is up to
// three times as long as the composed one. A bound is needed, for to put n marks in canonical order
// takes n^2 steps.
constexpr std::size_t kReadBytesFactor = 4;

struct StemmerDeleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Stemmer = std::unique_ptr<sb_stemmer, StemmerDeleter>;

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U); });
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Unicode's case folding takes Turkish I and İ for other letters than their small ones.
std::string fold_turkish_i(std::string_view word) {
  std::string folded(word);
  replace_all(folded, "I\u0307", "i");
  replace_all(folded, "\u0130", "i");
  replace_all(folded, "I", "\u0131");
  return folded;
}

// Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The names that `wanted` may stand for: it begins them or is at most two edits away.
std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string>& names) {
  constexpr std::size_t kEditsMax = 2;
  constexpr std::size_t kWantedBytesMax = 64;
  std::vector<std::string> near;
  if (wanted.empty() || wanted.size() > kWantedBytesMax) return near;
  std::string small(wanted);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string& name : names) {
    if (name.starts_with(small) || edit_distance(small, name) <= kEditsMax) near.push_back(name);
  }
  return near;
}

base::Error unknown_language(std::string_view wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> near = near_names(wanted, names);
  const std::string hint =
      near.empty() ? "" : fmt::format(", did you mean {}?", fmt::join(near, " or "));
  return {base::ErrorId::kEngineTextOptions,
          fmt::format("there is no text analysis for language '{}'{}; there are: {}",
                      base::utf8_prefix(wanted, kTermBytesMax), hint, fmt::join(names, ", ")),
          std::nullopt};
}

std::optional<base::Error> check_options(const TextAnalysis& options) {
  if (options.term_bytes_max < kTermBytesMin || options.term_bytes_max > kTermBytesMax) {
    return base::Error{base::ErrorId::kEngineOption,
                       fmt::format("term_bytes_max is {}, expected {} to {}",
                                   options.term_bytes_max, kTermBytesMin, kTermBytesMax),
                       std::nullopt};
  }
  const std::vector<std::string> names = TextAnalyzer::languages();
  if (!std::ranges::binary_search(names, options.language)) {
    return unknown_language(options.language, names);
  }
  return std::nullopt;
}

}  // namespace

struct TextAnalyzer::Tools {
  TextAnalysis options;
  TextSplitter splitter;
  const icu::Normalizer2* folding;  // ICU's own, shared by all
  Stemmer stemmer;                  // null: no stemming
  std::span<const std::string_view> dropped;
  TextWordTable words;

  // The text at hand.
  std::string_view text;
  std::vector<TextRange> ranges;  // of its next words
  std::size_t range_index = 0;
  std::vector<TextToken> tokens;
  std::string folded;

  std::span<const TextToken> next();
  std::optional<std::uint32_t> word_of(std::string_view written);
  void fold(std::string_view written);
  std::string_view term() const;
  std::string_view stem() const;
};

std::span<const TextToken> TextAnalyzer::Tools::next() {
  tokens.clear();
  while (tokens.size() < kTokensMax) {
    if (range_index == ranges.size()) {
      splitter.next(ranges);
      range_index = 0;
      if (ranges.empty()) break;
    }
    const TextRange range = ranges[range_index];
    const std::optional<std::uint32_t> word =
        word_of(text.substr(range.begin, range.end - range.begin));
    if (!word) {
      // The ids of tokens that are not given yet must stay good.
      if (!tokens.empty()) break;
      words.clear();
      continue;
    }
    ++range_index;
    if (!words[*word].folded.empty()) tokens.push_back({range.begin, range.end, *word});
  }
  return tokens;
}

// Nothing if there is no room for another word.
std::optional<std::uint32_t> TextAnalyzer::Tools::word_of(std::string_view written) {
  const std::size_t read_bytes_max = options.term_bytes_max * kReadBytesFactor;
  if (written.size() > read_bytes_max) written = base::utf8_prefix(written, read_bytes_max);
  if (const auto known = words.find(written)) return known;
  fold(written);
  return words.add(written, {folded, term()});
}

void TextAnalyzer::Tools::fold(std::string_view written) {
  std::string turkish;
  if (options.language == "turkish") written = turkish = fold_turkish_i(written);
  folded.clear();
  if (is_ascii(written)) {
    // What NFKC_Casefold does to ASCII, without its overhead.
    for (const char c : written) {
      folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  } else {
    UErrorCode status = U_ZERO_ERROR;
    icu::StringByteSink<std::string> sink(&folded);
    folding->normalizeUTF8(0, written, sink, nullptr, status);
    WEIR_CHECK(U_SUCCESS(status));
    replace_all(folded, "\u2019", "'");
  }
  folded.resize(base::utf8_prefix(folded, options.term_bytes_max).size());
}

// Of the folded word; good until the next one is stemmed.
std::string_view TextAnalyzer::Tools::term() const {
  if (folded.empty() || std::ranges::binary_search(dropped, folded)) return {};
  return stemmer ? stem() : std::string_view(folded);
}

std::string_view TextAnalyzer::Tools::stem() const {
  const sb_symbol* stemmed =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(folded.data()),
                      static_cast<int>(folded.size()));
  WEIR_CHECK(stemmed != nullptr);
  const std::string_view term(reinterpret_cast<const char*>(stemmed),
                              static_cast<std::size_t>(sb_stemmer_length(stemmer.get())));
  return term.empty() ? std::string_view(folded) : base::utf8_prefix(term, options.term_bytes_max);
}

base::Result<TextAnalyzer> TextAnalyzer::create(const TextAnalysis& options) {
  if (std::optional<base::Error> error = check_options(options)) return *std::move(error);
  auto splitter = TextSplitter::create();
  if (!splitter) return splitter.error();
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const folding = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status)) {
    return base::Error{base::ErrorId::kEngineTextOptions,
                       fmt::format("ICU cannot fold words: {}", u_errorName(status)), std::nullopt};
  }
  auto tools = std::make_unique<Tools>(options, std::move(*splitter), folding);
  if (options.stop_words) tools->dropped = stop_words(options.language);
  if (options.stemming && options.language != kNoLanguage) {
    tools->stemmer.reset(sb_stemmer_new(options.language.c_str(), nullptr));
    WEIR_CHECK(tools->stemmer != nullptr);
  }
  return TextAnalyzer(std::move(tools));
}

std::vector<std::string> TextAnalyzer::languages() {
  std::vector<std::string> names{std::string(kNoLanguage)};
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  std::ranges::sort(names);
  return names;
}

TextAnalyzer::TextAnalyzer(std::unique_ptr<Tools> tools) : tools_(std::move(tools)) {}
TextAnalyzer::TextAnalyzer(TextAnalyzer&&) noexcept = default;
TextAnalyzer& TextAnalyzer::operator=(TextAnalyzer&&) noexcept = default;
TextAnalyzer::~TextAnalyzer() = default;

void TextAnalyzer::start(std::string_view utf8) {
  tools_->splitter.start(utf8);
  tools_->text = utf8;
  tools_->ranges.clear();
  tools_->range_index = 0;
}

std::span<const TextToken> TextAnalyzer::next() { return tools_->next(); }

const TextWord& TextAnalyzer::word(std::uint32_t id) const { return tools_->words[id]; }

std::uint64_t TextAnalyzer::generation() const { return tools_->words.generation(); }

void TextAnalyzer::analyze(std::string_view utf8, std::vector<std::string>& terms) {
  for_each_word(utf8, [&](const TextToken&, const TextWord& word) {
    if (!word.term.empty()) terms.emplace_back(word.term);
  });
}

void TextAnalyzer::split(std::string_view utf8, std::vector<std::string>& words) {
  for_each_word(utf8,
                [&](const TextToken&, const TextWord& word) { words.emplace_back(word.folded); });
}

const TextAnalysis& TextAnalyzer::options() const { return tools_->options; }

}  // namespace weir::match
