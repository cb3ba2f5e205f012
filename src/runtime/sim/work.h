// SPDX-License-Identifier: Apache-2.0
// Work: the requests of a scenario's users, and whether they are answered.
//
// Keys are random, each is put once, and only stored keys are asked for, so the right answer does
// not depend on the order of requests.
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
  // A cast in calm: the keys that each home must hear and those that it heard.
  class CastRecord {
   public:
    std::vector<protocol::Key> keys;  // ascending; none for an arc
    // By home; empty for slots, where no definition names the home.
    std::map<protocol::NodeId, std::vector<protocol::Key>> expected;
    std::map<protocol::NodeId, std::vector<std::vector<protocol::Key>>> heard;  // of each arrival

    bool is_exact() const;

   private:
    bool is_each_key_heard_once() const;
  };

  Work(const Scenario& scenario, World& world);

  // Schedules all requests of the scenario, and at the end gets of all stored keys.
  void start();
  void on_deliver(protocol::NodeId node, const protocol::Deliver& what);
  // The member has lost its part of the sum.
  void forget(protocol::NodeId node) { added_.erase(node); }

  // Adds the counts of requests to the report.
  void report(Report& report) const;
  const std::map<std::uint64_t, CastRecord>& casts() const { return casts_; }
  // Returns the last sum that a member reported; nullopt if there was none.
  std::optional<protocol::probe::Sum> sum_at(protocol::NodeId node) const;
  // Returns the sum over all members that are up.
  std::int64_t exact_sum() const;

 private:
  using Asked = std::pair<protocol::NodeId, protocol::Key>;  // the member asked, and the key
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
  // Unanswered requests, and whether they were made in calm.
  std::map<Asked, bool> lookups_asked_;
  std::map<Asked, std::pair<std::string, bool>> puts_asked_;
  std::map<Asked, std::pair<std::string, bool>> gets_asked_;
  std::vector<Stored> stored_;
  std::map<std::uint64_t, CastRecord> casts_;  // casts in calm, by number
  std::set<std::uint64_t> casts_heard_;
  std::uint64_t cast_number_ = 0;
  std::map<protocol::NodeId, std::int64_t> added_;
  std::map<protocol::NodeId, protocol::probe::Sum> sums_;
};

}  // namespace weir::runtime::sim
