// SPDX-License-Identifier: Apache-2.0
// Figure 4.2, and the other online algorithms on the same streams.
#include <algorithm>
#include <array>
#include <cmath>

#include "002/figures.h"
#include "002/offline.h"
#include "002/online.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

constexpr std::array<Value, 6> kRivalThresholds{2, 4, 8, 16, 32, 48};

double over(std::size_t more, std::size_t less) {
  return static_cast<double>(more) / static_cast<double>(less);
}

// The mean of ratios, one for each stream, as the paper takes it.
class Ratios {
 public:
  void add(double ratio) {
    ++count_;
    sum_ += ratio;
    square_sum_ += ratio * ratio;
    largest_ = std::max(largest_, ratio);
  }
  double mean() const { return sum_ / static_cast<double>(count_); }
  double standard_error() const {
    const auto count = static_cast<double>(count_);
    if (count_ < 2) return 0;
    return std::sqrt(std::max(0.0, square_sum_ / count - mean() * mean()) / (count - 1));
  }
  double largest() const { return largest_; }

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double square_sum_ = 0;
  double largest_ = 0;
};

std::size_t online_count(const Stream& stream, Value threshold) {
  OnlineGreedy greedy(threshold);
  return delivered_by(greedy, stream).size();
}

void write_threshold(const Workload& workload, Value threshold, CsvFile& csv) {
  std::size_t online = 0;
  std::size_t offline = 0;
  Ratios ratios;
  Ratios free_ratios;
  for (const Stream& stream : workload.streams) {
    const std::size_t delivered = online_count(stream, threshold);
    const std::size_t least = global_opt(stream, threshold).size();
    online += delivered;
    offline += least;
    ratios.add(over(delivered, least));
    free_ratios.add(over(delivered, free_value_count(stream, threshold)));
  }
  csv.row(workload.name, threshold, workload.streams.size(), online, offline, ratios.mean(),
          ratios.standard_error(), ratios.largest(), over(online, offline), free_ratios.mean());
}

std::size_t count_of(const NamedAlgorithm& algorithm, const Workload& workload, Value threshold) {
  std::size_t count = 0;
  for (const Stream& stream : workload.streams) {
    count += delivered_by(*algorithm.make(threshold), stream).size();
  }
  return count;
}

}  // namespace

bool write_ratios(const Lab& lab) {
  CsvFile csv(lab.directory, "ratios",
              "workload,threshold,streams,online,offline,ratio,error,largest,pooled,free_ratio");
  for (const Workload& workload : lab.workloads) {
    for (Value threshold = 1; threshold <= kThresholdMax; ++threshold) {
      write_threshold(workload, threshold, csv);
    }
  }
  return csv.ok();
}

bool write_rivals(const Lab& lab) {
  CsvFile csv(lab.directory, "rivals", "workload,threshold,algorithm,online");
  for (const Workload& workload : lab.workloads) {
    for (const Value threshold : kRivalThresholds) {
      for (const NamedAlgorithm& algorithm : online_algorithms()) {
        csv.row(workload.name, threshold, algorithm.name, count_of(algorithm, workload, threshold));
      }
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
