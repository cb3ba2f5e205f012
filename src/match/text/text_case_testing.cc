// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_case_testing.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/cpu_time_testing.h"

namespace weir::match::text {
namespace {

std::uint64_t mix(std::uint64_t document, const TextHit& hit) {
  std::uint64_t z = (document * 1'000'003 + hit.member + 1) * 0x9E3779B97F4A7C15U;
  z ^= std::bit_cast<std::uint64_t>(hit.score);
  z = (z ^ (z >> 29U)) * 0xBF58476D1CE4E5B9U;
  return z ^ (z >> 32U);
}

template <typename Matcher>
TextRun run(Matcher& matcher, std::span<const WorkloadDocument> documents) {
  TextRun run;
  std::vector<TextHit> hits;
  std::vector<std::size_t> ends;
  const double seconds = base::seconds_of([&] {
    for (const WorkloadDocument& document : documents) {
      matcher.match(document, hits);
      ends.push_back(hits.size());
    }
  });
  run.seconds_per_document = seconds / static_cast<double>(documents.size());
  run.hit_count = hits.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (; at < ends[i]; ++at) run.checksum += mix(i, hits[at]);
  }
  return run;
}

void check_equal(const TextRun& left, const TextRun& right) {
  WEIR_CHECK(left.hit_count == right.hit_count && left.checksum == right.checksum);
}

}  // namespace

TextRun run_index(TextIndex& index, std::span<const WorkloadDocument> documents) {
  return run(index, documents);
}

TextRun run_baseline(TermAtATime& baseline, std::span<const WorkloadDocument> documents) {
  return run(baseline, documents);
}

std::vector<WorkloadDocument> known_documents(const TextIndex& index, const TextWorkload& workload,
                                              std::span<const WorkloadDocument> documents) {
  std::vector<WorkloadDocument> known;
  for (const WorkloadDocument& document : documents) {
    WorkloadDocument& terms = known.emplace_back();
    for (const auto& [term, share] : document) {
      const TermId id = index.terms().find(workload.name(term));
      if (id != kNoId) terms.push_back({id, share});
    }
  }
  return known;
}

TextCase::TextCase(TextWorkload& workload, TextMode mode, WorkloadFilters filters)
    : workload_(workload),
      baseline_(
          mode == TextMode::kAll ? TermAtATime::Method::kSumsAndCounts : TermAtATime::Method::kSums,
          workload.term_count()) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    for (const std::uint32_t term : filters.terms(i)) names_.push_back(workload.name(term));
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::size_t count = filters.terms(i).size();
    filters_.push_back({.member = static_cast<MemberId>(i),
                        .mode = mode,
                        .terms = std::span(names_).subspan(begin, count),
                        .score_min = mode == TextMode::kAll ? 0 : filters.score_min(i)});
    begin += count;
  }
  bulk_seconds_ = base::seconds_of([&] { index_.add_all(filters_); });
  append_seconds_ = base::seconds_of([&] {
    for (std::size_t i = 0; i < filters.size(); ++i) {
      baseline_.add(filters.terms(i), filters_[i].score_min);
    }
  });
  if (mode == TextMode::kAll) {
    counting_ = std::make_unique<TermAtATime>(TermAtATime::Method::kCounts, workload.term_count());
    for (std::size_t i = 0; i < filters.size(); ++i) counting_->add(filters.terms(i), 0);
  }
  settle();
  const std::span<const WorkloadDocument> documents = workload_.documents();
  use(documents.first(std::min(kDocumentCount, documents.size())));
}

// The stream goes on until the index has found its places in it.
void TextCase::settle() {
  constexpr int kRoundsMax = 10;
  const auto known = known_documents(index_, workload_, workload_.documents());
  std::uint64_t moves = 0;
  for (int i = 0; i < kRoundsMax; ++i) {
    run_index(index_, known);
    if (moves == index_.counters().moves) return;
    moves = index_.counters().moves;
  }
}

void TextCase::use(std::span<const WorkloadDocument> documents) {
  documents_.assign(documents.begin(), documents.end());
  known_ = known_documents(index_, workload_, documents);
  const TextRun expected = run_baseline(baseline_, documents_);
  const TextRun found = run_index(index_, known_);
  check_equal(found, expected);
  if (counting_) check_equal(run_baseline(*counting_, documents_), expected);
  baseline_best_ = expected.seconds_per_document;
  counting_best_ = kInfinity;
  index_best_ = found.seconds_per_document;
  hits_per_document_ =
      static_cast<double>(found.hit_count) / static_cast<double>(documents_.size());
}

double TextCase::measure_index() {
  const double seconds = run_index(index_, known_).seconds_per_document;
  index_best_ = std::min(index_best_, seconds);
  return seconds * static_cast<double>(documents_.size());
}

// Each twice in a row: what one leaves in the cache is nothing to the other.
double TextCase::measure() {
  constexpr double kBaselineSecondsMax = 1.5;
  const double seconds = (measure_index() + measure_index()) / 2;
  if (baseline_seconds_ > kBaselineSecondsMax) return seconds;
  baseline_seconds_ += base::seconds_of([&] {
    for (int i = 0; i < 2; ++i) {
      baseline_best_ =
          std::min(baseline_best_, run_baseline(baseline_, documents_).seconds_per_document);
    }
    for (int i = 0; i < 2 && counting_; ++i) {
      counting_best_ =
          std::min(counting_best_, run_baseline(*counting_, documents_).seconds_per_document);
    }
  });
  return seconds;
}

std::map<std::string, double> TextCase::counters() {
  const TextCounters before = index_.counters();
  run_index(index_, known_);
  const TextCounters& after = index_.counters();
  const auto count = static_cast<double>(documents_.size());
  std::map<std::string, double> counters;
  counters["documents_per_cpu_s"] = 1 / index_best_;
  counters["baseline_per_cpu_s"] = 1 / baseline_best_;
  counters["x_baseline"] = baseline_best_ / index_best_;
  if (counting_) counters["x_counting"] = counting_best_ / index_best_;
  counters["scanned"] = static_cast<double>(after.scanned - before.scanned) / count;
  counters["verified"] = static_cast<double>(after.verified - before.verified) / count;
  counters["matches"] = hits_per_document_;
  counters["placements"] = static_cast<double>(after.placements);
  counters["filters"] = static_cast<double>(index_.size());
  counters["bytes_per_filter"] =
      static_cast<double>(index_.memory_bytes()) / static_cast<double>(index_.size());
  counters["bulk_s"] = bulk_seconds_;
  counters["x_append_bulk"] = append_seconds_ / bulk_seconds_;
  return counters;
}

}  // namespace weir::match::text
