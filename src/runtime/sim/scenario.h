// SPDX-License-Identifier: Apache-2.0
// Scenario: an experiment as data: members, links, work, faults, and what must hold.
//
//   0 ........ faults strike ........ faults end ........ calm ........ work ends ........ end
//                (safety)                       settle             (liveness)       drain
//
// While faults strike, and for the time `settle` after the last has ended, members may be at odds
// about who is home of a key. Then they must agree, and what users ask for must be answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "protocol/drop_reason.h"
#include "protocol/ring.h"
#include "runtime/sim/fraction.h"
#include "runtime/sim/network.h"
#include "runtime/sim/skewed_clock.h"

namespace weir::runtime::sim {

enum class Overlay : std::uint8_t { kChord, kSlots };

enum class Start : std::uint8_t {
  kSettled,  // all at once; in Chord each as if the overlay had long been stable
  kJoins,    // one after another
};

struct MemberOptions {
  std::uint64_t count = 100;
  Overlay overlay = Overlay::kChord;
  std::uint64_t ring_bits = protocol::kRingBitsMax;
  Start start = Start::kSettled;
  base::Duration join_every = base::Duration::milliseconds(100);
};

// How often users ask, all of them together, each time at a member drawn by chance.
struct WorkOptions {
  base::Duration from;
  base::Duration until;
  // Per second.
  std::uint64_t lookups = 0;
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t casts = 0;
  std::uint64_t arc_casts = 0;
  std::uint64_t adds = 0;
  // Of a cast.
  std::uint64_t cast_keys = 8;
  Fraction cast_arc{.numerator = 1, .denominator = 16};  // of the ring
};

enum class FaultKind : std::uint8_t {
  kCrash,
  kLeave,
  kJoin,
  kPartition,
  kLoss,
  kDuplication,
  kReordering,
  kSlow,
  kSkew,
};

// A number of members, or a share of those that are up.
struct Amount {
  std::uint64_t count = 0;
  Fraction share = {};

  std::uint64_t of(std::uint64_t up_count) const;
};

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  // It strikes once, or again `every` so long until `until`.
  base::Duration at;
  base::Duration every;  // 0: once
  base::Duration until;
  // Each strike is undone after this long: members that have crashed or left come back. 0: never.
  base::Duration lasts;
  std::optional<Amount> members;  // whom it strikes; none of loss: the whole network
  bool keeps_state = true;        // of a crash
  Fraction rate;                  // of loss, duplication, reordering
  base::Duration slowness;        // of slow, for each message
  base::Duration offset;          // of skew, at most
  std::uint64_t drift_ppm = 0;    // of skew, at most

  // When the last strike is undone, or happens if it never is.
  base::Duration end() const;
};

// Bounds of what was measured; what is not there is not checked.
struct CheckOptions {
  // Every key has one home, the right one: of all members' own keys and so many others.
  std::optional<std::uint64_t> owners = {};
  bool ring = false;                           // successors make one cycle, in order
  std::optional<Fraction> lookups_right = {};  // of those asked in calm, at least
  std::optional<Fraction> hops_min = {};       // their mean, in (log2 N) / 2
  std::optional<Fraction> hops_max = {};
  bool casts_exact = false;  // each home of a cast in calm heard it once, no other did
  std::optional<Fraction> items_kept = {};  // of what was stored and is asked for in calm
  bool sum = false;                         // all members know the exact sum, and how many they are
  std::vector<protocol::DropReason> no_drops = {};
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  MemberOptions members;
  LinkOptions link;
  WorkOptions work;
  std::vector<Fault> faults;
  base::Duration settle = base::Duration::seconds(30);
  base::Duration drain = base::Duration::seconds(30);
  base::Duration sample_every = base::Duration::seconds(1);  // for the series
  CheckOptions checks;

  // When everything that was done to the members has ended: faults, and joins at the start.
  base::Duration faults_end() const;
  base::Duration calm_from() const;
  base::Duration end() const;
};

}  // namespace weir::runtime::sim
