// SPDX-License-Identifier: Apache-2.0
// Scenario: an experiment as data: members, links, work, faults and checks.
//
//   0 ........ faults strike ........ faults end ........ calm ........ work ends ........ end
//                (safety)                       settle             (liveness)       drain
//
// While faults strike, and for the time `settle` after the last has ended, members may disagree
// about the home of a key. Then they must agree, and requests must be answered.
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
  kSettled,  // all at once; in Chord as if the ring had stabilised
  kJoins,    // one after another
};

struct MemberOptions {
  std::uint64_t count = 100;
  Overlay overlay = Overlay::kChord;
  std::uint64_t ring_bits = protocol::kRingBitsMax;
  Start start = Start::kSettled;
  base::Duration join_every = base::Duration::milliseconds(100);
};

// Request rates of all users together. Each request goes to a random member.
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
  // Destinations of a cast.
  std::uint64_t cast_keys = 8;
  Fraction cast_arc{.numerator = 1, .denominator = 16};  // part of the ring
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

// A number of members, or a share of the members that are up.
struct Amount {
  std::uint64_t count = 0;
  Fraction share = {};

  std::uint64_t of(std::uint64_t up_count) const;
};

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  // Strikes at `at`, and then at every interval `every` until `until`.
  base::Duration at;
  base::Duration every;  // 0: once
  base::Duration until;
  // Each strike is undone after this time: members that crashed or left come back. 0: never.
  base::Duration lasts;
  std::optional<Amount> members;  // struck members; nullopt for loss: the whole network
  bool keeps_state = true;        // for crash
  Fraction rate;                  // for loss, duplication, reordering
  base::Duration slowness;        // for slow: time per message
  base::Duration offset;          // for skew: at most
  std::uint64_t drift_ppm = 0;    // for skew: at most

  // Returns the end of the last strike: when it is undone, or when it strikes if it is not.
  base::Duration end() const;
};

// Checks and their bounds; absent ones are not checked.
struct CheckOptions {
  // Every member's own key and this many other keys have one home, the right one.
  std::optional<std::uint64_t> owners = {};
  bool ring = false;                           // successors form one ordered cycle
  std::optional<Fraction> lookups_right = {};  // least share of lookups in calm
  std::optional<Fraction> hops_min = {};       // mean hops of lookups, in (log2 N) / 2
  std::optional<Fraction> hops_max = {};
  bool casts_exact = false;  // each home of a cast in calm heard it once, and no other member
  std::optional<Fraction> items_kept = {};  // least share of stored texts that are found in calm
  bool sum = false;                         // all members know the exact sum and their number
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
  base::Duration sample_every = base::Duration::seconds(1);  // interval of samples
  CheckOptions checks;

  // Returns the end of all faults and of the initial joins.
  base::Duration faults_end() const;
  base::Duration calm_from() const;
  base::Duration end() const;
};

}  // namespace weir::runtime::sim
