// SPDX-License-Identifier: Apache-2.0
// WebhookReceiver: an HTTP server on the loopback for tests of clients, that does as it is told.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace weir::server {

// A certificate for localhost and 127.0.0.1 that has signed itself, in a directory that goes with
// it.
class TestCertificate {
 public:
  TestCertificate();
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  std::string certificate_file() const { return directory_ + "/certificate.pem"; }
  std::string key_file() const { return directory_ + "/key.pem"; }

 private:
  std::string directory_;
};

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;
  std::size_t connection = 0;  // counts from 0

  // Empty if there is none.
  std::string field(const std::string& name) const;
};

class WebhookReceiver {
 public:
  // One connection of a client.
  class Peer {
   public:
    virtual ~Peer() = default;
    virtual void send(std::string_view bytes) = 0;
    virtual void close() = 0;
  };
  // On a thread of the connection. If it sends nothing, the client waits.
  using Handler = std::function<void(const ReceivedRequest&, Peer&)>;

  explicit WebhookReceiver(Handler handler, const TestCertificate* certificate = nullptr);
  ~WebhookReceiver();
  WebhookReceiver(const WebhookReceiver&) = delete;
  WebhookReceiver& operator=(const WebhookReceiver&) = delete;

  std::uint16_t port() const { return port_; }
  // "http://127.0.0.1:12345/hook"
  std::string url(std::string_view target = "/hook") const;

  // What has come once so many requests came; fewer, and a failure, after ten seconds.
  std::vector<ReceivedRequest> wait_for(std::size_t request_count);
  std::vector<ReceivedRequest> requests();
  // Waits until one that satisfies it came.
  bool wait_until(const std::function<bool(const std::vector<ReceivedRequest>&)>& satisfied);

 private:
  class Connection;

  void accept_all();
  void serve(Connection& connection);

  Handler handler_;
  std::shared_ptr<void> tls_;  // SSL_CTX
  int listener_ = -1;
  std::uint16_t port_ = 0;

  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<ReceivedRequest> requests_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::thread> threads_;
  bool is_stopping_ = false;
  std::thread acceptor_;
};

// "HTTP/1.1 200 OK\r\n..." with a Content-Length; fields as "Name: value\r\n".
std::string http_answer(std::string_view status, std::string_view fields = "",
                        std::string_view body = "");

}  // namespace weir::server
