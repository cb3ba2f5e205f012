// SPDX-License-Identifier: Apache-2.0
// Work: what the users of a scenario ask for, and whether they get it.
//
// Keys are drawn by chance, each is put once, and only what was stored is asked for, so that what
// the right answer is does not depend on who comes first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "protocol/chord/messages.h"
#include "protocol/effects.h"
#include "protocol/probe/messages.h"
#include "runtime/sim/report.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

class Work {
 public:
  // A cast in calm: what each home must hear of it, and what was heard.
  class CastRecord {
   public:
    std::vector<protocol::Key> keys;  // ascending; none of an arc
    // By home; none where the overlay decides by itself.
    std::map<protocol::NodeId, std::vector<protocol::Key>> expected;
    std::map<protocol::NodeId, std::vector<std::vector<protocol::Key>>> heard;  // each time

    bool is_exact() const;

   private:
    bool is_each_key_heard_once() const;
  };

  Work(const Scenario& scenario, World& world);

  // Asks from now on as the scenario says, and at the end for all that was stored.
  void start();
  void on_deliver(protocol::NodeId node, const protocol::Deliver& what);
  // Its part of the sum is gone.
  void forget(protocol::NodeId node) { added_.erase(node); }

  // Fills in what users saw.
  void report(Report& report) const;
  const std::map<std::uint64_t, CastRecord>& casts() const { return casts_; }
  // What a member was told last.
  std::optional<protocol::probe::Sum> sum_at(protocol::NodeId node) const;
  // Of all members that are up.
  std::int64_t exact_sum() const;

 private:
  using Asked = std::pair<protocol::NodeId, protocol::Key>;  // at whom, about what
  struct Stored {
    protocol::Key key;
    std::string text;
  };

  void every(std::uint64_t per_second, void (Work::*ask)());
  void repeat(base::Instant at, std::int64_t interval_ns, void (Work::*ask)());
  void read_back();
  void look_up();
  void put();
  void get();
  void get(const Stored& stored);
  void cast_keys();
  void cast_arc();
  void cast(CastRecord record, protocol::Destinations destinations);
  void add();

  void hear(protocol::NodeId node, const protocol::chord::Found& found);
  void hear(protocol::NodeId node, const protocol::probe::Stored& stored);
  void hear(protocol::NodeId node, const protocol::probe::Got& got);
  void hear(protocol::NodeId node, const protocol::probe::Arrived& arrived);

  bool is_calm() const;
  protocol::NodeId any_member();
  protocol::Key any_key();

  const Scenario& scenario_;
  World& world_;
  base::Prng prng_;
  WorkCounts lookups_;
  WorkCounts puts_;
  WorkCounts gets_;
  WorkCounts all_casts_;
  std::uint64_t add_count_ = 0;
  std::vector<std::uint64_t> hops_histogram_;
  // What waits for an answer, and whether it was asked in calm.
  std::map<Asked, bool> lookups_asked_;
  std::map<Asked, std::pair<std::string, bool>> puts_asked_;
  std::map<Asked, std::pair<std::string, bool>> gets_asked_;
  std::vector<Stored> stored_;
  std::map<std::uint64_t, CastRecord> casts_;  // in calm, by number
  std::set<std::uint64_t> casts_heard_;
  std::uint64_t cast_number_ = 0;
  std::map<protocol::NodeId, std::int64_t> added_;
  std::map<protocol::NodeId, protocol::probe::Sum> sums_;
};

}  // namespace weir::runtime::sim
