// SPDX-License-Identifier: Apache-2.0
// NatsOptions: the cluster, the member, the server, and limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "protocol/effects.h"

namespace weir::runtime::nats {

inline constexpr std::size_t kClusterNameBytesMax = 64;

struct NatsOptions {
  std::string url = "nats://127.0.0.1:4222";  // commas separate several servers
  std::string cluster = "weir";               // letters, digits, - and _
  std::string member;
  base::Duration connect_timeout = base::Duration::seconds(2);
  // The client reconnects for ever; the wait doubles each time.
  base::Duration reconnect_wait_min = base::Duration::milliseconds(50);
  base::Duration reconnect_wait_max = base::Duration::seconds(5);
  // Messages that wait for the node. More are dropped and counted.
  std::size_t queue_messages_max = 100'000;
  std::size_t queue_bytes_max = std::size_t{256} << 20U;
  // The longest time that stop() waits for messages to be sent and for the client to end.
  base::Duration drain_timeout = base::Duration::seconds(5);
};

// Fails with kNatsOption; the message names the expectation.
base::Result<void> check(const NatsOptions& options);

// Returns the address of a member in its cluster; never kUser.
protocol::NodeId node_id_of(std::string_view member);

// Returns the URL without its password, for messages.
std::string without_password(std::string_view url);

}  // namespace weir::runtime::nats
