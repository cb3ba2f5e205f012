// SPDX-License-Identifier: Apache-2.0
// Table I and figure 5.
#include <algorithm>
#include <numeric>

#include "003/figures.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

std::vector<std::size_t> lengths_of(const QueryLog& log) {
  std::vector<std::size_t> lengths;
  for (const Filter& filter : log.filters) lengths.push_back(filter.size());
  return lengths;
}

double mean_of(const std::vector<std::size_t>& values) {
  const std::size_t sum = std::accumulate(values.begin(), values.end(), std::size_t{0});
  return static_cast<double>(sum) / static_cast<double>(values.size());
}

double share_up_to(const std::vector<std::size_t>& values, std::size_t most) {
  const auto count =
      std::ranges::count_if(values, [=](std::size_t value) { return value <= most; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

double share_of(const std::vector<std::size_t>& values, std::size_t wanted) {
  return static_cast<double>(std::ranges::count(values, wanted)) /
         static_cast<double>(values.size());
}

}  // namespace

bool write_queries(const Lab& lab) {
  CsvFile csv(lab.directory, "queries",
              "log,queries,without_terms,words_mean,words_up_to_3,words_up_to_5,mean,most,least,"
              "up_to_2,up_to_3,up_to_4,up_to_5");
  for (const QueryLog& log : lab.logs) {
    const std::vector<std::size_t> lengths = lengths_of(log);
    const auto [least, most] = std::ranges::minmax(lengths);
    csv.row(log.name, log.word_counts.size(), log.word_counts.size() - lengths.size(),
            mean_of(log.word_counts), share_up_to(log.word_counts, 3),
            share_up_to(log.word_counts, 5), mean_of(lengths), most, least, share_up_to(lengths, 2),
            share_up_to(lengths, 3), share_up_to(lengths, 4), share_up_to(lengths, 5));
  }
  return csv.ok();
}

bool write_lengths(const Lab& lab) {
  CsvFile csv(lab.directory, "lengths", "log,length,share,words_share");
  for (const QueryLog& log : lab.logs) {
    const std::vector<std::size_t> lengths = lengths_of(log);
    const std::size_t most = std::max(std::ranges::max(lengths), std::ranges::max(log.word_counts));
    for (std::size_t length = 1; length <= most; ++length) {
      csv.row(log.name, length, share_of(lengths, length), share_of(log.word_counts, length));
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
