// SPDX-License-Identifier: Apache-2.0
// Metrics: what the server counts, and all that is known as Prometheus' text.
//
// Counting costs an atomic addition. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "broker/broker_stats.h"

namespace weir::server {

// The limits of ServerOptions that a peer can run into.
enum class Limit : std::uint8_t {
  kConnectionCount,
  kConnectionsPerAddress,
  kHeaderBytes,
  kHeaderTimeout,
  kBodyBytes,
  kBodiesBytes,
  kBodyTimeout,
  kIdleTimeout,
  kWriteTimeout,
  kAuthenticationQueue,
  kWebsocketMessageBytes,
  kWebsocketPing,
};
inline constexpr std::size_t kLimitCount = 12;

// The name of the option.
std::string_view to_string(Limit limit);

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // An answer; the index is the route's, or their number for a request without one.
  void count_answer(std::size_t route_index, unsigned status, std::chrono::nanoseconds latency);
  void count_limit(Limit limit) { add(limits_[static_cast<std::size_t>(limit)], 1); }
  // An error that a peer is told; those of the code kLimit are counted, each by its name.
  void count_error(base::ErrorId id);
  // An event that was refused before the broker saw it, for the reason told.
  void count_refused_event(base::ErrorId id);
  void count_connection() { add(connections_, 1); }
  void count_refused_token() { add(refused_tokens_, 1); }
  void connection_opened() { open_.fetch_add(1, std::memory_order_relaxed); }
  void connection_closed() { open_.fetch_sub(1, std::memory_order_relaxed); }
  void stream_opened(bool websocket) { (websocket ? websockets_ : sses_).fetch_add(1); }
  void stream_closed(bool websocket) { (websocket ? websockets_ : sses_).fetch_sub(1); }
  void count_stream(std::uint64_t dispatch_count, std::uint64_t bytes) {
    add(stream_dispatches_, dispatch_count);
    add(stream_bytes_, bytes);
  }

  std::uint64_t limit_count(Limit limit) const {
    return limits_[static_cast<std::size_t>(limit)].load(std::memory_order_relaxed);
  }

  // With the bytes of request bodies that are held now.
  std::string text(const broker::BrokerStats& broker, std::size_t body_bytes) const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct Answers;

  broker::BrokerStats with_refused_events(broker::BrokerStats stats) const;
  static void add(Counter& counter, std::uint64_t count) {
    counter.fetch_add(count, std::memory_order_relaxed);
  }

  std::unique_ptr<Answers> answers_;
  std::array<Counter, kLimitCount> limits_{};
  std::vector<Counter> errors_;  // as in the table of errors
  Counter connections_ = 0;
  Counter refused_tokens_ = 0;
  Counter rejected_events_ = 0;     // for good
  Counter unavailable_events_ = 0;  // for now
  Counter stream_dispatches_ = 0;
  Counter stream_bytes_ = 0;
  std::atomic<std::int64_t> open_ = 0;
  std::atomic<std::int64_t> sses_ = 0;
  std::atomic<std::int64_t> websockets_ = 0;
};

}  // namespace weir::server
