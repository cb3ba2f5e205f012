// SPDX-License-Identifier: Apache-2.0
// Inbox: a bounded queue of input for the node's thread. Safe for all threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace weir::runtime::nats {

class Inbox {
 public:
  enum class From : std::uint8_t { kNetwork, kUser, kSelf };
  struct Letter {
    From from = From::kNetwork;
    std::string bytes;
  };
  struct Stats {
    std::size_t length = 0;
    std::uint64_t refused_count = 0;  // for lack of room
  };

  Inbox(std::size_t messages_max, std::size_t bytes_max)
      : messages_max_(messages_max), bytes_max_(bytes_max) {}

  // Returns false if there is no room.
  bool push(Letter letter);
  // Waits for the next letter. Returns nullopt if the inbox is closed or none came in time.
  std::optional<Letter> pop(std::chrono::steady_clock::time_point until);
  void close();
  bool is_closed() const;
  Stats stats() const;

 private:
  const std::size_t messages_max_;
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> letters_;
  std::size_t bytes_ = 0;
  std::uint64_t refused_count_ = 0;
  bool is_closed_ = false;
};

}  // namespace weir::runtime::nats
