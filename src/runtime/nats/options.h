// SPDX-License-Identifier: Apache-2.0
// NatsOptions: which cluster, as which member, over which server, with which limits.
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
  std::string url = "nats://127.0.0.1:4222";  // several are separated by commas
  std::string cluster = "weir";               // letters, digits, - and _
  std::string member;
  base::Duration connect_timeout = base::Duration::seconds(2);
  // A lost connection is tried again for ever, each time after twice as long.
  base::Duration reconnect_wait_min = base::Duration::milliseconds(50);
  base::Duration reconnect_wait_max = base::Duration::seconds(5);
  // What arrived and waits for the node. More is dropped and counted.
  std::size_t queue_messages_max = 100'000;
  std::size_t queue_bytes_max = std::size_t{256} << 20U;
  // How long stop() waits for what was sent to be gone, and for the client to be done.
  base::Duration drain_timeout = base::Duration::seconds(5);
};

// Fails with kNatsOption; the message says what was expected.
base::Result<void> check(const NatsOptions& options);

// The address of a member in its cluster; never kUser.
protocol::NodeId node_id_of(std::string_view member);

// A URL without the password that it may hold, for messages.
std::string without_password(std::string_view url);

}  // namespace weir::runtime::nats
