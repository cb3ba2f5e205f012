// SPDX-License-Identifier: Apache-2.0
// NatsRuntime: runs one protocol::Node as a member of a cluster over a NATS server.
//
//   weir.<cluster>.node.<id>   to one member, id in 16 hexadecimal digits
//   weir.<cluster>.slot.<n>    to one listener of a slot (a queue group)
//   weir.<cluster>.all         to every member
//
// Messages of the node to itself, or to slots that it listens to, do not leave the process. A
// member that listens to several slots of a multicast gets it once.
//
// One thread runs the node and sends; the client's threads only put messages into a bounded queue.
// The node's time starts with the wall clock and is steady from there. While the server is away,
// the node receives nothing and continues; its messages are counted as unsent. frame.h describes
// frames and the attacks that they do not prevent.
//
//   auto runtime = NatsRuntime::start({.member = "north"}, std::move(node), on_deliver);
//   (*runtime)->tell(encode(command));
//   (*runtime)->stop();
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "protocol/cost.h"
#include "protocol/node.h"
#include "runtime/nats/client.h"
#include "runtime/nats/frame.h"
#include "runtime/nats/inbox.h"
#include "runtime/nats/options.h"

namespace weir::runtime::nats {

// The most sources whose last multicast is remembered.
inline constexpr std::size_t kSourcesMax = 4096;

struct NatsStats {
  protocol::CostTable sent;           // includes the drops of the node
  protocol::CostTable received;       // each message is one hop
  std::uint64_t unsent_count = 0;     // the server was away
  std::uint64_t too_large_count = 0;  // the server refuses messages of that size
  std::uint64_t refused_count = 0;    // not a frame, or with a forbidden source
  std::size_t slot_count = 0;         // slots that the node listens to
  Inbox::Stats queue;
  Client::Stats connection;
};

class NatsRuntime {
 public:
  // Called in the node's thread; must not call stop().
  using DeliverCallback = std::function<void(const protocol::Deliver& what)>;

  // Fails with kNatsOption or kNatsConnect.
  static base::Result<std::unique_ptr<NatsRuntime>> start(const NatsOptions& options,
                                                          std::unique_ptr<protocol::Node> node,
                                                          DeliverCallback on_deliver);
  ~NatsRuntime() { stop(); }
  NatsRuntime(const NatsRuntime&) = delete;
  NatsRuntime& operator=(const NatsRuntime&) = delete;

  // Gives a command of the member's user. Returns false if the queue is full or the runtime
  // stopped.
  bool tell(std::string message);
  // Stops calling the node, sends its messages, and closes the connection.
  void stop();
  NatsStats stats() const;

 private:
  using Steady = std::chrono::steady_clock;

  NatsRuntime(const NatsOptions& options, std::unique_ptr<protocol::Node> node,
              DeliverCallback on_deliver);

  base::Result<void> connect();
  void run();
  void take(const Inbox::Letter& letter);
  void take_frame(std::string_view bytes);
  bool is_repeated(const Frame& frame);
  base::Instant now() const;

  void carry_out();
  void carry_out(protocol::Send& send);
  void carry_out(protocol::Route& route);
  void carry_out(protocol::Multicast& multicast);
  void carry_out(const protocol::Listen& listen);
  void carry_out(const protocol::Deliver& deliver);
  void carry_out(const protocol::WakeAt& wake);
  void carry_out(const protocol::Drop& drop);
  void send_to_self(std::string message);
  void publish(const std::string& subject, const std::string& frame);
  std::string framed(std::string_view message);
  std::string slot_subject(std::uint32_t slot) const;

  const NatsOptions options_;
  const protocol::NodeId self_;
  const std::string prefix_;
  const Steady::time_point steady_start_;
  const base::Instant wall_start_;
  DeliverCallback on_deliver_;
  Inbox inbox_;

  // Used by the node's thread only.
  std::unique_ptr<protocol::Node> node_;
  protocol::Effects effects_;
  std::array<bool, protocol::kSlotCount> is_listening_{};
  bool has_left_slots_ = false;  // and the server has not confirmed that yet
  std::map<protocol::NodeId, std::uint64_t> last_numbers_;
  std::uint64_t number_ = 0;
  std::optional<base::Instant> wake_;

  mutable std::mutex mutex_;
  NatsStats stats_;
  std::unique_ptr<Client> client_;
  std::thread thread_;
};

}  // namespace weir::runtime::nats
