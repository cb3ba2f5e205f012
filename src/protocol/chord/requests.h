// SPDX-License-Identifier: Apache-2.0
// Requests: the requests of a member that wait for an answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/instant.h"
#include "protocol/chord/peer.h"

namespace weir::protocol::chord {

enum class Purpose : std::uint8_t {
  kSuccessor,       // ask the successor for its list and its predecessor
  kNearer,          // ask a member that becomes the successor if it answers
  kNewPredecessor,  // ask a member that becomes the predecessor if it answers
  kCheck,           // ask whether a member is still there
  kChunk,           // send items to their home
  kJoin,            // find the future successor
  kProbe,           // find out whether a remembered member is on the same ring
  kFinger,          // find a finger
  kItemsHome,       // find the home of an item that lies here
  kLookup,          // find a home for the user
};

constexpr bool is_find(Purpose purpose) { return purpose >= Purpose::kJoin; }

struct Request {
  std::uint64_t number = 0;
  Purpose purpose = Purpose::kCheck;
  Peer target;                     // receiver; for a find the first hop
  Key key;                         // for a find
  std::uint64_t farther_than = 0;  // for a finger: distance of the one before it, in steps
  unsigned attempt = 0;
  base::Instant deadline;
};

class Requests {
 public:
  std::size_t count(Purpose purpose) const {
    return static_cast<std::size_t>(
        std::count_if(list_.begin(), list_.end(),
                      [&](const Request& request) { return request.purpose == purpose; }));
  }
  bool has(Purpose purpose) const { return count(purpose) > 0; }
  bool has(Purpose purpose, NodeId target) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Request& request) {
      return request.purpose == purpose && request.target.node == target;
    });
  }

  void add(const Request& request) { list_.push_back(request); }

  const Request* find(std::uint64_t number) const {
    const auto found = std::find_if(list_.begin(), list_.end(), [&](const Request& request) {
      return request.number == number;
    });
    return found == list_.end() ? nullptr : &*found;
  }
  void remove(std::uint64_t number) {
    std::erase_if(list_, [&](const Request& request) { return request.number == number; });
  }
  void remove(Purpose purpose) {
    std::erase_if(list_, [&](const Request& request) { return request.purpose == purpose; });
  }

  std::optional<base::Instant> next_deadline() const {
    std::optional<base::Instant> next;
    for (const Request& request : list_) {
      if (!next || request.deadline < *next) next = request.deadline;
    }
    return next;
  }
  // Removes and returns a request whose deadline has come; nullopt if there is none.
  std::optional<Request> take_expired(base::Instant now) {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_[i].deadline > now) continue;
      const Request expired = list_[i];
      list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
      return expired;
    }
    return std::nullopt;
  }

 private:
  std::vector<Request> list_;
};

}  // namespace weir::protocol::chord
