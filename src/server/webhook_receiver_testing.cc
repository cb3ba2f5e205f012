// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_receiver_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace weir::server {
namespace {

constexpr std::chrono::seconds kPatience{10};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

ReceivedRequest parse_header(std::string_view header) {
  ReceivedRequest request;
  const std::size_t method_end = header.find(' ');
  const std::size_t target_end = header.find(' ', method_end + 1);
  request.method = header.substr(0, method_end);
  request.target = header.substr(method_end + 1, target_end - method_end - 1);
  std::size_t at = header.find("\r\n") + 2;
  while (at < header.size()) {
    const std::size_t end = header.find("\r\n", at);
    const std::string_view line = header.substr(at, end - at);
    const std::size_t colon = std::min(line.find(": "), line.size());
    if (colon < line.size()) {
      request.fields[lower(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
    }
    at = end + 2;
  }
  return request;
}

// OpenSSL writes to connections that are gone.
void block_sigpipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

std::shared_ptr<void> load_tls(const TestCertificate& certificate) {
  SSL_CTX* const tls = SSL_CTX_new(TLS_server_method());
  WEIR_CHECK(tls != nullptr);
  WEIR_CHECK(SSL_CTX_use_certificate_file(tls, certificate.certificate_file().c_str(),
                                          SSL_FILETYPE_PEM) == 1);
  WEIR_CHECK(SSL_CTX_use_PrivateKey_file(tls, certificate.key_file().c_str(), SSL_FILETYPE_PEM) ==
             1);
  return {tls, [](SSL_CTX* context) { SSL_CTX_free(context); }};
}

}  // namespace

TestCertificate::TestCertificate() {
  static std::atomic<int> count = 0;
  directory_ = std::filesystem::temp_directory_path() /
               fmt::format("weir-certificate-{}-{}", ::getpid(), count++);
  std::filesystem::create_directories(directory_);
  const std::string command = fmt::format(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 "
      "-keyout {} -out {} 2>/dev/null",
      key_file(), certificate_file());
  WEIR_CHECK(std::system(command.c_str()) == 0);
}

TestCertificate::~TestCertificate() { std::filesystem::remove_all(directory_); }

std::string ReceivedRequest::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

class WebhookReceiver::Connection final : public WebhookReceiver::Peer {
 public:
  Connection(int socket, std::size_t index, SSL_CTX* tls) : socket_(socket), index_(index) {
    if (tls == nullptr) return;
    tls_.reset(SSL_new(tls), [](SSL* session) { SSL_free(session); });
    SSL_set_fd(tls_.get(), socket_);
  }
  ~Connection() override { ::close(socket_); }

  bool begin() { return !tls_ || SSL_accept(tls_.get()) == 1; }

  void send(std::string_view bytes) override {
    if (tls_) {
      SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      return;
    }
    while (!bytes.empty()) {
      const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void close() override { ::shutdown(socket_, SHUT_RDWR); }

  std::optional<ReceivedRequest> read_request() {
    std::size_t end = pending_.find("\r\n\r\n");
    for (; end == std::string::npos; end = pending_.find("\r\n\r\n")) {
      if (!read_more()) return std::nullopt;
    }
    ReceivedRequest request = parse_header(pending_.substr(0, end + 2));
    pending_.erase(0, end + 4);
    const std::string length = request.field("content-length");
    std::size_t body_bytes = 0;
    std::from_chars(length.data(), length.data() + length.size(), body_bytes);
    while (pending_.size() < body_bytes) {
      if (!read_more()) return std::nullopt;
    }
    request.body = pending_.substr(0, body_bytes);
    pending_.erase(0, body_bytes);
    request.connection = index_;
    return request;
  }

 private:
  bool read_more() {
    std::array<char, 4096> buffer = {};
    const auto count = tls_ ? SSL_read(tls_.get(), buffer.data(), static_cast<int>(buffer.size()))
                            : ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    pending_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  std::size_t index_;
  std::shared_ptr<SSL> tls_;
  std::string pending_;
};

WebhookReceiver::WebhookReceiver(Handler handler, const TestCertificate* certificate)
    : handler_(std::move(handler)) {
  if (certificate != nullptr) tls_ = load_tls(*certificate);
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  WEIR_CHECK(::bind(listener_, generic(address), length) == 0);
  WEIR_CHECK(::listen(listener_, 64) == 0);
  WEIR_CHECK(::getsockname(listener_, generic(address), &length) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

WebhookReceiver::~WebhookReceiver() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (const auto& connection : connections_) connection->close();
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
}

std::string WebhookReceiver::url(std::string_view target) const {
  return fmt::format("{}://127.0.0.1:{}{}", tls_ ? "https" : "http", port_, target);
}

void WebhookReceiver::accept_all() {
  while (true) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    auto connection = std::make_unique<Connection>(socket, connections_.size(),
                                                   static_cast<SSL_CTX*>(tls_.get()));
    threads_.emplace_back([this, served = connection.get()] { serve(*served); });
    connections_.push_back(std::move(connection));
  }
}

void WebhookReceiver::serve(Connection& connection) {
  block_sigpipe();
  if (!connection.begin()) return connection.close();
  while (auto request = connection.read_request()) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
    }
    came_.notify_all();
    handler_(*request, connection);
  }
  connection.close();
}

std::vector<ReceivedRequest> WebhookReceiver::wait_for(std::size_t request_count) {
  EXPECT_TRUE(wait_until([&](const auto& requests) { return requests.size() >= request_count; }));
  return requests();
}

std::vector<ReceivedRequest> WebhookReceiver::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool WebhookReceiver::wait_until(
    const std::function<bool(const std::vector<ReceivedRequest>&)>& satisfied) {
  std::unique_lock lock(mutex_);
  return came_.wait_for(lock, kPatience, [&] { return satisfied(requests_); });
}

std::string http_answer(std::string_view status, std::string_view fields, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\n\r\n{}", status, fields, body.size(),
                     body);
}

}  // namespace weir::server
