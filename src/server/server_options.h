// SPDX-License-Identifier: Apache-2.0
// ServerOptions: everything about the server that can be set, with its bounds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/address_guard.h"

namespace weir::server {

// Connections beyond the limits, for questions about the server itself.
inline constexpr std::size_t kReservedConnectionCount = 64;

class Log;

struct Endpoint {
  std::string address = "127.0.0.1";  // of IPv4 or IPv6, or a host's name
  std::uint16_t port = 8080;          // 0: any that is free
  bool tls = false;
};

// Who is let in without a token.
enum class Anonymous : std::uint8_t {
  kOff,
  kLoopback,  // this machine, if no proxy stands between and Host names this machine
  kEveryone,
};

struct ServerOptions {
  std::vector<Endpoint> endpoints = {Endpoint{}};
  std::filesystem::path tls_certificate_file = {};  // PEM, with the chain
  std::filesystem::path tls_key_file = {};          // PEM
  std::size_t io_thread_count = 2;
  std::size_t decode_thread_count = 2;  // for bodies of more than 64 KiB
  std::size_t authentication_thread_count = 1;
  std::size_t authentication_queue_max = 256;  // requests that wait for it
  // A connection's token is looked at again after so long.
  std::chrono::milliseconds authentication_lifetime{1000};

  Anonymous anonymous = Anonymous::kLoopback;
  // A header that the proxy in front adds to every request; what comes without it is refused, and
  // nobody behind it counts as this machine. Empty: no proxy is expected.
  std::string proxy_header = {};
  std::vector<std::string> allowed_hosts = {};    // other names of this machine, for kLoopback
  std::vector<std::string> allowed_origins = {};  // pages of other hosts: "https://example.com"

  AddressGuard sink_guard = AddressGuard();  // of sinks that are subscribed

  std::size_t connection_count_max = 10'000;
  std::size_t connections_per_address_max = 1'000;  // 0: no limit but the above
  std::size_t header_bytes_max = std::size_t{16} << 10U;
  std::size_t header_count_max = 100;
  std::chrono::milliseconds header_timeout{10'000};  // for the whole of it, and a TLS handshake
  std::size_t body_bytes_max = std::size_t{8} << 20U;
  std::size_t bodies_bytes_max = std::size_t{1} << 30U;  // of all requests together
  std::chrono::milliseconds body_timeout{10'000};        // and more by what has arrived:
  std::size_t body_bytes_per_second_min = std::size_t{64} << 10U;
  std::chrono::milliseconds idle_timeout{60'000};           // between requests
  std::chrono::milliseconds write_timeout{30'000};          // without a byte taken by the peer
  std::size_t send_buffer_bytes = std::size_t{256} << 10U;  // of each connection, in the system
  std::chrono::milliseconds drain_timeout{1'000};           // of what comes after a last answer

  std::chrono::milliseconds sse_heartbeat{15'000};
  std::size_t stream_dispatch_count_max = 256;           // on their way to one peer
  std::size_t stream_bytes_max = std::size_t{1} << 20U;  // the same, about
  std::size_t websocket_message_bytes_max = std::size_t{64} << 10U;
  std::chrono::milliseconds websocket_ping_interval{20'000};

  std::shared_ptr<Log> log = {};  // null: nothing is logged
};

}  // namespace weir::server
