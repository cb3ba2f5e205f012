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
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "match/text/text_baseline_testing.h"
#include "match/text/text_case_testing.h"
#include "match/text/text_index.h"
#include "match/text/text_workload_testing.h"

namespace weir::match::text {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMeasuredCount = 1000;  // documents

enum class Kind : std::uint8_t {
  kBursty,  // some terms come several times, as in articles
  kFlat,    // hardly any term comes twice, as in headlines: most scores are high
};

TextWorkload& workload_of(Kind kind) {
  static TextWorkload bursty(TextWorkloadOptions{});
  static TextWorkload flat({.repeat_chance = 0});
  return kind == Kind::kBursty ? bursty : flat;
}

// Filters as the index takes them.
class FilterSet {
 public:
  FilterSet(const TextWorkload& workload, std::span<const WorkloadFilter> filters, TextMode mode) {
    views_.reserve(filters.size() * 3);
    for (const WorkloadFilter& filter : filters) {
      const std::size_t begin = views_.size();
      for (const std::uint32_t term : filter.terms) views_.push_back(workload.name(term));
      filters_.push_back({.member = static_cast<MemberId>(filters_.size()),
                          .mode = mode,
                          .terms = std::span(views_).subspan(begin),
                          .score_min = mode == TextMode::kAll ? 0 : filter.score_min});
    }
  }

  std::span<const TextFilter> all() const { return filters_; }

 private:
  std::vector<std::string_view> views_;
  std::vector<TextFilter> filters_;
};

// The index and the baseline, with the same filters.
class Case {
 public:
  Case(Kind kind, TextMode mode, std::size_t count)
      : workload_(workload_of(kind)),
        baseline_(mode, TextWorkload::kTermCount),
        own_(workload_.filters(count)),
        filters_(workload_, own_, mode) {
    bulk_seconds_ = base::seconds_of([&] { index_.add_all(filters_.all()); });
    append_seconds_ = base::seconds_of([&] {
      for (const WorkloadFilter& filter : own_) {
        baseline_.add(filter.terms, mode == TextMode::kAll ? 0 : filter.score_min);
      }
    });
    run_index(index_, known(workload_.documents()));  // so that it knows what is rare
    use(std::span(workload_.documents()).first(kMeasuredCount));
  }

  // From now on these documents are measured.
  void use(std::span<const std::vector<DocumentTerm>> documents) {
    documents_.assign(documents.begin(), documents.end());
    known_ = known(documents);
    const TextRun expected = run_baseline(baseline_, documents_);
    const TextRun found = run_index(index_, known_);
    WEIR_CHECK(found.hit_count == expected.hit_count && found.checksum == expected.checksum);
    baseline_best_ = expected.seconds_per_document;
    index_best_ = found.seconds_per_document;
    hits_per_document_ =
        static_cast<double>(found.hit_count) / static_cast<double>(documents_.size());
  }

  double measure() {
    const double seconds = run_index(index_, known_).seconds_per_document;
    index_best_ = std::min(index_best_, seconds);
    baseline_best_ =
        std::min(baseline_best_, run_baseline(baseline_, documents_).seconds_per_document);
    return seconds * static_cast<double>(documents_.size());
  }

  void report(benchmark::State& state) {
    const TextCounters before = index_.counters();
    run_index(index_, known_);
    const TextCounters after = index_.counters();
    const auto count = static_cast<double>(documents_.size());
    state.counters["documents_per_cpu_s"] = 1 / index_best_;
    state.counters["baseline_per_cpu_s"] = 1 / baseline_best_;
    state.counters["x_baseline"] = baseline_best_ / index_best_;
    state.counters["scanned"] = static_cast<double>(after.scanned - before.scanned) / count;
    state.counters["verified"] = static_cast<double>(after.verified - before.verified) / count;
    state.counters["matches"] = hits_per_document_;
    state.counters["placements"] = static_cast<double>(after.placements);
    state.counters["bytes_per_filter"] =
        static_cast<double>(index_.memory_bytes()) / static_cast<double>(index_.size());
    state.counters["bulk_s"] = bulk_seconds_;
    state.counters["x_append_bulk"] = append_seconds_ / bulk_seconds_;
  }

  TextIndex& index() { return index_; }
  TextWorkload& workload() { return workload_; }
  std::span<const TextFilter> filters() const { return filters_.all(); }
  double seconds_per_document() const { return index_best_; }

 private:
  Documents known(std::span<const std::vector<DocumentTerm>> documents) const {
    return known_documents(index_, documents, [&](std::uint32_t term) -> std::string_view {
      return workload_.name(term);
    });
  }

  TextWorkload& workload_;
  TextIndex index_;
  TermAtATime baseline_;
  std::vector<WorkloadFilter> own_;
  FilterSet filters_;
  Documents documents_;  // by the workload's numbers
  Documents known_;      // by the index's
  double bulk_seconds_ = 0;
  double append_seconds_ = 0;
  double index_best_ = kInfinity;
  double baseline_best_ = kInfinity;
  double hits_per_document_ = 0;
};

// Repetitions of a benchmark share its case. The last is kept only: a large one takes memory.
Case& shared_case(Kind kind, TextMode mode, std::size_t count) {
  static std::unique_ptr<Case> last;
  static auto last_key = std::make_tuple(Kind::kBursty, TextMode::kAny, std::size_t{0});
  const auto key = std::make_tuple(kind, mode, count);
  if (key != std::exchange(last_key, key)) {
    last.reset();
    last = std::make_unique<Case>(kind, mode, count);
  }
  return *last;
}

void measure_case(benchmark::State& state, Case& text) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(text.measure());
  text.report(state);
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

// Documents of about 6 000 terms.
void BM_TextLongDocuments(benchmark::State& state) {
  constexpr std::size_t kTokenCount = 14'000;
  static std::unique_ptr<Case> text;
  if (!text) {
    text = std::make_unique<Case>(Kind::kBursty, TextMode::kAny,
                                  static_cast<std::size_t>(state.range(0)));
    const Documents documents = text->workload().more_documents(20, kTokenCount);
    text->use(documents);
    double terms = 0;
    for (const auto& document : documents) terms += static_cast<double>(document.size());
    state.counters["terms"] = terms / static_cast<double>(documents.size());
  }
  measure_case(state, *text);
}
BENCHMARK(BM_TextLongDocuments)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

// Filters come, go and change one by one. Then half of the set has gone and come again.
void BM_TextChurn(benchmark::State& state) {
  constexpr std::size_t kCount = 10'000;
  static Case text(Kind::kBursty, TextMode::kAny, static_cast<std::size_t>(state.range(0)));
  static const double fresh_bytes = static_cast<double>(text.index().memory_bytes());
  static const double fresh_seconds = [] {
    for (int i = 0; i < 3; ++i) text.measure();
    return text.seconds_per_document();
  }();
  base::Prng prng(3);
  double adding = kInfinity;
  double removing = kInfinity;
  double updating = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<MemberId> members;
    const auto stride = static_cast<MemberId>(text.index().size() / kCount);
    for (MemberId i = 0; i < kCount; ++i) {
      members.push_back(i * stride + static_cast<MemberId>(prng.below(stride)));
    }
    const double seconds = base::seconds_of([&] {
      for (const MemberId member : members) text.index().remove(member);
    });
    adding = std::min(adding, base::seconds_of([&] {
                                for (const MemberId member : members)
                                  text.index().add(text.filters()[member]);
                              }) / kCount);
    updating = std::min(updating, base::seconds_of([&] {
                                    for (const MemberId member : members)
                                      text.index().update(text.filters()[member]);
                                  }) / kCount);
    removing = std::min(removing, seconds / kCount);
    state.SetIterationTime(seconds);
  }
  static const bool is_churned = [] {
    for (MemberId i = 0; i < text.filters().size(); i += 2) text.index().remove(i);
    for (MemberId i = 0; i < text.filters().size(); i += 2) text.index().add(text.filters()[i]);
    return true;
  }();
  WEIR_CHECK(is_churned && text.index().size() == text.filters().size());
  const Documents documents(text.workload().documents().begin(),
                            text.workload().documents().begin() + kMeasuredCount);
  text.use(documents);
  for (int i = 0; i < 3; ++i) text.measure();
  state.counters["add_us"] = adding * 1e6;
  state.counters["remove_us"] = removing * 1e6;
  state.counters["update_us"] = updating * 1e6;
  state.counters["churned_time"] = text.seconds_per_document() / fresh_seconds;
  state.counters["churned_memory"] = static_cast<double>(text.index().memory_bytes()) / fresh_bytes;
}
BENCHMARK(BM_TextChurn)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000'000)
    ->Iterations(3);

// What is common becomes rare, and the other way round.
void BM_TextDrift(benchmark::State& state) {
  constexpr std::size_t kCount = 100'000;
  static Case adapted(Kind::kBursty, TextMode::kAll, kCount);
  TextWorkload& workload = adapted.workload();
  const Documents reversed = workload.reversed_documents();
  const Documents measured(reversed.begin(), reversed.begin() + kMeasuredCount);
  adapted.use(measured);
  const double at_first = adapted.seconds_per_document();
  adapted.use(reversed);
  adapted.use(measured);
  static TextIndex fresh;
  if (fresh.size() == 0) fresh.add_all(adapted.filters());
  const auto name = [&](std::uint32_t term) -> std::string_view { return workload.name(term); };
  run_index(fresh, known_documents(fresh, reversed, name));
  const Documents known = known_documents(fresh, measured, name);
  double fresh_best = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(adapted.measure());
    fresh_best = std::min(fresh_best, run_index(fresh, known).seconds_per_document);
  }
  state.counters["adapted_vs_fresh"] = adapted.seconds_per_document() / fresh_best;
  state.counters["at_first_vs_fresh"] = at_first / fresh_best;
  state.counters["placements"] = static_cast<double>(adapted.index().counters().placements);
}
BENCHMARK(BM_TextDrift)->UseManualTime()->Unit(benchmark::kMillisecond);

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
