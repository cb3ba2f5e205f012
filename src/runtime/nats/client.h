// SPDX-License-Identifier: Apache-2.0
// Client: one connection to a NATS server; the only place that knows the C client.
//
// Messages are handed to a callback in the client's own thread, one after another over all
// subscriptions. A lost connection is made again for ever, with the subscriptions that there were;
// what is published meanwhile is not sent, and publish() says so. The destructor sends what was
// published, and returns when no callback runs any more.
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
    std::uint64_t slow_consumer_count = 0;  // the client dropped messages that were not taken
    std::uint64_t error_count = 0;          // others that the client told of
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

  // With a group, one of the group's subscribers gets a message. Subscribing to a subject again
  // changes nothing.
  void subscribe(const std::string& subject, const char* group = nullptr);
  void unsubscribe(const std::string& subject);
  // The server knows of all subscriptions; false if it did not answer in time.
  bool flush();

  Stats stats() const;

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace weir::runtime::nats
