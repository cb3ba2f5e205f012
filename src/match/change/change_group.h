// SPDX-License-Identifier: Apache-2.0
// ChangeGroup: all subscribers of one movement (direction, percent, strict or inclusive, timing),
// and the sources of their readings, one for each key.
//
// A source is made by its first reading and retired when it had none for `idle`; a
// reading after that is a first reading again. Beyond key_count_max sources, a reading of a new key
// is for everybody and not remembered; so is one of a key for which the memory account has no room.
// Joining and leaving do not depend on how many sources there
// are: see JoinLog.
//
// A delivery is for the caller to make: update() and advance() say to whom, as ranges of ids that
// are valid until somebody joins, leaves or moves. Single-threaded; instants must not go back.
//
//   group.join(7, 0.5, Initial::kDeliver);
//   group.update("sensor-1", 20.5, now, nullptr, firing);   // to 7
//   while (group.advance(now, firing)) deliver(firing);
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/instant.h"
#include "base/memory_account.h"
#include "event/event.h"
#include "match/change/change_source.h"
#include "match/change/firing.h"
#include "match/change/initial.h"
#include "match/change/join_log.h"
#include "match/change/threshold_index.h"

namespace weir::match {

struct ChangeGroupOptions {
  Movement movement = {};
  ChangeTiming timing = {};
  Initial usual_initial = Initial::kDeliver;  // any may be given; this one takes no memory
  std::size_t key_count_max = 1'000'000;
  std::optional<base::Duration> idle = std::nullopt;  // nullopt: no source is retired
  bool keep_events = false;
  base::MemoryAccount::Ptr memory = {};  // null: it may take what it wants
};

struct ChangeGroupCounters {
  ChangeCounters readings;
  std::uint64_t overflow = 0;  // readings of keys beyond key_count_max
  std::uint64_t retired = 0;   // sources
};

class ChangeGroup {
 public:
  struct Joiner {
    std::uint64_t id = 0;
    double threshold = 0;
    Initial initial = Initial::kDeliver;
  };
  struct SourceView {
    std::string_view key;
    const std::optional<Reading>& newest;
    const event::EventPtr& event;  // of the newest reading, if it is kept
    const ChangeCounters& counters;
    std::size_t piece_count;
  };

  explicit ChangeGroup(const ChangeGroupOptions& options)
      : options_(options), memory_(options.memory) {}
  ChangeGroup(const ChangeGroup&) = delete;
  ChangeGroup& operator=(const ChangeGroup&) = delete;

  // Requires an id that is not in the group, below the largest, and a finite threshold >= 0.
  void join(const Joiner& joiner);
  // The same for many into a group without subscribers and sources, faster.
  void join_all(const std::vector<Joiner>& joiners);
  // False if there is no such subscriber.
  bool leave(std::uint64_t id, double threshold);
  // Keeps what was delivered. False if there is no such subscriber.
  bool move(std::uint64_t id, double from, double to);

  // Clears `firing` and says whom the reading is for. Requires a finite value. The event is kept
  // only if the options say so.
  void update(std::string_view key, double value, base::Instant now, const event::EventPtr& event,
              Firing& firing);

  // When advance() may have something to say.
  std::optional<base::Instant> next_wake() const;
  // Clears `firing` and says whom the newest value of the source that is due first, by now, is for;
  // that may be nobody. False if nothing is due.
  bool advance(base::Instant now, Firing& firing);

  // What a subscriber was last told from a source; nullopt if nothing.
  std::optional<LastDelivery> last(std::uint64_t id, double threshold, std::string_view key);
  std::optional<SourceView> source(std::string_view key) const;
  // The next reading is the first one again. False if there is no such subscriber or key.
  bool forget(std::uint64_t id, double threshold, std::string_view key);

  // Puts back what last() and source() have told, sources in the order of for_each_source(). False
  // if there is no such subscriber, or no room for the key.
  bool set_last(std::uint64_t id, double threshold, std::string_view key, const LastDelivery& last);
  bool set_newest(std::string_view key, const Reading& newest, const event::EventPtr& event);

  // visit(SourceView), in the order of their newest readings.
  template <typename Visit>
  void for_each_source(const Visit& visit) const {
    for (const KeyedSource& source : sources_) visit(view(source));
  }

  const ChangeGroupOptions& options() const { return options_; }
  const ChangeGroupCounters& counters() const { return counters_; }
  std::size_t size() const { return index_.size(); }
  std::size_t source_count() const { return sources_.size(); }
  std::size_t piece_count() const;
  std::size_t log_size() const { return log_.size(); }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kLogSlackMin = 1024;

  struct KeyedSource {
    std::string key;
    ChangeSource source;
    std::uint64_t seen;  // the last entry of the log that was applied
    base::Instant active_at;
    std::optional<base::Instant> wake;
    event::EventPtr event;
    std::size_t memory_bytes = 0;  // that were taken for it
  };
  using Sources = std::list<KeyedSource>;  // in the order of active_at
  struct Wake {
    base::Instant due;
    Sources::iterator source;

    bool operator<(const Wake& other) const {
      return due < other.due || (due == other.due && source->key < other.source->key);
    }
  };

  SourceView view(const KeyedSource& source) const;
  Sources::iterator find(std::string_view key);
  // end() if there is no room.
  Sources::iterator find_or_add(std::string_view key, base::Instant now);
  void fill(ChangeSource& source) const;
  std::size_t memory_bytes(const KeyedSource& source, const event::EventPtr& event) const;
  // False if there is no room for the source with this event.
  bool take_memory(KeyedSource& source, const event::EventPtr& event);
  void keep_memory(KeyedSource& source);
  void drop(Sources::iterator source);
  void set_active(Sources::iterator source, base::Instant at);
  void retire(base::Instant now);
  void catch_up(KeyedSource& source);
  void schedule(Sources::iterator source);
  void set_state(Sources::iterator source, Position position, const PieceState& state);
  void fire_all(double value, base::Instant now, Firing& firing);
  void keep_log_short();

  ChangeGroupOptions options_;
  ThresholdIndex index_;
  ThresholdIndex unusual_;  // those with the other initial
  JoinLog log_;
  std::size_t log_size_max_ = kLogSlackMin;
  Sources sources_;
  boost::unordered_flat_map<std::string_view, Sources::iterator, base::StringHash, std::equal_to<>>
      by_key_;
  std::set<Wake> wakes_;
  PieceMap::Pieces scratch_;
  ChangeGroupCounters counters_;
  base::MemoryCharge memory_;
};

}  // namespace weir::match
