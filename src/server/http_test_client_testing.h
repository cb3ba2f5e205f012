// SPDX-License-Identifier: Apache-2.0
// TestClient: a blocking socket to a server on this machine, plain or TLS, and the little of HTTP
// and WebSocket that tests need. Every read gives up after some seconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weir::server {

struct TestAnswer {
  unsigned status = 0;  // 0: the connection ended, or nothing came
  std::string head;
  std::string body;

  // The value of a header, empty if there is none.
  std::string field(std::string_view name) const;
};

struct TestFrame {
  unsigned opcode = 0;  // 1 text, 8 close, 9 ping; 0: the connection ended
  std::string payload;

  // Of a close frame.
  unsigned close_code() const;
};

class TestClient {
 public:
  enum class Kind : std::uint8_t { kPlain, kTls };
  explicit TestClient(std::uint16_t port, Kind kind = Kind::kPlain);
  ~TestClient();
  TestClient(TestClient&&) noexcept;

  bool send(std::string_view bytes);
  // An answer with its body, by Content-Length, or to the end if there is none.
  TestAnswer read_answer();
  // Of a stream: the head only.
  TestAnswer read_head();
  // What comes up to and with the text; all there is if it does not come.
  std::string read_until(std::string_view text);
  // Whether the peer ends the connection, whatever it sends before.
  bool read_end();
  // No more from this side.
  void finish();
  // The subject of the server's certificate.
  std::string certificate_subject() const;

  // Sends one request with Host, and a Content-Length if it has a body.
  TestAnswer request(std::string_view method, std::string_view target,
                     std::string_view extra_fields = "", std::string_view body = "");

  // A WebSocket's handshake; then its frames.
  TestAnswer upgrade(std::string_view target, std::string_view extra_fields = "",
                     std::string_view subprotocol = "weir.v1");
  void send_frame(unsigned opcode, std::string_view payload);
  // The next one that is no ping, unless pings are asked for.
  TestFrame read_frame(bool with_pings = false);

 private:
  struct Socket;

  bool fill();
  std::optional<std::string> take(std::size_t byte_count);

  std::unique_ptr<Socket> socket_;
  std::string buffer_;
};

// The bytes of a request, as TestClient::request sends them.
std::string request_bytes(std::string_view method, std::string_view target,
                          std::string_view extra_fields = "", std::string_view body = "");

}  // namespace weir::server
