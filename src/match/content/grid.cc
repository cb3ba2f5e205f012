// SPDX-License-Identifier: Apache-2.0
#include "match/content/grid.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace weir::match::content {
namespace {

constexpr std::uint32_t kPriorHits = 4;  // of each cell, before there are events
constexpr std::uint32_t kCountsPerSum = 1024;

}  // namespace

Grid::Grid(std::span<const Code> sample, Sample kind) {
  WEIR_CHECK(!sample.empty());
  std::vector<Code> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const std::size_t cut_count = std::min(sorted.size(), kCellCountMax - 1);
  std::vector<Code> cuts;
  for (std::size_t i = 0; i < cut_count; ++i) {
    cuts.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * cut_count)]);
  }
  const auto twice = std::ranges::unique(cuts);
  cuts.erase(twice.begin(), twice.end());
  cell_count_ = cuts.size() + 1;
  std::ranges::copy(cuts, starts_.begin());
  make_stretches();
  std::fill_n(hits_.begin(), cell_count_, kPriorHits);
  if (kind == Sample::kBounds) {
    const auto beyond = static_cast<std::uint32_t>(cell_count_ * kPriorHits / 8);
    hits_[0] += beyond;
    hits_[cell_count_ - 1] += beyond;
  }
  sum_up();
}

void Grid::make_stretches() {
  first_ = starts_[0];
  last_ = starts_[cell_count_ - 2];
  while ((last_ - first_) >> shift_ >= kStretchCount) ++shift_;
  std::uint8_t cell = 0;
  for (std::size_t i = 1; i <= kStretchCount; ++i) {
    const std::uint64_t begin = first_ + (std::uint64_t{i} << shift_);
    while (cell < cell_count_ - 1 && starts_[cell] <= begin) ++cell;
    stretches_[i] = cell;
  }
}

void Grid::count(std::uint8_t cell) {
  ++hits_[cell];
  if (++uncounted_ < kCountsPerSum) return;
  sum_up();
  for (std::uint32_t& hits : hits_) hits = (hits + 1) / 2;
}

void Grid::sum_up() {
  uncounted_ = 0;
  float all = 0;
  for (const std::uint32_t hits : hits_) all += static_cast<float>(hits);
  float sum = 0;
  for (std::size_t i = 0; i < kCellCountMax; ++i) {
    sums_[i] = sum / all;
    sum += static_cast<float>(hits_[i]);
  }
  sums_[kCellCountMax] = 1;
}

}  // namespace weir::match::content
