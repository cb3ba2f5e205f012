// SPDX-License-Identifier: Apache-2.0
#include "broker/publish_queue.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir::broker {

using std::chrono::nanoseconds;

// What is handed out, and how much more may be in this turn.
struct PublishQueue::Turn {
  nanoseconds per_event{0};
  nanoseconds time{0};
  std::size_t bytes = 0;
  Taken& taken;
  nanoseconds taken_time{0};
  Had had{0};

  bool is_over() const { return time <= nanoseconds(0) || bytes == 0; }

  void count(const PublishRequest& request, std::size_t index) {
    if (!request.events[index]) return;  // costs nothing
    const std::size_t event_bytes = request.memory_bytes[index];
    time -= per_event;
    taken_time += per_event;
    bytes -= std::min(bytes, event_bytes);
    had += per_event + kByteTime * event_bytes;
  }
};

void PublishQueue::push(PublishRequest request) {
  auto shared = std::make_shared<PublishRequest>(std::move(request));
  const auto [at, is_new] = waiting_.try_emplace(shared->owner);
  at->second.requests.push_back(std::move(shared));
  if (!is_new) return;
  const auto gone = gone_.find(at->first);
  at->second.had = gone == gone_.end() ? now_had_ : std::max(now_had_, gone->second);
  if (gone != gone_.end()) gone_.erase(gone);
  next_.insert(place_of(*at));
}

// The owner has no more requests. What it has had counts as long as it is more than others had.
void PublishQueue::leave(ByOwner::iterator at) {
  next_.erase(place_of(*at));
  std::erase_if(gone_, [this](const auto& entry) { return entry.second <= now_had_; });
  if (at->second.had > now_had_) gone_.emplace(at->first, at->second.had);
  waiting_.erase(at);
}

PublishQueue::Taken PublishQueue::take_all() {
  Taken taken;
  for (auto& [owner, waiting] : waiting_) {
    Turn turn{{}, nanoseconds::max(), std::numeric_limits<std::size_t>::max(), taken};
    take_turn(waiting, turn);
  }
  waiting_.clear();
  next_.clear();
  return taken;
}

// The time that an owner may take now, where so much room is left; 0: none.
nanoseconds PublishQueue::turn_of(std::string_view owner, nanoseconds room) const {
  if (room > nanoseconds(0)) return std::min(room, kTurn);
  const auto own = by_owner_.find(owner);
  return own == by_owner_.end() ? kTurn : std::max(kTurn - own->second, nanoseconds(0));
}

std::set<PublishQueue::Place>::iterator PublishQueue::find_next(nanoseconds room) const {
  return std::ranges::find_if(next_, [&](const Place& place) {
    return turn_of(std::get<std::string>(place), room) > nanoseconds(0);
  });
}

PublishQueue::Taken PublishQueue::take(Room room, const MatchCosts& costs, Clock::time_point now) {
  Taken taken;
  room.bytes = std::min(room.bytes, kTakenBytesMax);
  auto next = find_next(room.time);
  while (next != next_.end() && room.bytes > 0) {
    const auto at = waiting_.find(std::get<std::string>(*next));
    Waiting& waiting = at->second;
    next_.erase(next);
    if (at->first != last_owner_) {
      last_owner_ = at->first;
      other_owner_at_ = now;
    }
    now_had_ = std::max(now_had_, waiting.had);
    const std::size_t bytes = std::min(room.bytes, kTurnBytes);
    Turn turn{costs.of(at->first, now), turn_of(at->first, room.time), bytes, taken};
    take_turn(waiting, turn);
    room.time -= turn.taken_time;
    room.bytes -= bytes - turn.bytes;
    taken.times[at->first] += turn.taken_time;
    by_owner_[at->first] += turn.taken_time;
    under_way_ += turn.taken_time;
    waiting.had += turn.had;
    waiting.had_turn = true;
    if (waiting.requests.empty()) {
      leave(at);
    } else {
      next_.insert(place_of(*at));
    }
    next = find_next(room.time);
  }
  return taken;
}

void PublishQueue::on_matched(const Times& times) {
  for (const auto& [owner, time] : times) {
    const auto own = by_owner_.find(owner);
    under_way_ -= time;
    own->second -= time;
    if (own->second == nanoseconds(0)) by_owner_.erase(own);
  }
}

// Takes at least one event.
void PublishQueue::take_turn(Waiting& waiting, Turn& turn) {
  while (!waiting.requests.empty() && !turn.is_over()) {
    const std::shared_ptr<PublishRequest> request = waiting.requests.front();
    Piece piece{request, waiting.begin, waiting.begin};
    while (!piece.is_last() && !turn.is_over()) turn.count(*request, piece.end++);
    if (piece.is_last()) waiting.requests.pop_front();
    waiting.begin = piece.is_last() ? 0 : piece.end;
    turn.taken.pieces.push_back(std::move(piece));
  }
}

void PublishQueue::drop(const PublishRequest& request) {
  const auto at = waiting_.find(request.owner);
  if (at == waiting_.end() || at->second.requests.front().get() != &request) return;
  at->second.requests.pop_front();
  at->second.begin = 0;
  if (at->second.requests.empty()) leave(at);
}

}  // namespace weir::broker
