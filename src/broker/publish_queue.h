// SPDX-License-Identifier: Apache-2.0
// PublishQueue: requests of publishers that wait to be written, handed out to their owners in
// turns.
//
// Events are matched in the order in which they are written. So an event waits for all that was
// written before it, whoever published that, and the last place where one owner can overtake
// another is here. Three rules bound how long an owner waits for the others:
//
//   - A turn is what an owner may write before another owner may: events that take about kTurn to
//     match, or kTurnBytes. A request that has more is written in several pieces, in order.
//   - The next turn is of the owner that has had least. An owner that comes back has had as much as
//     the one whose turn it is, so that nobody saves up (start-time fair queueing).
//   - No more is handed out than is matched within a short time (Room): the rest waits here, where
//     the turns are. Only owners of whom less than a turn is being matched get theirs all the same:
//     a publisher that sends one event after the other keeps its pace.
//
// A single owner has all turns. Requests of one owner keep their order. Single-threaded.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory_account.h"
#include "broker/broker.h"
#include "broker/match_costs.h"

namespace weir::broker {

// A publisher's request; events that are rejected already have their outcome.
struct PublishRequest {
  std::vector<event::EventPtr> events;  // null: rejected
  std::vector<PublishOutcome> outcomes;
  std::string owner;                      // whose events they are
  std::vector<std::size_t> memory_bytes;  // of each event
  base::MemoryCharge waiting;             // what they take until they are written
  base::MemoryAccount::Ptr queue;         // where they are counted until they are matched
  PublishDone done;
  bool depends_on_commit = false;  // an outcome is true only if the commit succeeds
  bool is_answered = false;
};

class PublishQueue {
 public:
  using Clock = MatchCosts::Clock;
  static constexpr std::chrono::nanoseconds kTurn = std::chrono::milliseconds(2);
  static constexpr std::size_t kTurnBytes = std::size_t{1} << 20U;
  // Events of one commit, so that it does not take long.
  static constexpr std::size_t kTakenBytesMax = std::size_t{4} << 20U;
  // After such a time without turns of others an owner counts as the only one.
  static constexpr std::chrono::seconds kAlone{1};
  // A byte counts as so much time, for the disk.
  static constexpr std::chrono::nanoseconds kByteTime{1};

  // Events `begin` to `end` of a request.
  struct Piece {
    std::shared_ptr<PublishRequest> request;
    std::size_t begin = 0;
    std::size_t end = 0;

    bool is_first() const { return begin == 0; }
    bool is_last() const { return end == request->events.size(); }
  };
  // How long matching takes, about, by owner.
  using Times = std::map<std::string, std::chrono::nanoseconds, std::less<>>;
  struct Taken {
    std::vector<Piece> pieces;
    Times times;
  };
  // How much may be handed out. The last event may go beyond it.
  struct Room {
    std::chrono::nanoseconds time{0};
    std::size_t bytes = 0;
  };

  void push(PublishRequest request);
  bool empty() const { return waiting_.empty(); }
  // Whether take() would hand out something.
  bool can_take(const Room& room) const {
    return room.bytes > 0 && find_next(room.time) != next_.end();
  }
  Taken take(Room room, const MatchCosts& costs, Clock::time_point now);
  Taken take_all();
  // Pieces that take() handed out are matched.
  void on_matched(const Times& times);
  // Whether one owner alone has had turns for a while.
  bool has_one_owner(Clock::time_point now) const { return now - other_owner_at_ > kAlone; }
  // How long matching takes, about, of all that was taken and is not matched.
  std::chrono::nanoseconds under_way() const { return under_way_; }
  // What is left of a request that was answered is not handed out any more.
  void drop(const PublishRequest& request);

 private:
  using Had = std::chrono::nanoseconds;  // how much an owner has had, as time
  struct Waiting {
    std::deque<std::shared_ptr<PublishRequest>> requests;
    std::size_t begin = 0;  // of the first request, up to here it was handed out
    Had had{0};
    bool had_turn = false;  // since it came
  };
  using ByOwner = std::map<std::string, Waiting, std::less<>>;
  // Where two have had as much, whoever has just come goes first.
  using Place = std::tuple<Had, bool, std::string>;
  struct Turn;

  static Place place_of(const ByOwner::value_type& entry) {
    return {entry.second.had, entry.second.had_turn, entry.first};
  }
  static void take_turn(Waiting& waiting, Turn& turn);
  std::chrono::nanoseconds turn_of(std::string_view owner, std::chrono::nanoseconds room) const;
  std::set<Place>::iterator find_next(std::chrono::nanoseconds room) const;
  void leave(ByOwner::iterator at);

  ByOwner waiting_;       // none is empty
  std::set<Place> next_;  // the same owners, whose turn it is next first
  Times by_owner_;        // under way
  std::chrono::nanoseconds under_way_{0};
  std::string last_owner_;                        // that had a turn
  Clock::time_point other_owner_at_;              // when another one than before had one
  Had now_had_{0};                                // by the owner whose turn was the last one
  std::map<std::string, Had, std::less<>> gone_;  // owners without requests that have had more
};

}  // namespace weir::broker
