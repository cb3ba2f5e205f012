// SPDX-License-Identifier: Apache-2.0
// Text predicates on data of one's own, as an engine has them: `./bench text --data DIR` prepares
// documents and queries in the folder that WEIR_BENCH_DATA names (see text/text_data_bench.cc).
//
// Statistics run from nothing through many epochs, and with every document some predicates go and
// others come. The baseline judges each predicate on each document by definition; both must name
// the same predicates for every single document.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "event/event_builder.h"
#include "event/json_document.h"
#include "filter/filter.h"
#include "match/bench_data_testing.h"
#include "match/text_finder.h"

namespace weir::match {
namespace {

constexpr std::size_t kDocumentCount = 1'000;
constexpr std::size_t kPredicateCount = 4'000;
constexpr std::size_t kReplacedPerDocument = 4;

event::EventPtr event_of(const std::string& text) {
  std::string json;
  event::append_json_string(text, json);
  return event::EventBuilder().id("1").source("/news").type("text").data_json(json).build().value();
}

// In every mode and with some thresholds.
std::string filter_text(std::string query, std::size_t number) {
  for (char& c : query) c = c == '\'' || c == '"' || c == '-' ? ' ' : c;
  switch (number % 4) {
    case 0:
      return fmt::format("text(data) about all '{}'", query);
    case 1:
      return fmt::format("text(data) about any '{}' score >= 1", query);
    default:
      return fmt::format("text(data) about '{}' score >= {}", query, number % 4);
  }
}

class Predicates {
 public:
  explicit Predicates(std::vector<std::string> queries)
      : queries_(std::move(queries)), places_(kPredicateCount) {
    for (std::uint32_t i = 0; i < kPredicateCount; ++i) put(i);
  }

  // Another one takes the place of each of some.
  void replace_some() {
    for (std::size_t i = 0; i < kReplacedPerDocument; ++i) {
      const std::uint32_t number = next_replaced_++ % kPredicateCount;
      finder_.remove(places_[number].place);
      scorer_.remove(*places_[number].filter);
      put(number);
    }
  }

  void begin(const event::Event& event) {
    scorer_.begin(event, base::Instant{++now_});
    fields_ = places_.front().place.fields;
  }
  void find(std::vector<std::uint32_t>& members) {
    finder_.find(fields_, members);
    std::ranges::sort(members);
  }
  void judge(const event::Event& event, std::vector<std::uint32_t>& members) {
    for (std::uint32_t i = 0; i < kPredicateCount; ++i) {
      if (scorer_.judge(*places_[i].filter->abouts().front(), event).holds) members.push_back(i);
    }
  }
  std::uint64_t epoch() const {
    return scorer_.corpus(places_.front().filter->abouts().front()->source)->epoch().number;
  }

 private:
  struct Entry {
    filter::FilterPtr filter;
    TextFinder::Place place;
  };

  // Queries of stop words only are passed over.
  void put(std::uint32_t number) {
    for (;; ++next_query_) {
      WEIR_CHECK(next_query_ < queries_.size());
      auto filter = filter::Filter::parse(filter_text(queries_[next_query_], next_query_));
      if (!filter || !scorer_.add(**filter)) continue;
      places_[number] = {*filter, finder_.add(*(*filter)->abouts().front(), number)};
      ++next_query_;
      return;
    }
  }

  std::vector<std::string> queries_;
  std::size_t next_query_ = 0;
  std::uint32_t next_replaced_ = 0;
  TextScorer scorer_{{}, {.epoch_document_count_max = 50}};
  TextFinder finder_{&scorer_};
  std::vector<Entry> places_;
  TextFinder::FieldsNumber fields_ = 0;
  std::int64_t now_ = 0;
};

void BM_TextFinderData(benchmark::State& state) {
  std::vector<event::EventPtr> events;
  for (const std::string& text : bench_lines("news.documents", kDocumentCount)) {
    events.push_back(event_of(text));
  }
  double begin_seconds = 0;
  double find_seconds = 0;
  double judge_seconds = 0;
  std::size_t match_count = 0;
  std::uint64_t epochs = 0;
  for ([[maybe_unused]] auto _ : state) {
    Predicates predicates(bench_lines(
        "queries.texts", 3 * (kPredicateCount + kReplacedPerDocument * kDocumentCount)));
    for (const event::EventPtr& event : events) {
      std::vector<std::uint32_t> found;
      std::vector<std::uint32_t> judged;
      begin_seconds += base::seconds_of([&] { predicates.begin(*event); });
      find_seconds += base::seconds_of([&] { predicates.find(found); });
      judge_seconds += base::seconds_of([&] { predicates.judge(*event, judged); });
      WEIR_CHECK(found == judged);
      match_count += found.size();
      predicates.replace_some();
    }
    epochs = predicates.epoch();
  }
  const auto count = static_cast<double>(events.size()) * static_cast<double>(state.iterations());
  state.counters["analyse_us"] = begin_seconds / count * 1e6;
  state.counters["find_us"] = find_seconds / count * 1e6;
  state.counters["x_judging"] = judge_seconds / find_seconds;
  state.counters["matches"] = static_cast<double>(match_count) / count;
  state.counters["epochs"] = static_cast<double>(epochs);
}
BENCHMARK(BM_TextFinderData)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::match
