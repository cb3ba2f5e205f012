// SPDX-License-Identifier: Apache-2.0
// The workload of `./bench change`: thresholds on one source, a walk, and the scan it is held
// against.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "match/change/change_group.h"

namespace weir::match {

// Ids from 0 on; thresholds log-uniform in 0.01..10, in random order.
std::vector<ChangeGroup::Joiner> change_joiners(std::size_t count);

// A random walk whose steps have a standard deviation of 0.01: about 3.5 % of these subscribers
// fire on a reading.
class ChangeWalk {
 public:
  explicit ChangeWalk(std::uint64_t seed) : prng_(seed) {}

  double next();

 private:
  base::Prng prng_;
  double value_ = 100;
};

// The state of every subscriber in arrays, all looked at on every reading.
class ChangeScan {
 public:
  explicit ChangeScan(const std::vector<ChangeGroup::Joiner>& joiners, double first);

  // Appends the ids that fire.
  void update(double value, std::vector<std::uint64_t>& fired);

 private:
  static constexpr std::size_t kBlock = 256;

  std::vector<double> thresholds_;  // padded to whole blocks with infinite ones
  std::vector<double> lasts_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace weir::match
