// SPDX-License-Identifier: Apache-2.0
// What it costs to find the text filters that a document matches, with up to millions of them.
//
// The baseline adds up scores term at a time, in the same run and over the same documents; what
// both find is compared to the last bit of the scores. The document's terms are numbers already,
// for both.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "match/text/text_case_testing.h"
#include "match/text/text_index.h"
#include "match/text/text_workload_testing.h"

namespace weir::match::text {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind : std::uint8_t {
  kBursty,  // some terms come several times, as in articles
  kFlat,    // hardly any term comes twice, as in headlines: most scores are high
};

TextWorkload& workload_of(Kind kind) {
  static TextWorkload bursty(TextWorkloadOptions{});
  static TextWorkload flat({.repeat_chance = 0});
  return kind == Kind::kBursty ? bursty : flat;
}

std::unique_ptr<TextCase> make_case(Kind kind, TextMode mode, std::size_t count) {
  TextWorkload& workload = workload_of(kind);
  return std::make_unique<TextCase>(workload, mode, workload.filters(count));
}

// Repetitions of a benchmark share its case. The last is kept only: a large one takes memory.
TextCase& shared_case(Kind kind, TextMode mode, std::size_t count) {
  static std::unique_ptr<TextCase> last;
  static auto last_key = std::make_tuple(Kind::kBursty, TextMode::kAny, std::size_t{0});
  const auto key = std::make_tuple(kind, mode, count);
  if (key != std::exchange(last_key, key)) {
    last.reset();
    last = make_case(kind, mode, count);
  }
  return *last;
}

void measure_case(benchmark::State& state, TextCase& text) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(text.measure());
  for (const auto& [name, value] : text.counters()) state.counters[name] = value;
}

void BM_TextScore(benchmark::State& state) {
  measure_case(
      state, shared_case(Kind::kBursty, TextMode::kAny, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_TextScore)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000);

void BM_TextFlat(benchmark::State& state) {
  measure_case(state,
               shared_case(Kind::kFlat, TextMode::kAny, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_TextFlat)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

void BM_TextAll(benchmark::State& state) {
  measure_case(
      state, shared_case(Kind::kBursty, TextMode::kAll, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_TextAll)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

// Documents of about 6 000 terms, with the share that each has in the whole, or as if each came as
// often as the others: a list of words, of which each has its full idf.
struct LongDocuments {
  LongDocuments(std::size_t count, bool is_list)
      : text(make_case(Kind::kFlat, TextMode::kAny, count)) {
    constexpr std::size_t kTokenCount = 11'000;
    std::vector<WorkloadDocument> documents = text->workload().more_documents(20, kTokenCount);
    for (WorkloadDocument& document : documents) {
      for (auto& [term, share] : document) {
        if (is_list) share = text->workload().idf(term);
      }
      term_count += static_cast<double>(document.size()) / static_cast<double>(documents.size());
    }
    text->use(documents);
  }

  std::unique_ptr<TextCase> text;
  double term_count = 0;
};

void BM_TextLongDocuments(benchmark::State& state) {
  static LongDocuments documents(static_cast<std::size_t>(state.range(0)), false);
  measure_case(state, *documents.text);
  state.counters["terms"] = documents.term_count;
}
BENCHMARK(BM_TextLongDocuments)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

void BM_TextLongLists(benchmark::State& state) {
  static LongDocuments documents(static_cast<std::size_t>(state.range(0)), true);
  measure_case(state, *documents.text);
  state.counters["terms"] = documents.term_count;
}
BENCHMARK(BM_TextLongLists)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(100'000);

struct ChurnSeconds {
  double removing;
  double adding;
  double updating;
};

// Seconds for each of some members all over the set.
ChurnSeconds churn(TextCase& text, base::Prng& prng) {
  constexpr std::size_t kCount = 10'000;
  std::vector<MemberId> members;
  const auto stride = static_cast<MemberId>(text.filters().size() / kCount);
  for (MemberId i = 0; i < kCount; ++i) {
    members.push_back(i * stride + static_cast<MemberId>(prng.below(stride)));
  }
  const auto each = [&](const auto& change) {
    return base::seconds_of([&] {
             for (const MemberId member : members) change(member);
           }) /
           kCount;
  };
  ChurnSeconds seconds{};
  seconds.removing = each([&](MemberId member) { text.index().remove(member); });
  seconds.adding = each([&](MemberId member) { text.index().add(text.filters()[member]); });
  seconds.updating = each([&](MemberId member) { text.index().update(text.filters()[member]); });
  return seconds;
}

// An index in which half of the set has gone and come again, one by one, and a fresh one.
struct HalfChurned {
  explicit HalfChurned(std::size_t count) : text(make_case(Kind::kBursty, TextMode::kAny, count)) {
    fresh.add_all(text->filters());
    TextIndex& index = text->index();
    for (MemberId i = 0; i < text->filters().size(); i += 2) index.remove(i);
    for (MemberId i = 0; i < text->filters().size(); i += 2) index.add(text->filters()[i]);
    const auto documents = std::span(text->workload().documents()).first(TextCase::kDocumentCount);
    text->use(documents);
    const auto known = known_documents(fresh, text->workload(), documents);
    double fresh_best = kInfinity;
    for (int i = 0; i < 20; ++i) {
      text->measure_index();
      fresh_best = std::min(fresh_best, run_index(fresh, known).seconds_per_document);
    }
    time = text->seconds_per_document() / fresh_best;
    memory = static_cast<double>(index.memory_bytes()) / static_cast<double>(fresh.memory_bytes());
  }

  std::unique_ptr<TextCase> text;
  TextIndex fresh;
  double memory = 0;
  double time = 0;
};

void BM_TextChurn(benchmark::State& state) {
  static HalfChurned churned(static_cast<std::size_t>(state.range(0)));
  base::Prng prng(3);
  ChurnSeconds best{kInfinity, kInfinity, kInfinity};
  for ([[maybe_unused]] auto _ : state) {
    const ChurnSeconds seconds = churn(*churned.text, prng);
    best.removing = std::min(best.removing, seconds.removing);
    best.adding = std::min(best.adding, seconds.adding);
    best.updating = std::min(best.updating, seconds.updating);
    state.SetIterationTime(seconds.updating);
  }
  state.counters["add_us"] = best.adding * 1e6;
  state.counters["remove_us"] = best.removing * 1e6;
  state.counters["update_us"] = best.updating * 1e6;
  state.counters["churned_time"] = churned.time;
  state.counters["churned_memory"] = churned.memory;
}
BENCHMARK(BM_TextChurn)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000'000)
    ->Iterations(2);

// What was common is rare now, and the other way round: an index that has adapted, and one that was
// made for it.
struct Drifted {
  explicit Drifted(std::size_t count) : adapted(make_case(Kind::kBursty, TextMode::kAll, count)) {
    const TextWorkload& workload = adapted->workload();
    const std::vector<WorkloadDocument> reversed = workload.reversed_documents();
    const auto measured = std::span(reversed).first(TextCase::kDocumentCount);
    adapted->use(measured);
    at_first = adapted->seconds_per_document();
    get_to_know(adapted->index(), reversed);
    adapted->use(measured);
    fresh.add_all(adapted->filters());
    get_to_know(fresh, reversed);
    known_measured = known_documents(fresh, workload, measured);
    rows_vs_fresh =
        rows_of(adapted->index(), known_documents(adapted->index(), workload, measured)) /
        rows_of(fresh, known_measured);
  }

  static double rows_of(TextIndex& index, std::span<const WorkloadDocument> documents) {
    const std::uint64_t before = index.counters().scanned;
    run_index(index, documents);
    return static_cast<double>(index.counters().scanned - before);
  }

  void get_to_know(TextIndex& index, std::span<const WorkloadDocument> documents) const {
    const auto known = known_documents(index, adapted->workload(), documents);
    for (int i = 0; i < 8; ++i) run_index(index, known);
  }

  std::unique_ptr<TextCase> adapted;
  TextIndex fresh;
  std::vector<WorkloadDocument> known_measured;
  double at_first = 0;
  double rows_vs_fresh = 0;
  double fresh_best = kInfinity;
};

void BM_TextDrift(benchmark::State& state) {
  static Drifted drifted(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(drifted.adapted->measure_index());
    const TextRun fresh = run_index(drifted.fresh, drifted.known_measured);
    drifted.fresh_best = std::min(drifted.fresh_best, fresh.seconds_per_document);
  }
  const double seconds = drifted.adapted->seconds_per_document();
  state.counters["adapted_vs_fresh"] = seconds / drifted.fresh_best;
  state.counters["adapted_rows_vs_fresh"] = drifted.rows_vs_fresh;
  state.counters["at_first_vs_fresh"] = drifted.at_first / drifted.fresh_best;
  state.counters["placements"] =
      static_cast<double>(drifted.adapted->index().counters().placements);
}
BENCHMARK(BM_TextDrift)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(100'000);

// Time over the number of filters, for the curve.
void BM_TextThoroughFilters(benchmark::State& state) {
  measure_case(
      state, shared_case(Kind::kBursty, TextMode::kAny, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_TextThoroughFilters)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(4'000'000);

}  // namespace
}  // namespace weir::match::text
