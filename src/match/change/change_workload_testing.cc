// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_workload_testing.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace weir::match {

std::vector<ChangeGroup::Joiner> change_joiners(std::size_t count) {
  base::Prng prng(count);
  std::vector<ChangeGroup::Joiner> joiners;
  joiners.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    joiners.push_back({i, 0.01 * std::pow(1000, prng.fraction())});
  }
  return joiners;
}

double ChangeWalk::next() {
  // The sum of twelve uniform numbers has a variance of one.
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += prng_.fraction();
  return value_ += 0.01 * sum;
}

ChangeScan::ChangeScan(const std::vector<ChangeGroup::Joiner>& joiners, double first) {
  for (const ChangeGroup::Joiner& joiner : joiners) {
    thresholds_.push_back(joiner.threshold);
    ids_.push_back(joiner.id);
  }
  const std::size_t padded = (joiners.size() + kBlock - 1) / kBlock * kBlock;
  thresholds_.resize(padded, std::numeric_limits<double>::infinity());
  ids_.resize(padded);
  lasts_.resize(padded, first);
}

void ChangeScan::update(double value, std::vector<std::uint64_t>& fired) {
  for (std::size_t block = 0; block < ids_.size(); block += kBlock) {
    std::array<std::uint8_t, kBlock> marks;
    const double* const thresholds = thresholds_.data() + block;
    double* const lasts = lasts_.data() + block;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const bool fires = std::abs(value - lasts[i]) > thresholds[i];
      marks[i] = fires ? 0xff : 0;
      lasts[i] = fires ? value : lasts[i];
    }
    for (std::size_t word = 0; word < kBlock; word += 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, marks.data() + word, sizeof(bits));
      for (; bits != 0; bits &= bits - 1) {
        const auto byte = static_cast<std::size_t>(std::countr_zero(bits)) / 8;
        fired.push_back(ids_[block + word + byte]);
        bits &= ~(std::uint64_t{0xff} << (byte * 8));
      }
    }
  }
}

}  // namespace weir::match
