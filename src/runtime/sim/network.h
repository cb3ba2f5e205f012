// SPDX-License-Identifier: Apache-2.0
// Network: when, how often and whether at all a message arrives.
#pragma once

#include <cstdint>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/effects.h"
#include "runtime/sim/fraction.h"

namespace weir::runtime::sim {

struct LinkOptions {
  base::Duration latency_min = base::Duration::milliseconds(10);
  base::Duration latency_max = base::Duration::milliseconds(10);
  Fraction loss;
  Fraction duplication;
  // A reordered message takes up to this much longer than its latency.
  Fraction reordering;
  base::Duration reordering_delay_max = base::Duration::milliseconds(100);
};

class Network {
 public:
  explicit Network(const LinkOptions& options) : options_(options) {}

  LinkOptions& options() { return options_; }

  // The delays of the copies that arrive: none if it is lost. Members of different groups do not
  // hear each other.
  void carry(protocol::NodeId from, protocol::NodeId to, base::Prng& prng,
             std::vector<base::Duration>& delays) const;

  void set_group(protocol::NodeId node, std::uint32_t group);
  void heal() { groups_.clear(); }

 private:
  base::Duration latency(base::Prng& prng) const;
  std::uint32_t group_of(protocol::NodeId node) const;

  LinkOptions options_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace weir::runtime::sim
