// SPDX-License-Identifier: Apache-2.0
// What the longest highlights of the worst text cost: every word is marked, as many snippets of as
// many characters as a subscription may ask for. The time per byte is the same for every length.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "match/text_highlight.h"

namespace weir::match {
namespace {

void BM_HighlightWorst(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::string text;
  while (text.size() < bytes) text += "x ";
  const std::vector<std::string> strings = {text};
  TextAnalyzer analyzer = TextAnalyzer::create({.language = "none"}).value();
  const TextQuery query =
      compile_text_query({{}, "x y", filter::About::Mode::kAny, std::nullopt}, 1.0, analyzer)
          .value();
  const HighlightOptions options{.character_count_max = 2000, .snippet_count_max = 20};
  for (auto _ : state) benchmark::DoNotOptimize(highlight(strings, query, analyzer, options));
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK(BM_HighlightWorst)->RangeMultiplier(4)->Range(4 << 10, kHighlightTextBytesMax);

}  // namespace
}  // namespace weir::match
