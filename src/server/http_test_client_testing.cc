// SPDX-License-Identifier: Apache-2.0
#include "server/http_test_client_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"
#include "server/http_text.h"

namespace weir::server {
namespace {

constexpr timeval kPatience = {.tv_sec = 20, .tv_usec = 0};

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  WEIR_CHECK(socket >= 0);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // The one cast that sockets ask for.
  const auto* const generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
  WEIR_CHECK(::connect(socket, generic, sizeof(address)) == 0);
  return socket;
}

TestAnswer parse_head(std::string head) {
  TestAnswer answer;
  if (head.size() > 12) std::from_chars(head.data() + 9, head.data() + 12, answer.status);
  answer.head = std::move(head);
  return answer;
}

}  // namespace

struct TestClient::Socket {
  Socket(std::uint16_t port, Kind kind) : fd(connect_to(port)) {
    if (kind == Kind::kPlain) return;
    context = SSL_CTX_new(TLS_client_method());
    ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    if (SSL_connect(ssl) != 1) ended = true;
  }
  ~Socket() {
    SSL_free(ssl);
    SSL_CTX_free(context);
    ::close(fd);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  std::ptrdiff_t read(std::span<char> into) const {
    if (ended) return 0;
    if (ssl != nullptr) return SSL_read(ssl, into.data(), static_cast<int>(into.size()));
    return ::recv(fd, into.data(), into.size(), 0);
  }
  std::ptrdiff_t write(std::string_view bytes) const {
    if (ended) return -1;
    if (ssl != nullptr) return SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()));
    return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  int fd;
  SSL_CTX* context = nullptr;
  SSL* ssl = nullptr;
  bool ended = false;
};

std::string TestAnswer::field(std::string_view name) const {
  std::string_view rest = head;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equals_in_any_case(line.substr(0, colon), name)) {
      return std::string(trim(line.substr(colon + 1)));
    }
  }
  return {};
}

unsigned TestFrame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return 0;
  return static_cast<unsigned char>(payload[0]) * 256U + static_cast<unsigned char>(payload[1]);
}

TestClient::TestClient(std::uint16_t port, Kind kind)
    : socket_(std::make_unique<Socket>(port, kind)) {}
TestClient::~TestClient() = default;
TestClient::TestClient(TestClient&&) noexcept = default;

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t sent = socket_->write(bytes);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TestClient::fill() {
  std::array<char, 16384> chunk;
  const std::ptrdiff_t got = socket_->read(chunk);
  if (got <= 0) return false;
  buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> TestClient::take(std::size_t byte_count) {
  while (buffer_.size() < byte_count) {
    if (!fill()) return std::nullopt;
  }
  std::string taken = buffer_.substr(0, byte_count);
  buffer_.erase(0, byte_count);
  return taken;
}

std::string TestClient::read_until(std::string_view text) {
  std::size_t found = buffer_.find(text);
  while (found == std::string::npos) {
    const std::size_t from = buffer_.size() < text.size() ? 0 : buffer_.size() - text.size();
    if (!fill()) return std::exchange(buffer_, {});
    found = buffer_.find(text, from);
  }
  return *take(found + text.size());
}

TestAnswer TestClient::read_head() {
  std::string head = read_until("\r\n\r\n");
  return head.ends_with("\r\n\r\n") ? parse_head(std::move(head)) : TestAnswer{};
}

TestAnswer TestClient::read_answer() {
  TestAnswer answer = read_head();
  const std::string length = answer.field("content-length");
  std::size_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  answer.body = take(bytes).value_or("");
  return answer;
}

bool TestClient::read_end() {
  while (fill()) {
  }
  // Not because it took too long.
  return errno != EAGAIN && errno != EWOULDBLOCK;
}

void TestClient::finish() { ::shutdown(socket_->fd, SHUT_WR); }

std::string TestClient::certificate_subject() const {
  X509* const certificate = SSL_get1_peer_certificate(socket_->ssl);
  if (certificate == nullptr) return {};
  std::array<char, 256> name = {};
  X509_NAME_oneline(X509_get_subject_name(certificate), name.data(), name.size());
  X509_free(certificate);
  return name.data();
}

std::string request_bytes(std::string_view method, std::string_view target,
                          std::string_view extra_fields, std::string_view body) {
  const bool has_host = extra_fields.find("Host:") != std::string_view::npos;
  std::string bytes = fmt::format("{} {} HTTP/1.1\r\n{}{}", method, target,
                                  has_host ? "" : "Host: localhost\r\n", extra_fields);
  if (!body.empty()) bytes += fmt::format("Content-Length: {}\r\n", body.size());
  return bytes.append("\r\n").append(body);
}

TestAnswer TestClient::request(std::string_view method, std::string_view target,
                               std::string_view extra_fields, std::string_view body) {
  send(request_bytes(method, target, extra_fields, body));
  return read_answer();
}

TestAnswer TestClient::upgrade(std::string_view target, std::string_view extra_fields,
                               std::string_view subprotocol) {
  std::string fields = fmt::format(
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}",
      extra_fields);
  if (!subprotocol.empty()) fields += fmt::format("Sec-WebSocket-Protocol: {}\r\n", subprotocol);
  return request("GET", target, fields);
}

void TestClient::send_frame(unsigned opcode, std::string_view payload) {
  constexpr std::string_view kMask = "\x12\x34\x56\x78";
  std::string frame;
  frame += static_cast<char>(0x80U | opcode);
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80U | payload.size());
  } else {
    const int bytes = payload.size() < 65536 ? 2 : 8;
    frame += static_cast<char>(bytes == 2 ? 0xFE : 0xFF);
    for (int i = bytes - 1; i >= 0; --i) {
      frame += static_cast<char>((payload.size() >> (8U * static_cast<unsigned>(i))) & 0xFFU);
    }
  }
  frame += kMask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ kMask[i % 4]);
  }
  send(frame);
}

TestFrame TestClient::read_frame(bool with_pings) {
  for (;;) {
    const auto start = take(2);
    if (!start) return {};
    const unsigned opcode = static_cast<unsigned char>((*start)[0]) & 0x0FU;
    std::size_t size = static_cast<unsigned char>((*start)[1]) & 0x7FU;
    if (size >= 126) {
      const auto length = take(size == 126 ? 2 : 8);
      if (!length) return {};
      size = 0;
      for (const char c : *length) size = size * 256 + static_cast<unsigned char>(c);
    }
    auto payload = take(size);
    if (!payload) return {};
    if (opcode == 9 && !with_pings) continue;
    return {opcode, *std::move(payload)};
  }
}

}  // namespace weir::server
