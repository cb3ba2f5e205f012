// SPDX-License-Identifier: Apache-2.0
#include "server/jetstream_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "base/check.h"

namespace weir::server {
namespace {

constexpr int kCreateAttempts = 500;
constexpr std::chrono::milliseconds kAttemptInterval(20);
constexpr std::size_t kReadBytes = std::size_t{64} << 10U;
constexpr std::uint64_t kMessagesPerWrite = 64;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* plain(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

JetStream::JetStream() : server_({"-js", "-sd", directory_.path().string()}) {
  connect();
  create_stream();
}

JetStream::~JetStream() { ::close(socket_); }

void JetStream::connect() {
  const sockaddr_in address = loopback(server_.port());
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  WEIR_CHECK(::connect(socket_, plain(address), sizeof address) == 0);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  send("CONNECT {\"verbose\":false,\"headers\":false}\r\nSUB answers 1\r\n");
}

void JetStream::create_stream() {
  const std::string_view stream =
      R"({"name":"EVENTS","subjects":["events"],"storage":"file","num_replicas":1})";
  for (int attempt = 0; attempt < kCreateAttempts; ++attempt) {
    send(fmt::format("PUB $JS.API.STREAM.CREATE.EVENTS answers {}\r\n{}\r\n", stream.size(),
                     stream));
    while (read_messages() == 0) {
    }
    if (std::exchange(error_count_, 0) == 0) return;
    std::this_thread::sleep_for(kAttemptInterval);
  }
  WEIR_CHECK(false && "the stream is created");
}

void JetStream::publish(std::string_view payload, std::uint64_t count, std::uint64_t window) {
  const std::string message =
      fmt::format("PUB events answers {}\r\n{}\r\n", payload.size(), payload);
  std::uint64_t sent = 0;
  std::string block;
  for (std::uint64_t acknowledged = 0; acknowledged < count;) {
    const std::uint64_t room = std::min(count - sent, window - (sent - acknowledged));
    block.clear();
    for (std::uint64_t i = 0; i < std::min(room, kMessagesPerWrite); ++i, ++sent) block += message;
    if (!block.empty()) send(block);
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (block.empty() || ::poll(&ready, 1, 0) > 0) acknowledged += read_messages();
    WEIR_CHECK(error_count_ == 0);
  }
}

void JetStream::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    WEIR_CHECK(sent > 0);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// MSG <subject> <sid> <bytes>\r\n<payload>\r\n, and lines such as INFO, PING and +OK between them.
std::uint64_t JetStream::read_messages() {
  std::array<char, kReadBytes> buffer{};
  const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
  WEIR_CHECK(size > 0);
  rest_.append(buffer.data(), static_cast<std::size_t>(size));
  std::uint64_t count = 0;
  std::size_t place = 0;
  for (std::size_t end = 0; (end = rest_.find("\r\n", place)) != std::string::npos;) {
    const std::string_view line(rest_.data() + place, end - place);
    std::size_t next = end + 2;
    if (line.starts_with("MSG ")) {
      std::size_t bytes = 0;
      const std::string_view number = line.substr(line.rfind(' ') + 1);
      std::from_chars(number.data(), number.data() + number.size(), bytes);
      if (rest_.size() < next + bytes + 2) break;
      const std::string_view message = std::string_view(rest_).substr(next, bytes);
      if (message.find("\"error\"") != std::string_view::npos) ++error_count_;
      next += bytes + 2;
      ++count;
    } else if (line == "PING") {
      send("PONG\r\n");
    }
    place = next;
  }
  rest_.erase(0, place);
  return count;
}

}  // namespace weir::server
