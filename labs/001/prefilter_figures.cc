// SPDX-License-Identifier: Apache-2.0
// Section IV's prefilter over n and k: candidates, lists and entries per publication, memory, for
// both rules of registration and all ways of hashing.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "001/figures.h"
#include "001/generator.h"
#include "match/bloom_prefilter.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using match::BloomPrefilter;
using match::PrefilterCounters;
using match::PrefilterOptions;
using match::Registration;

// On average: per publication and, but for lists, per subscription.
struct Costs {
  double share = 0;  // of the subscriptions that are candidates
  double lists = 0;
  double entries = 0;
  double bytes = 0;

  void add(const Costs& other, double weight) {
    share += weight * other.share;
    lists += weight * other.lists;
    entries += weight * other.entries;
    bytes += weight * other.bytes;
  }
};

Costs publish(BloomPrefilter& prefilter, const HashLists& publications, std::size_t begin,
              std::size_t end) {
  const PrefilterCounters before = prefilter.counters();
  for (std::size_t i = begin; i < end; ++i) prefilter.candidates(publications[i], [](auto) {});
  const PrefilterCounters& after = prefilter.counters();
  const auto mean = [&](auto counter) {
    return static_cast<double>(after.*counter - before.*counter) / static_cast<double>(end - begin);
  };
  const auto count = static_cast<double>(prefilter.size());
  return {.share = mean(&PrefilterCounters::candidates) / count,
          .lists = mean(&PrefilterCounters::lists),
          .entries = mean(&PrefilterCounters::entries) / count,
          .bytes = static_cast<double>(prefilter.memory_bytes()) / count};
}

BloomPrefilter registered(const PrefilterOptions& options, const HashLists& subscriptions) {
  BloomPrefilter prefilter(options);
  for (std::size_t i = 0; i < subscriptions.size(); ++i) prefilter.add(subscriptions[i]);
  return prefilter;
}

constexpr std::array<const char*, 3> kRules{"blind", "rarest_bit", "every_bit"};
using RuleCosts = std::array<Costs, kRules.size()>;

// "blind" is one bit, chosen before any publication was seen.
RuleCosts measure_rules(const HashedWorkload& hashes, PrefilterOptions options) {
  const HashLists& publications = hashes.publications;
  const std::size_t middle = publications.size() / 2;
  options.registration = Registration::kRarestBit;
  BloomPrefilter rarest = registered(options, hashes.subscriptions);
  publish(rarest, publications, 0, middle);
  BloomPrefilter blind = rarest;
  rarest.reregister(rarest.size());
  RuleCosts costs;
  costs[0] = publish(blind, publications, middle, publications.size());
  costs[1] = publish(rarest, publications, middle, publications.size());
  options.registration = Registration::kEveryBit;
  BloomPrefilter every = registered(options, hashes.subscriptions);
  costs[2] = publish(every, publications, middle, publications.size());
  return costs;
}

void write_shape(const Workload& workload, Hashing hashing,
                 const std::vector<HashedWorkload>& draws, const PrefilterOptions& options,
                 CsvFile& csv) {
  RuleCosts means;
  for (const HashedWorkload& hashes : draws) {
    const RuleCosts costs = measure_rules(hashes, options);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      means[i].add(costs[i], 1 / static_cast<double>(draws.size()));
    }
  }
  for (std::size_t i = 0; i < means.size(); ++i) {
    csv.row(workload.name, name_of(hashing), kRules[i], options.bit_count, options.probe_count,
            means[i].share, means[i].lists, means[i].entries, means[i].bytes);
  }
}

std::vector<HashedWorkload> draws_of(const Lab& lab, const Workload& workload, Hashing hashing) {
  std::vector<HashedWorkload> draws;
  for (std::uint32_t i = 0; i < lab.draw_count; ++i) {
    draws.push_back(hashed(
        workload,
        {.hashing = hashing, .subscription_count_max = lab.swept_subscription_count, .draw = i}));
  }
  return draws;
}

bool has_all(std::span<const std::uint64_t> publication, std::span<const std::uint64_t> wanted) {
  return std::ranges::all_of(wanted, [&](std::uint64_t pair) {
    return std::ranges::find(publication, pair) != publication.end();
  });
}

struct Floor {
  std::uint64_t with_all_pairs = 0;
  std::uint64_t matched = 0;
  std::uint64_t missed = 0;  // matches that are no candidates
};

// For one publication; `reached` are its candidates.
void add_floor(const Workload& workload, const HashedWorkload& hashes, std::size_t publication,
               const std::vector<bool>& reached, Floor& floor) {
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!has_all(hashes.publications[publication], hashes.subscriptions[i])) continue;
    ++floor.with_all_pairs;
    if (!matches(workload.subscription(i), workload.publication(publication))) continue;
    ++floor.matched;
    if (!reached[i]) ++floor.missed;
  }
}

double share_of_quotes(const Lab& lab, const QuoteOptions& options, std::uint32_t bit_count) {
  const Workload quotes =
      make_quotes(options, {.subscription_count = lab.swept_subscription_count,
                            .publication_count = lab.workloads[0].publication_count()});
  const std::vector<HashedWorkload> draws = draws_of(lab, quotes, Hashing::kPair);
  double sum = 0;
  for (const HashedWorkload& hashes : draws) {
    BloomPrefilter prefilter = registered({.bit_count = bit_count}, hashes.subscriptions);
    sum += publish(prefilter, hashes.publications, 0, hashes.publications.size()).share;
  }
  return sum / static_cast<double>(draws.size());
}

}  // namespace

bool write_prefilter(const Lab& lab) {
  CsvFile csv(lab.directory, "prefilter",
              "workload,hashing,rule,bits,probes,share,lists,entries,bytes");
  for (const Workload& workload : lab.workloads) {
    for (const Hashing hashing : kHashings) {
      const std::vector<HashedWorkload> draws = draws_of(lab, workload, hashing);
      for (const std::uint32_t bit_count : kBitCounts) {
        for (std::uint32_t probes = 1; probes <= kProbeCountMax; ++probes) {
          write_shape(workload, hashing, draws, {.bit_count = bit_count, .probe_count = probes},
                      csv);
        }
      }
    }
  }
  return csv.ok();
}

bool write_floors(const Lab& lab) {
  CsvFile csv(lab.directory, "floors",
              "workload,attributes,subscriptions,publications,with_equality,with_all_pairs,"
              "matched,missed");
  for (const Workload& workload : lab.workloads) {
    const HashedWorkload hashes = draws_of(lab, workload, Hashing::kPair)[0];
    BloomPrefilter prefilter = registered({}, hashes.subscriptions);
    const std::size_t count = prefilter.size();
    const std::size_t begin = workload.publication_count() / 2;
    Floor floor;
    std::vector<bool> reached(count);
    for (std::size_t i = begin; i < workload.publication_count(); ++i) {
      reached.assign(count, false);
      prefilter.candidates(hashes.publications[i], [&](auto id) { reached[id] = true; });
      add_floor(workload, hashes, i, reached, floor);
    }
    const std::size_t measured_count = workload.publication_count() - begin;
    const auto share = [&](std::uint64_t sum) {
      return static_cast<double>(sum) / static_cast<double>(count * measured_count);
    };
    const double with_equality =
        1 - static_cast<double>(prefilter.default_count()) / static_cast<double>(count);
    csv.row(workload.name, workload.attribute_count, count, measured_count, with_equality,
            share(floor.with_all_pairs), share(floor.matched), floor.missed);
  }
  return csv.ok();
}

bool write_equality(const Lab& lab) {
  CsvFile csv(lab.directory, "equality", "equality_percent,symbols,bits,share");
  const auto write = [&](const QuoteOptions& options) {
    for (const std::uint32_t bit_count : {64U, 512U}) {
      csv.row(options.equality_percent, options.symbol_count, bit_count,
              share_of_quotes(lab, options, bit_count));
    }
  };
  for (std::uint32_t percent = 0; percent <= 100; percent += 5) {
    write({.equality_percent = percent});
  }
  for (const std::size_t symbol_count : {2U, 5U, 10U, 20U, 50U, 100U}) {
    write({.symbol_count = symbol_count});
  }
  return csv.ok();
}

}  // namespace weir::lab
