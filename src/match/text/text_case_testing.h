// SPDX-License-Identifier: Apache-2.0
// What benchmarks of text filters have in common: the index and the baseline on the same filters
// and documents, measured and compared to the last bit of the scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "match/text/text_baseline_testing.h"
#include "match/text/text_index.h"
#include "match/text/text_workload_testing.h"

namespace weir::match::text {

// Of all hits in documents, whatever their order; depends on every bit of the scores.
struct TextRun {
  double seconds_per_document = 0;
  std::size_t hit_count = 0;
  std::uint64_t checksum = 0;
};

// Terms are by the index's numbers, and by the workload's.
TextRun run_index(TextIndex& index, std::span<const WorkloadDocument> documents);
TextRun run_baseline(TermAtATime& baseline, std::span<const WorkloadDocument> documents);
// From the workload's numbers to the index's, without the terms that it does not know.
std::vector<WorkloadDocument> known_documents(const TextIndex& index, const TextWorkload& workload,
                                              std::span<const WorkloadDocument> documents);

class TextCase {
 public:
  static constexpr std::size_t kDocumentCount = 1000;  // that are measured

  // Has seen all documents of the workload. The workload must outlive it.
  TextCase(TextWorkload& workload, TextMode mode, WorkloadFilters filters);

  // From now on these documents are measured, by the workload's numbers.
  void use(std::span<const WorkloadDocument> documents);
  // The index, and the baselines as long as they have not taken long in all; gives the seconds of
  // one run of the index.
  double measure();
  // The index alone, once.
  double measure_index();
  // What is to be told about it, by name.
  std::map<std::string, double> counters();

  TextIndex& index() { return index_; }
  TextWorkload& workload() { return workload_; }
  std::span<const TextFilter> filters() const { return filters_; }
  // The best so far.
  double seconds_per_document() const { return index_best_; }

 private:
  void settle();
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  TextWorkload& workload_;
  TextIndex index_;
  TermAtATime baseline_;
  std::unique_ptr<TermAtATime> counting_;  // for TextMode::kAll
  std::vector<std::string_view> names_;    // of the filters' terms
  std::vector<TextFilter> filters_;
  std::vector<WorkloadDocument> documents_;  // by the workload's numbers
  std::vector<WorkloadDocument> known_;      // by the index's
  double bulk_seconds_ = 0;
  double append_seconds_ = 0;
  double index_best_ = kInfinity;
  double baseline_best_ = kInfinity;
  double counting_best_ = kInfinity;
  double baseline_seconds_ = 0;  // in all
  double hits_per_document_ = 0;
};

}  // namespace weir::match::text
