// SPDX-License-Identifier: Apache-2.0
// What matching text filters costs on data of one's own: `./bench text --data DIR`, which prepares
// documents and queries in the folder that WEIR_BENCH_DATA names, news.documents and queries.texts,
// one a line.
//
// Filters are made of the documents' terms, as in the generated workload, or are the queries of a
// search engine's log, which ask for the same part of their terms' idf.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "match/bench_data_testing.h"
#include "match/text/text_case_testing.h"
#include "match/text/text_workload_testing.h"
#include "match/text_analyzer.h"
#include "match/text_corpus.h"
#include "match/text_query.h"

namespace weir::match::text {
namespace {

// Without what is special in the words of a filter.
std::string plain(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '"' || c == '-'; }, ' ');
  return text;
}

// Real documents, analysed, and queries.
class News {
 public:
  News()
      : analyzer_(TextAnalyzer::create({}).value()),
        workload_(read(bench_lines("news.documents"))),
        queries_(bench_lines("queries.texts")) {}

  TextWorkload& workload() { return *workload_; }

  // Queries with a term that some document has; other terms never come, and add nothing.
  WorkloadFilters query_filters() {
    WorkloadFilters filters;
    for (const std::string& text : queries_) {
      const auto query = compile_text_query({.source = {}, .words = plain(text)}, 0, analyzer_);
      if (!query) continue;
      std::vector<std::uint32_t> terms;
      double sum = 0;
      for (const std::string& term : query->terms) {
        const TermId id = numbers_.find(term);
        if (id == kNoId) continue;
        terms.push_back(id);
        sum += workload_->idf(id);
      }
      if (sum > 0) filters.add(terms, TextWorkload::kThresholdShare * sum);
    }
    return filters;
  }

 private:
  std::unique_ptr<TextWorkload> read(const std::vector<std::string>& texts) {
    std::vector<WorkloadCounts> documents;
    for (const std::string& text : texts) {
      std::vector<std::string> terms;
      analyzer_.analyze(text, terms);
      WorkloadCounts& counts = documents.emplace_back();
      for (const TermCount& count : count_terms(std::move(terms)).counts) {
        counts.emplace_back(numbers_.acquire(count.term),
                            static_cast<std::uint32_t>(count.frequency));
      }
      std::ranges::sort(counts);
    }
    std::vector<std::string> names;
    for (TermId id = 0; id < numbers_.id_end(); ++id) names.emplace_back(numbers_.term(id));
    return std::make_unique<TextWorkload>(documents, std::move(names));
  }

  TextAnalyzer analyzer_;
  TermTable numbers_;
  std::unique_ptr<TextWorkload> workload_;
  std::vector<std::string> queries_;
};

News& shared_news() {
  static News news;
  return news;
}

void measure_case(benchmark::State& state, TextCase& text) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(text.measure());
  for (const auto& [name, value] : text.counters()) state.counters[name] = value;
}

void BM_TextDataDocuments(benchmark::State& state) {
  constexpr std::size_t kFilterCount = 1'000'000;
  TextWorkload& workload = shared_news().workload();
  static TextCase text(workload, TextMode::kAny, workload.filters(kFilterCount));
  measure_case(state, text);
}
BENCHMARK(BM_TextDataDocuments)->UseManualTime()->Unit(benchmark::kMillisecond);

void BM_TextDataQueries(benchmark::State& state) {
  static TextCase text(shared_news().workload(), TextMode::kAny, shared_news().query_filters());
  measure_case(state, text);
}
BENCHMARK(BM_TextDataQueries)->UseManualTime()->Unit(benchmark::kMillisecond);

void BM_TextDataQueriesAll(benchmark::State& state) {
  static TextCase text(shared_news().workload(), TextMode::kAll, shared_news().query_filters());
  measure_case(state, text);
}
BENCHMARK(BM_TextDataQueriesAll)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::match::text
