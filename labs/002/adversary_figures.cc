// SPDX-License-Identifier: Apache-2.0
// Theorem 1 and its corollary: the adversary, and both ends by trying everything.
#include <algorithm>
#include <array>
#include <limits>

#include "002/adversary.h"
#include "002/figures.h"
#include "002/offline.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

constexpr std::array<std::size_t, 4> kLengths{10, 100, 1'000, 10'000};
constexpr std::size_t kScriptLengthMax = 16;  // 2^16 algorithms
constexpr std::size_t kWorstLengthMax = 9;    // 4^9 streams
// With a threshold of 1, all that the adversary's streams do with theirs can be done with 4 values.
constexpr Value kWorstValueCount = 4;
constexpr Value kWorstThreshold = 1;

double ratio_of(const Duel& duel) {
  const auto least = global_opt(duel.stream, kAdversaryThreshold).size();
  return static_cast<double>(duel.delivered.size()) / static_cast<double>(least);
}

// The next stream in the order of numbers with digits below kWorstValueCount; false after the last.
bool next_stream(Stream& stream) {
  for (Value& value : stream) {
    if (++value < kWorstValueCount) return true;
    value = 0;
  }
  return false;
}

double worst_ratio(std::size_t length) {
  double worst = 0;
  Stream stream(length);
  do {
    OnlineGreedy greedy(kWorstThreshold);
    const auto online = static_cast<double>(delivered_by(greedy, stream).size());
    const auto least = static_cast<double>(global_opt(stream, kWorstThreshold).size());
    worst = std::max(worst, online / least);
  } while (next_stream(stream));
  return worst;
}

double least_ratio(Opening opening, std::size_t length) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t script = 0; script < std::uint64_t{1} << length; ++script) {
    Scripted algorithm(kAdversaryThreshold, script);
    least = std::min(least, ratio_of(play(algorithm, opening, length)));
  }
  return least;
}

}  // namespace

bool write_adversary(const Lab& lab) {
  CsvFile csv(lab.directory, "adversary",
              "opening,algorithm,length,stream,online,offline,conforms,ratio");
  for (const Opening opening : kOpenings) {
    for (const NamedAlgorithm& algorithm : online_algorithms()) {
      for (const std::size_t length : kLengths) {
        const Duel found = play(*algorithm.make(kAdversaryThreshold), opening, length);
        csv.row(name_of(opening), algorithm.name, length, found.took_bait ? "X_2" : "X_1",
                found.delivered.size(), global_opt(found.stream, kAdversaryThreshold).size(),
                conforms(found.stream, found.delivered, kAdversaryThreshold) ? 1 : 0,
                ratio_of(found));
      }
    }
  }
  return csv.ok();
}

bool write_least(const Lab& lab) {
  CsvFile csv(lab.directory, "least", "opening,length,ratio");
  for (const Opening opening : kOpenings) {
    for (std::size_t n = opening_length(opening) + 1; n <= kScriptLengthMax; ++n) {
      csv.row(name_of(opening), n, least_ratio(opening, n));
    }
  }
  return csv.ok();
}

bool write_worst(const Lab& lab) {
  CsvFile csv(lab.directory, "worst", "length,ratio");
  for (std::size_t n = 3; n <= kWorstLengthMax; ++n) csv.row(n, worst_ratio(n));
  return csv.ok();
}

}  // namespace weir::lab
