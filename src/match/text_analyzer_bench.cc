// SPDX-License-Identifier: Apache-2.0
// What the analysis of English text costs, words drawn by Zipf's law, a few of them accented, with
// the punctuation of sentences.
//
// The baseline is ICU, which does nothing but find the words, in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "match/text_analyzer.h"
#include "match/text_splitter.h"

namespace weir::match {
namespace {

constexpr std::size_t kTextBytes = 1'000'000;
constexpr std::size_t kVocabulary = 20'000;

std::string made_up_word(base::Prng& prng) {
  static constexpr std::string_view kLetters =
      "eeeeeettttaaaooiiinnnsshhrrddllccuummwwffggyyppbbvk";
  std::string word;
  const std::size_t length = 2 + prng.below(4) + prng.below(6);
  for (std::size_t i = 0; i < length; ++i) word += kLetters[prng.below(kLetters.size())];
  if (prng.chance(0.02)) word += "\u00E9";
  if (prng.chance(0.02)) word += "'s";
  return word;
}

// The rank r is drawn with a chance of about 1 / r; the most frequent words are real ones.
std::string english_text() {
  base::Prng prng(7);
  std::vector<std::string> vocabulary = {"the", "of", "and",  "to", "in", "a",  "is", "that",
                                         "for", "it", "was",  "on", "as", "be", "at", "by",
                                         "I",   "he", "with", "or", "we", "an", "if", "The"};
  while (vocabulary.size() < kVocabulary) vocabulary.push_back(made_up_word(prng));
  std::string text;
  while (text.size() < kTextBytes) {
    const double rank = std::pow(static_cast<double>(kVocabulary), prng.fraction());
    std::string word = vocabulary[static_cast<std::size_t>(rank) - 1];
    if (prng.chance(0.1)) word[0] = static_cast<char>(word[0] & ~0x20);
    text += word;
    text += prng.chance(0.06) ? ". " : prng.chance(0.06) ? ", " : prng.chance(0.01) ? "\n\n" : " ";
  }
  return text;
}

void BM_AnalyzeEnglish(benchmark::State& state) {
  static const std::string kText = english_text();
  TextAnalyzer analyzer = TextAnalyzer::create({}).value();
  TextSplitter icu = TextSplitter::create({.icu_alone = true}).value();
  double best = std::numeric_limits<double>::infinity();
  double best_icu = best;
  for ([[maybe_unused]] auto _ : state) {
    std::size_t word_count = 0;
    const double seconds = base::seconds_of([&] {
      analyzer.start(kText);
      for (auto words = analyzer.next(); !words.empty(); words = analyzer.next()) {
        word_count += words.size();
      }
    });
    std::vector<TextRange> ranges;
    best_icu = std::min(best_icu, base::seconds_of([&] {
                          icu.start(kText);
                          do icu.next(ranges);
                          while (!ranges.empty());
                        }));
    best = std::min(best, seconds);
    benchmark::DoNotOptimize(word_count);
    state.SetIterationTime(seconds);
  }
  const double megabytes = static_cast<double>(kText.size()) / 1e6;
  state.counters["mb_per_cpu_s"] = megabytes / best;
  state.counters["icu_mb_per_cpu_s"] = megabytes / best_icu;
  state.counters["x_icu"] = best_icu / best;
}
BENCHMARK(BM_AnalyzeEnglish)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::match
