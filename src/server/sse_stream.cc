// SPDX-License-Identifier: Apache-2.0
// A stream as server-sent events. One coroutine writes, another notices that the peer has gone.
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/access.h"
#include "server/sse.h"
#include "server/stream.h"
#include "server/warning_json.h"

namespace weir::server {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{64} << 10U;
constexpr std::size_t kStrayBytesMax = std::size_t{64} << 10U;

// The reading side of a stream that is written only.
struct Watch {
  bool stop = false;
  bool done = false;
};

// Until the peer ends, fails or sends more than it has any reason to.
Task<void> watch_peer(Transport& transport, Stream& stream, std::shared_ptr<Watch> watch) {
  std::array<char, 512> scratch;
  NetError error;
  std::size_t bytes = 0;
  while (!error && !watch->stop && bytes < kStrayBytesMax) {
    bytes += co_await transport.read_some(scratch, error);
  }
  watch->done = true;
  stream.peer_gone = true;
  stream.signal->set();
}

Task<bool> write(Exchange& exchange, std::string_view bytes) {
  const bool written = co_await write_all(exchange.transport, exchange.deadline,
                                          exchange.services.options.write_timeout, bytes);
  if (exchange.deadline.expired()) exchange.services.metrics.count_limit(Limit::kWriteTimeout);
  co_return written;
}

std::string head(const Exchange& exchange, const Stream& stream) {
  std::string result = "HTTP/1.1 200 OK\r\n" + date_field();
  result +=
      "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Accel-Buffering: no\r\n";
  Response response;
  add_cross_origin_fields(exchange.request, exchange.services.options, response);
  for (const auto& [name, value] : response.fields) {
    result.append(name).append(": ").append(value).append("\r\n");
  }
  const std::vector<std::string> warnings = warning_fields(stream.warnings);
  for (const std::string& warning : warnings) {
    result.append(kWarningField).append(": ").append(warning).append("\r\n");
  }
  result += "Connection: close\r\n\r\n";
  // Comments, which every client skips that does not look for them.
  for (const std::string& warning : warnings) result.append(": warning ").append(warning) += '\n';
  return result.append(kSseStart);
}

// In portions, each of which makes room for new deliveries.
Task<bool> write_dispatches(Exchange& exchange, Stream& stream,
                            std::vector<broker::Dispatch> dispatches) {
  std::vector<std::shared_ptr<const void>> held;  // memory of what is being written
  const SseOptions options{.incarnation = stream.start.incarnation, .envelope = stream.envelope};
  std::string out;
  std::size_t count = 0;
  for (broker::Dispatch& dispatch : dispatches) {
    append_sse(dispatch, options, out);
    held.push_back(std::move(dispatch.memory));
    dispatch.events.clear();
    ++count;
    if (out.size() < kWriteBytes && &dispatch != &dispatches.back()) continue;
    if (!co_await write(exchange, out)) co_return false;
    exchange.services.metrics.count_stream(count, out.size());
    stream.window.on_written(count, out.size());
    stream.pass_credit();
    out = std::string();
    held.clear();
    count = 0;
  }
  co_return true;
}

Task<void> send(Exchange& exchange, Stream& stream) {
  StreamInbox::Contents contents = std::move(stream.first);
  std::string out;
  stream.window.add(CreditWindow::kEndless);
  stream.pass_credit();
  for (;;) {
    auto dispatches = std::move(contents.dispatches);
    if (!co_await write_dispatches(exchange, stream, std::move(dispatches))) co_return;
    if (contents.end) {
      exchange.services.metrics.count_error(contents.end->id);
      append_sse_error(*contents.end, out);
    }
    if (exchange.stop.stopping) out += ": the server is stopping\n\n";
    if (!out.empty()) {
      if (!co_await write(exchange, out)) co_return;
    }
    if (contents.end || exchange.stop.stopping || stream.peer_gone) co_return;
    const bool woken = co_await stream.signal->wait(exchange.services.options.sse_heartbeat);
    contents = stream.inbox->take();
    out = woken ? "" : kSseHeartbeat;
  }
}

}  // namespace

Task<Response> serve_sse(Exchange& exchange, Stream& stream) {
  Response response = {.close = true, .sent = true};
  std::string first = head(exchange, stream);
  if (stream.notice) append_sse_notice(*stream.notice, first);
  if (!co_await write(exchange, first)) co_return response;
  auto watch = std::make_shared<Watch>();
  asio::co_spawn(exchange.transport.socket().get_executor(),
                 watch_peer(exchange.transport, stream, watch), asio::detached);
  co_await send(exchange, stream);
  watch->stop = true;
  exchange.transport.cancel();
  while (!watch->done) co_await stream.signal->wait(exchange.services.options.write_timeout);
  co_return response;
}

}  // namespace weir::server
