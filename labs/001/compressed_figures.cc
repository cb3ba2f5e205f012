// SPDX-License-Identifier: Apache-2.0
// Section VI: false positives against the bytes that a filter takes when it is sent, as it is and
// compressed.
//
// A budget is what a plain filter of some bits per key takes, in its frame, at the best number of
// probes. For every smaller number of probes, a compressed filter gets as many cells as fit into
// it.
#include <algorithm>
#include <array>

#include "001/figures.h"
#include "base/prng.h"
#include "bloom/classic_bloom.h"
#include "bloom/compressed_bloom.h"
#include "bloom/sizing.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::BloomShape;
using bloom::ClassicBloom;

constexpr std::array<std::uint64_t, 5> kKeyCounts{8, 20, 100, 1'000, 10'000};
constexpr std::array<std::uint64_t, 4> kBitsPerKey{4, 8, 12, 16};
constexpr std::uint64_t kSparseBitsPerKeyMax = 256;  // what a receiver has memory for
constexpr std::uint64_t kDrawCountMax = 400;         // of a filter
constexpr std::uint64_t kTrialsPerKey = 50;          // over all draws

std::uint64_t draw_count_of(const Lab& lab, std::uint64_t key_count) {
  return std::clamp<std::uint64_t>(lab.probe_trial_count / kTrialsPerKey / key_count, 2,
                                   kDrawCountMax);
}

ClassicBloom drawn(const BloomShape& shape, std::uint64_t key_count, base::Prng& prng) {
  ClassicBloom filter(shape);
  for (std::uint64_t i = 0; i < key_count; ++i) filter.set(prng.next());
  return filter;
}

double compressed_bytes(const Lab& lab, const BloomShape& shape, std::uint64_t key_count) {
  base::Prng prng(shape.cell_count);
  const std::uint64_t draw_count = draw_count_of(lab, key_count);
  double sum = 0;
  for (std::uint64_t i = 0; i < draw_count; ++i) {
    sum += static_cast<double>(bloom::compress(drawn(shape, key_count, prng)).size());
  }
  return sum / static_cast<double>(draw_count);
}

// The most cells, up to the limit, that fit on average; 0 if none do. Above the keys' number, more
// cells take more bytes.
std::uint64_t cells_within(const Lab& lab, double bytes, std::uint32_t probe_count,
                           std::uint64_t key_count) {
  std::uint64_t low = key_count;
  std::uint64_t high = kSparseBitsPerKeyMax * key_count;
  if (compressed_bytes(lab, {low, probe_count}, key_count) > bytes) return 0;
  if (compressed_bytes(lab, {high, probe_count}, key_count) <= bytes) return high;
  while (high - low > std::max<std::uint64_t>(1, low / 200)) {
    const std::uint64_t middle = low + (high - low) / 2;
    (compressed_bytes(lab, {middle, probe_count}, key_count) <= bytes ? low : high) = middle;
  }
  return low;
}

// Of keys that are not in the filter, mean of all draws.
double measured_false_positives(const Lab& lab, const BloomShape& shape, std::uint64_t key_count) {
  base::Prng prng(shape.cell_count + 1);
  const std::uint64_t draw_count = draw_count_of(lab, key_count);
  const std::uint64_t trial_count = std::max<std::uint64_t>(1, lab.probe_trial_count / draw_count);
  std::uint64_t hit_count = 0;
  for (std::uint64_t i = 0; i < draw_count; ++i) {
    const ClassicBloom filter = drawn(shape, key_count, prng);
    for (std::uint64_t j = 0; j < trial_count; ++j) hit_count += filter.test(prng.next()) ? 0U : 1U;
  }
  return static_cast<double>(hit_count) / static_cast<double>(draw_count * trial_count);
}

void write_budget(const Lab& lab, std::uint64_t key_count, std::uint64_t cell_count, CsvFile& csv) {
  const auto keys = static_cast<double>(key_count);
  const BloomShape plain{cell_count, bloom::optimal_probe_count(cell_count, keys)};
  const auto budget = static_cast<double>(ClassicBloom(plain).save().size());
  const auto row = [&](const char* way, const BloomShape& shape, double bytes) {
    csv.row(key_count, cell_count, way, shape.probe_count, shape.cell_count, bytes,
            bloom::classic_false_positives(shape, keys),
            measured_false_positives(lab, shape, key_count));
  };
  row("plain", plain, budget);
  for (std::uint32_t probes = 1; probes <= plain.probe_count; ++probes) {
    const BloomShape sparse{cells_within(lab, budget, probes, key_count), probes};
    if (sparse.cell_count == 0) continue;
    row("compressed", sparse, compressed_bytes(lab, sparse, key_count));
  }
}

}  // namespace

bool write_compressed(const Lab& lab) {
  CsvFile csv(lab.directory, "compressed",
              "keys,plain_cells,way,probes,cells,bytes,theory,measured");
  for (const std::uint64_t key_count : kKeyCounts) {
    if (key_count * 10 > lab.probe_trial_count) break;  // a small run
    std::uint64_t last_cell_count = 0;
    for (const std::uint64_t bits_per_key : kBitsPerKey) {
      // Whole words, since that is what is sent.
      const std::uint64_t cell_count = (bits_per_key * key_count + 63) / 64 * 64;
      if (cell_count != last_cell_count) write_budget(lab, key_count, cell_count, csv);
      last_cell_count = cell_count;
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
