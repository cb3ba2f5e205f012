// SPDX-License-Identifier: Apache-2.0
// Client: one connection to a NATS server; the only place that knows the C client.
//
// The client's own thread calls the callback with each message, one after another over all
// subscriptions. The client reconnects for ever, with all its subscriptions. Messages published
// meanwhile are not sent, and publish() says so. The destructor sends published messages, and
// returns when no callback runs any more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/nats/options.h"

namespace weir::runtime::nats {

class Client {
 public:
  struct Stats {
    bool is_connected = false;
    std::uint64_t disconnect_count = 0;
    std::uint64_t reconnect_count = 0;
    std::uint64_t slow_consumer_count = 0;  // the client dropped messages for lack of room
    std::uint64_t error_count = 0;          // other errors of the client
  };
  enum class Sent : std::uint8_t { kYes, kNotConnected, kTooLarge };
  using MessageCallback = std::function<void(std::string_view bytes)>;

  // Fails with kNatsConnect, which names the server.
  static base::Result<std::unique_ptr<Client>> connect(const NatsOptions& options,
                                                       MessageCallback on_message);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Sent publish(const std::string& subject, std::string_view bytes);

  // One subscriber of a group gets each message. Subscribing to a subject again changes nothing.
  void subscribe(const std::string& subject, const char* group = nullptr);
  void unsubscribe(const std::string& subject);
  // Waits until the server knows all subscriptions. Returns false if it did not answer in time.
  bool flush();

  Stats stats() const;

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace weir::runtime::nats
