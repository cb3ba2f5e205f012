// SPDX-License-Identifier: Apache-2.0
// A stream over WebSocket, subprotocol weir.v1. One coroutine writes, another reads.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/access.h"
#include "server/http_text.h"
#include "server/stream.h"
#include "server/websocket_messages.h"
#include "server/websocket_stream.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::uint64_t kWriteBytesPerSecondMin = std::uint64_t{64} << 10U;

struct Conversation {
  Exchange& exchange;
  Stream& stream;
  WebsocketStream& socket;
  std::optional<Error> failure = {};  // of the peer's messages
  bool reading_done = false;
};

void handle(Conversation& talk, const ClientMessage& message) {
  if (const auto* const credit = std::get_if<CreditMessage>(&message)) {
    talk.stream.window.add(credit->count);
    talk.stream.pass_credit();
    return;
  }
  if (!talk.stream.session) return;
  if (const auto* const answer = std::get_if<broker::Answer>(&message)) {
    return talk.stream.session->answer(*answer);
  }
  const std::uint64_t number = std::get<AckMessage>(message).number;
  if (talk.stream.start.mode == broker::ConsumerMode::kShared) {
    talk.stream.session->answer({.numbers = {number}});
  } else {
    talk.stream.session->acknowledge(number);
  }
}

std::optional<Error> understand(Conversation& talk, const WebsocketMessage& message) {
  if (!message.is_text) {
    return Error{ErrorId::kWebsocketProtocol, "expected text, not bytes", std::nullopt};
  }
  const auto decoded = decode_client_message(message.bytes);
  if (!decoded) return decoded.error();
  handle(talk, *decoded);
  return std::nullopt;
}

Task<void> read_messages(Conversation& talk) {
  Metrics& metrics = talk.exchange.services.metrics;
  while (!talk.failure) {
    const WebsocketMessage message = co_await talk.socket.read();
    if (message.end == WebsocketEnd::kTooBig) metrics.count_limit(Limit::kWebsocketMessageBytes);
    if (message.end == WebsocketEnd::kSilent) metrics.count_limit(Limit::kWebsocketPing);
    if (message.end != WebsocketEnd::kNone) break;
    talk.failure = understand(talk, message);
  }
  talk.reading_done = true;
  talk.stream.peer_gone = !talk.failure;
  talk.stream.signal->set();
}

Task<bool> write(Conversation& talk, std::string_view text) {
  Deadline& deadline = talk.exchange.deadline;
  const Milliseconds more(text.size() * 1000 / kWriteBytesPerSecondMin);
  deadline.set(talk.exchange.services.options.write_timeout + more);
  const bool written = co_await talk.socket.write(text);
  if (deadline.expired()) {
    talk.exchange.services.metrics.count_limit(Limit::kWriteTimeout);
  } else {
    deadline.clear();
  }
  co_return written;
}

Task<bool> write_dispatches(Conversation& talk, std::vector<broker::Dispatch> dispatches) {
  for (broker::Dispatch& dispatch : dispatches) {
    if (talk.stream.peer_gone || talk.failure) co_return true;
    const broker::Dispatch sent = std::move(dispatch);  // its memory is free when it is written
    std::string text;
    append_event(sent, text);
    if (!co_await write(talk, text)) co_return false;
    talk.exchange.services.metrics.count_stream(1, text.size());
    talk.stream.window.on_written(1, text.size());
    talk.stream.pass_credit();
  }
  co_return true;
}

Task<bool> write_acknowledged(Conversation& talk, const StreamInbox::Contents& contents) {
  std::string text;
  if (contents.acknowledged) append_acknowledged(*contents.acknowledged, text);
  if (!contents.settled.empty()) append_acknowledged(contents.settled, text);
  if (text.empty()) co_return true;
  const bool written = co_await write(talk, text);
  co_return written;
}

Task<void> say_goodbye(Conversation& talk, Error error) {
  talk.exchange.services.metrics.count_error(error.id);
  std::string text;
  append_error(error, text);
  if (co_await write(talk, text)) co_await talk.socket.close(close_code(error), error.message);
}

// Why the session ends, or nothing if there is nobody to tell.
Task<std::optional<Error>> converse(Conversation& talk) {
  Stream& stream = talk.stream;
  StreamInbox::Contents contents = std::move(stream.first);
  std::string text;
  const Hello hello{
      .subscription = stream.subscription, .start = stream.start, .warnings = stream.warnings};
  append_hello(hello, text);
  if (!co_await write(talk, text)) co_return std::nullopt;
  for (;;) {
    auto dispatches = std::move(contents.dispatches);
    if (!co_await write_dispatches(talk, std::move(dispatches))) co_return std::nullopt;
    if (!co_await write_acknowledged(talk, contents)) co_return std::nullopt;
    if (talk.failure) co_return talk.failure;
    if (stream.peer_gone) co_return std::nullopt;
    if (contents.end) co_return std::move(contents.end);
    if (talk.exchange.stop.stopping) {
      std::optional<Error> stopping =
          Error{ErrorId::kBrokerStopping, "the server is stopping", std::nullopt};
      co_return stopping;
    }
    co_await stream.signal->wait(talk.exchange.services.options.idle_timeout);
    contents = stream.inbox->take();
  }
}

Error handshake_error(std::string message) {
  return {ErrorId::kWebsocketProtocol, std::move(message), std::nullopt};
}

}  // namespace

base::Result<void> check_websocket(const Exchange& exchange) {
  const Request& request = exchange.request;
  if (auto site = check_site(request, exchange.services.options); !site) return site.error();
  if (request.minor_version == 0) return handshake_error("WebSocket needs HTTP/1.1");
  if (request.field("sec-websocket-version").value_or("") != "13") {
    return handshake_error("expected the header Sec-WebSocket-Version: 13");
  }
  if (request.count("sec-websocket-key") != 1) {
    return handshake_error("expected one header Sec-WebSocket-Key");
  }
  if (exchange.has_bytes_after || !request.body.empty()) {
    return handshake_error("bytes follow the handshake before it is answered");
  }
  if (!list_has(request.field("sec-websocket-protocol").value_or(""), kSubprotocol)) {
    return Error{ErrorId::kWebsocketSubprotocol,
                 "expected weir.v1 in the header Sec-WebSocket-Protocol", std::nullopt};
  }
  return {};
}

Task<Response> serve_websocket(Exchange& exchange, Stream& stream) {
  Response response = {.status = 101, .close = true, .sent = true};
  const ServerOptions& options = exchange.services.options;
  const WebsocketOptions socket_options = {
      .subprotocol = kSubprotocol,
      .message_bytes_max = options.websocket_message_bytes_max,
      .ping_interval = options.websocket_ping_interval,
      .handshake_timeout = options.drain_timeout,
      .on_closing =
          [&stream] {
            stream.peer_gone = true;
            stream.signal->set();
          },
  };
  const auto socket = make_websocket(exchange.transport, socket_options);
  if (!co_await socket->accept(exchange.request)) {
    response.status = 400;
    co_return response;
  }
  Conversation talk = {.exchange = exchange, .stream = stream, .socket = *socket};
  asio::co_spawn(exchange.transport.socket().get_executor(), read_messages(talk), asio::detached);
  auto reason = co_await converse(talk);
  if (reason) {
    co_await say_goodbye(talk, std::move(*reason));
  } else if (!talk.reading_done) {
    // The peer closes: its close frame is being answered.
    co_await stream.signal->wait(options.drain_timeout);
  }
  exchange.transport.close();
  while (!talk.reading_done) co_await stream.signal->wait(options.write_timeout);
  co_return response;
}

}  // namespace weir::server
