// SPDX-License-Identifier: Apache-2.0
#include "server/websocket_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/utf8.h"
#include "server/transports.h"

namespace weir::server {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;

constexpr std::size_t kReasonBytesMax = 120;  // of a close frame's 125, with the code

beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

template <typename Next>
class BeastStream final : public WebsocketStream {
 public:
  BeastStream(Next& next, const WebsocketOptions& options) : stream_(next) {
    websocket::stream_base::timeout timeout = {};
    timeout.handshake_timeout = options.handshake_timeout;
    // Beast pings after half of the time without a byte, and gives up at the end of it.
    timeout.idle_timeout = 2 * options.ping_interval;
    timeout.keep_alive_pings = true;
    stream_.set_option(timeout);
    stream_.set_option(websocket::stream_base::decorator(
        [subprotocol = std::string(options.subprotocol)](websocket::response_type& response) {
          response.set(http::field::sec_websocket_protocol, subprotocol);
          response.set(http::field::server, "weir");
        }));
    stream_.control_callback(
        [on_closing = options.on_closing](websocket::frame_type kind, beast::string_view) {
          if (kind == websocket::frame_type::close) on_closing();
        });
    stream_.read_message_max(options.message_bytes_max);
    stream_.auto_fragment(false);
    stream_.text(true);
  }

  Task<bool> accept(const Request& request) override {
    http::request<http::empty_body> message;
    message.method_string(beast_view(request.method));
    message.target(beast_view(request.path));
    message.version(11);
    for (const Field& field : request.fields) {
      message.insert(beast_view(field.name), beast_view(field.value));
    }
    NetError error;
    co_await stream_.async_accept(message, to(error));
    co_return !error;
  }

  Task<WebsocketMessage> read() override {
    WebsocketMessage message;
    NetError error;
    buffer_.clear();
    co_await stream_.async_read(buffer_, to(error));
    if (error) {
      const bool too_big =
          error == websocket::error::message_too_big || error == websocket::error::buffer_overflow;
      message.end = too_big                          ? WebsocketEnd::kTooBig
                    : error == beast::error::timeout ? WebsocketEnd::kSilent
                                                     : WebsocketEnd::kClosed;
      co_return message;
    }
    message.is_text = stream_.got_text();
    message.bytes = beast::buffers_to_string(buffer_.data());
    co_return message;
  }

  Task<bool> write(std::string_view text) override {
    NetError error;
    const auto buffer = asio::buffer(text);
    co_await stream_.async_write(buffer, to(error));
    co_return !error;
  }

  Task<void> close(std::uint16_t code, std::string_view reason) override {
    NetError ignored;
    const std::string_view brief = base::utf8_prefix(reason, kReasonBytesMax);
    const websocket::close_reason why(static_cast<websocket::close_code>(code), beast_view(brief));
    co_await stream_.async_close(why, to(ignored));
  }

 private:
  websocket::stream<Next&, false> stream_;
  beast::flat_buffer buffer_;
};

}  // namespace

std::unique_ptr<WebsocketStream> make_websocket(Transport& transport,
                                                const WebsocketOptions& options) {
  if (auto* const tls = dynamic_cast<SecureTransport*>(&transport)) {
    return std::make_unique<BeastStream<TlsStream>>(tls->stream(), options);
  }
  auto& tcp = dynamic_cast<PlainTransport&>(transport);
  return std::make_unique<BeastStream<Tcp::socket>>(tcp.stream(), options);
}

}  // namespace weir::server
