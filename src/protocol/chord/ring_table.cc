// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/ring_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace weir::protocol::chord {

RingTable::RingTable(const Ring& ring, const Peer& self, std::size_t successors_max)
    : ring_(ring), self_(self), successors_max_(successors_max) {}

std::optional<Peer> RingTable::successor() const {
  if (successors_.empty()) return std::nullopt;
  return successors_.front();
}

bool RingTable::owns(Key key) const {
  if (predecessor_) return ring_.contains({.after = predecessor_->id, .last = self_.id}, key);
  return is_alone();
}

bool RingTable::is_other(const Peer& peer) const {
  return peer.node != self_.node && peer.id != self_.id && ring_.has(peer.id);
}

bool RingTable::is_list_of(const Peer& owner, std::span<const Peer> successors) const {
  std::uint64_t last = 0;
  for (const Peer& peer : successors) {
    const std::uint64_t steps = ring_.distance(owner.id, peer.id);
    if (!ring_.has(peer.id) || peer.node == owner.node || steps <= last) return false;
    last = steps;
  }
  return true;
}

bool RingTable::is_nearer_successor(const Peer& peer) const {
  const Key end = successors_.empty() ? self_.id : successors_.front().id;
  return peer.node != self_.node && ring_.is_between(self_.id, peer.id, end);
}

bool RingTable::is_nearer_predecessor(const Peer& peer) const {
  const Key begin = predecessor_ ? predecessor_->id : self_.id;
  return peer.node != self_.node && ring_.is_between(begin, peer.id, self_.id);
}

void RingTable::set_predecessor(const std::optional<Peer>& peer) {
  if (peer != predecessor_) ++version_;
  predecessor_ = peer;
}

void RingTable::follow(const Peer& successor, std::span<const Peer> its_successors) {
  std::vector<Peer> list{successor};
  for (const Peer& peer : its_successors) {
    if (list.size() == successors_max_ || peer.node == self_.node) break;
    if (distance(peer) <= distance(list.back())) break;
    list.push_back(peer);
  }
  if (list == successors_) return;
  ++version_;
  list.shrink_to_fit();
  successors_ = std::move(list);
  cut_near_fingers();
}

template <typename Predicate>
bool RingTable::remove_if(Predicate is_removed) {
  std::size_t count = std::erase_if(successors_, is_removed);
  count += std::erase_if(fingers_, [&](const Finger& old) { return is_removed(old.peer); });
  if (predecessor_ && is_removed(*predecessor_)) {
    predecessor_.reset();
    ++count;
  }
  if (count > 0) ++version_;
  cut_near_fingers();
  return count > 0;
}

bool RingTable::remove(NodeId node) {
  return remove_if([&](const Peer& peer) { return peer.node == node; });
}

void RingTable::correct(const Peer& said) {
  remove_if([&](const Peer& peer) { return peer.node == said.node && peer.id != said.id; });
}

void RingTable::cut_near_fingers() {
  if (successors_.empty()) return;
  std::erase_if(fingers_, [&](const Finger& finger) {
    return distance(finger.peer) <= distance(successors_.front());
  });
}

void RingTable::set_finger(std::uint64_t farther_than, const Finger& finger) {
  const std::uint64_t end = distance(finger.peer);
  if (std::find(fingers_.begin(), fingers_.end(), finger) == fingers_.end()) ++version_;
  std::erase_if(fingers_, [&](const Finger& old) {
    return distance(old.peer) > farther_than && distance(old.peer) <= end;
  });
  const auto place = std::find_if(fingers_.begin(), fingers_.end(),
                                  [&](const Finger& other) { return distance(other.peer) > end; });
  fingers_.insert(place, finger);
}

void RingTable::cut_fingers(std::uint64_t farther_than) {
  const auto is_cut = [&](const Finger& old) { return distance(old.peer) > farther_than; };
  if (std::erase_if(fingers_, is_cut) > 0) ++version_;
}

std::optional<Hop> RingTable::hop_to(Key key, unsigned attempt) const {
  if (successors_.empty()) return std::nullopt;
  if (ring_.contains({.after = self_.id, .last = successors_.front().id}, key)) {
    return Hop{.peer = successors_.front(), .is_last = true};
  }
  const auto visit = [&](const auto& take) {
    for (const Peer& peer : successors_) {
      if (ring_.is_between(self_.id, peer.id, key)) take(peer);
    }
    for (const Finger& finger : fingers_) {
      if (ring_.is_between(self_.id, finger.peer.id, key)) take(finger.peer);
    }
  };
  const auto is_closer = [&](const Peer& a, const Peer& b) { return distance(a) > distance(b); };
  if (attempt == 0) {  // the usual case, without a list
    Peer closest = successors_.front();
    visit([&](const Peer& peer) { closest = is_closer(peer, closest) ? peer : closest; });
    return Hop{.peer = closest};
  }
  std::vector<Peer> before;
  visit([&](const Peer& peer) { before.push_back(peer); });
  std::sort(before.begin(), before.end(), is_closer);
  before.erase(std::unique(before.begin(), before.end()), before.end());
  return Hop{.peer = before[attempt % before.size()]};
}

std::vector<Finger> RingTable::children() const {
  std::vector<Finger> children;
  if (successors_.empty()) return children;
  children.push_back({.peer = successors_.front(), .predecessor = self_.id});
  for (const Finger& finger : fingers_) {
    const Key last = children.back().peer.id;
    // The known predecessor of the finger may be out of date.
    const bool fits = ring_.is_between(last, finger.predecessor, finger.peer.id);
    children.push_back({.peer = finger.peer, .predecessor = fits ? finger.predecessor : last});
  }
  return children;
}

void RingTable::settle(std::span<const Peer> members) {
  const auto self = std::lower_bound(members.begin(), members.end(), self_,
                                     [](const Peer& a, const Peer& b) { return a.id < b.id; });
  WEIR_CHECK(self != members.end() && *self == self_);
  const std::size_t count = members.size();
  const auto index = static_cast<std::size_t>(self - members.begin());
  const auto at = [&](std::size_t i) { return members[i % count]; };
  const auto home_index = [&](Key key) {
    return static_cast<std::size_t>(
        std::lower_bound(members.begin(), members.end(), key,
                         [](const Peer& peer, Key wanted) { return peer.id < wanted; }) -
        members.begin());
  };
  ++version_;
  successors_.clear();
  fingers_.clear();
  predecessor_.reset();
  if (count == 1) return;
  predecessor_ = at(index + count - 1);
  for (std::size_t i = 1; i < count && i <= successors_max_; ++i) {
    successors_.push_back(at(index + i));
  }
  auto bit = static_cast<unsigned>(std::bit_width(distance(successors_.front())));
  while (bit < ring_.bits()) {
    const std::uint64_t step = std::uint64_t{1} << bit;
    const std::size_t home = home_index(ring_.plus(self_.id, step));
    if (distance(at(home)) < step) break;
    fingers_.push_back({.peer = at(home), .predecessor = at(home + count - 1).id});
    bit = static_cast<unsigned>(std::bit_width(distance(at(home))));
  }
  fingers_.shrink_to_fit();
}

}  // namespace weir::protocol::chord
