// SPDX-License-Identifier: Apache-2.0
// Time per publication: the full test on all subscriptions; prefilters alone, and with the full
// test on their candidates. Pairs that some subscription uses are hashed, once, before.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "001/figures.h"
#include "match/bloom_prefilter.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using match::BloomPrefilter;
using match::Registration;

constexpr int kRoundCount = 7;
constexpr std::size_t kTimedPublicationCountMax = 100;
constexpr std::uint32_t kTimedProbeCount = 2;

struct Timed {
  double publication_us = std::numeric_limits<double>::infinity();  // the best round
  std::uint64_t match_count = 0;
};

// Publishes the last publications, several times; match_all gives the number of matches of one.
template <typename MatchAll>
Timed time_of(const Lab& lab, const Workload& workload, MatchAll&& match_all) {
  const std::size_t end = workload.publication_count();
  const std::size_t count = std::min(end / 2, kTimedPublicationCountMax);
  Timed timed;
  for (int round = 0; round < kRoundCount; ++round) {
    timed.match_count = 0;
    const double begun = lab.cpu_seconds();
    for (std::size_t i = end - count; i < end; ++i) timed.match_count += match_all(i);
    const double seconds = lab.cpu_seconds() - begun;
    timed.publication_us =
        std::min(timed.publication_us, seconds * 1e6 / static_cast<double>(count));
  }
  return timed;
}

Timed time_scan(const Lab& lab, const Workload& workload) {
  return time_of(lab, workload, [&](std::size_t publication) {
    const auto values = workload.publication(publication);
    std::uint64_t match_count = 0;
    for (std::size_t i = 0; i < workload.subscription_count(); ++i) {
      match_count += matches(workload.subscription(i), values) ? 1U : 0U;
    }
    return match_count;
  });
}

Timed time_candidates(const Lab& lab, const Workload& workload, const HashedWorkload& hashes,
                      BloomPrefilter& prefilter) {
  return time_of(lab, workload, [&](std::size_t publication) {
    std::uint64_t candidate_count = 0;
    prefilter.candidates(hashes.publications[publication], [&](auto) { ++candidate_count; });
    return candidate_count;
  });
}

Timed time_prefilter(const Lab& lab, const Workload& workload, const HashedWorkload& hashes,
                     BloomPrefilter& prefilter) {
  return time_of(lab, workload, [&](std::size_t publication) {
    const auto values = workload.publication(publication);
    std::uint64_t match_count = 0;
    prefilter.candidates(hashes.publications[publication], [&](std::uint32_t id) {
      match_count += matches(workload.subscription(id), values) ? 1U : 0U;
    });
    return match_count;
  });
}

// Taught by the first half of the publications, as the rule wants it.
BloomPrefilter taught(const HashedWorkload& hashes, Registration rule, std::uint32_t bit_count) {
  BloomPrefilter prefilter(
      {.bit_count = bit_count, .probe_count = kTimedProbeCount, .registration = rule});
  for (std::size_t i = 0; i < hashes.publications.size() / 2; ++i) {
    prefilter.candidates(hashes.publications[i], [](auto) {});
  }
  for (std::size_t i = 0; i < hashes.subscriptions.size(); ++i)
    prefilter.add(hashes.subscriptions[i]);
  return prefilter;
}

}  // namespace

bool write_times(const Lab& lab) {
  CsvFile csv(
      lab.directory, "times",
      "workload,subscriptions,method,bits,probes,prefilter_us,publication_us,bytes,matches");
  constexpr std::array kRules{std::pair{Registration::kEveryBit, "every_bit"},
                              std::pair{Registration::kRarestBit, "rarest_bit"}};
  for (const Workload& workload : lab.workloads) {
    const std::size_t count = workload.subscription_count();
    const Timed scan = time_scan(lab, workload);
    csv.row(workload.name, count, "scan", 0, 0, 0, scan.publication_us, 0, scan.match_count);
    const HashedWorkload hashes =
        hashed(workload, {.hashing = Hashing::kUsed, .subscription_count_max = count});
    for (const std::uint32_t bit_count : {64U, 128U, 256U, 512U}) {
      for (const auto& [rule, name] : kRules) {
        BloomPrefilter prefilter = taught(hashes, rule, bit_count);
        const Timed alone = time_candidates(lab, workload, hashes, prefilter);
        const Timed timed = time_prefilter(lab, workload, hashes, prefilter);
        csv.row(workload.name, count, name, bit_count, kTimedProbeCount, alone.publication_us,
                timed.publication_us,
                static_cast<double>(prefilter.memory_bytes()) / static_cast<double>(count),
                timed.match_count);
      }
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
