// SPDX-License-Identifier: Apache-2.0
// Recovery: from the registry and the log back to where the broker stood.
//
//   1. Outboxes are filled from the notes in the log, from the oldest unacknowledged delivery on.
//      Notes that are cut off before the last of those that belong together count for nothing.
//   2. Filters with state start from the checkpoint C; events behind it are published to them
//      again, in order, at the instants they had. Up to the last complete note M what they deliver
//      is thrown away, because it is noted.
//   3. Events behind M are matched again for all, and noted; so is what was held back and is due by
//      now, unless a note says that it was delivered.
//
// An event that has ended several starts is skipped in 2 and 3: restart_guard.h.
//
//   log:  ...[events][notes]...C.........[events][notes]M[events]
//            1: notes ------------------------------------>
//                               2: state ----------------->3: deliveries -->
//
// Costs a pass over the log from the oldest delivery that is not acknowledged, and matching from C.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "broker/broker_options.h"
#include "broker/counters.h"
#include "broker/sequencer.h"
#include "broker/shard.h"
#include "broker/text_share_holds.h"
#include "store/event_log.h"
#include "store/registry.h"

namespace weir::broker {

// A durable subscription that was there.
struct KnownSubscription {
  store::SubscriptionRow row;
  ShardSubscription subscription;
  std::shared_ptr<Shard> shard;
};

class Recovery {
 public:
  struct Context {
    const BrokerOptions& options;
    store::EventLog& log;
    const store::RegistryContents& contents;
    const std::vector<std::shared_ptr<Shard>>& shards;
    Sequencer& sequencer;
    Counters& counters;
    BrokerTime& time;
    MemoryBudget& memory;
  };
  Recovery(Context context, const std::vector<KnownSubscription>& known);

  base::Result<void> run();

  // The highest number in the notes that were read, also of subscriptions that are not known.
  std::uint64_t highest_noted_subscription() const { return highest_noted_; }

 private:
  // A subscription that waits for the event with which it comes into force.
  struct Waiting {
    const KnownSubscription* known;
    Outbox outbox;
    std::string state;
    base::Instant noted_until = {};
    store::SettledCounts settled = {};  // as the registry has them
    std::optional<store::ReplayRow> replay = {};
  };

  base::Result<void> prepare();
  base::Result<void> check_log() const;
  std::uint64_t scan_begin() const;
  std::uint64_t window_begin() const;
  base::Result<void> read_notes();
  struct ReadNote {
    std::uint64_t sequence;
    base::Instant at;
    MatchNote note;
  };
  void take_notes(const store::LogRecord& record, MatchNote note);
  void take_note(const ReadNote& record);
  base::Result<void> take_event(const store::LogRecord& record);
  std::uint64_t replay_begin() const;
  base::Result<void> replay();
  base::Result<void> activate(std::uint64_t sequence);
  void hand_over_notes();

  Context context_;
  const std::vector<KnownSubscription>& known_;
  std::map<std::uint64_t, Waiting> waiting_;            // by number
  std::multimap<std::uint64_t, std::uint64_t> starts_;  // first event to number
  std::map<std::uint64_t, std::uint64_t> scans_;        // number to the event to read from
  std::map<std::uint64_t, std::string> sources_;        // of events behind the last complete note
  std::vector<ReadNote> partial_;                       // wait for the last of them
  TextShareHolds text_holds_;
  bool any_conflate_ = false;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t noted_sequence_ = 0;  // M
  std::uint64_t highest_noted_ = 0;
  base::Instant window_since_;
};

}  // namespace weir::broker
