// SPDX-License-Identifier: Apache-2.0
// Any bytes as requests on a connection: each is within the limits, or the first error ends it; and
// which requests they are does not depend on the pieces in which they arrive.
#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "server/access.h"
#include "server/request_reader.h"

namespace {

using namespace weir::server;
using weir::base::ErrorCode;

constexpr std::array<std::string_view, 3> kParameters = {"filter", "limit", "envelope"};

// Gives a text in pieces, then the end.
class TextTransport final : public Transport {
 public:
  TextTransport(asio::io_context& io, std::string_view text, std::size_t piece_bytes)
      : socket_(io), text_(text), piece_bytes_(piece_bytes) {}

  Task<Beginning> begin() override { co_return Beginning::kReady; }
  Task<std::size_t> read_some(std::span<char> into, NetError& error) override {
    const std::size_t bytes = std::min({into.size(), piece_bytes_, text_.size()});
    error = bytes == 0 ? NetError(asio::error::eof) : NetError();
    std::ranges::copy(text_.substr(0, bytes), into.begin());
    text_.remove_prefix(bytes);
    co_return bytes;
  }
  Task<std::size_t> write_some(std::string_view bytes, NetError&) override {
    co_return bytes.size();
  }
  Task<void> finish() override { co_return; }
  Tcp::socket& socket() override { return socket_; }

 private:
  Tcp::socket socket_;
  std::string_view text_;
  std::size_t piece_bytes_;
};

ServerOptions small_options() {
  ServerOptions options;
  options.header_bytes_max = 1024;
  options.header_count_max = 10;
  options.body_bytes_max = 2048;
  return options;
}

std::string told(const Request& request, const ServerOptions& options) {
  WEIR_CHECK(request.fields.size() <= options.header_count_max);
  WEIR_CHECK(request.body.size() <= options.body_bytes_max);
  WEIR_CHECK(request.body.empty() || request.has_body());
  const auto query = Query::parse(request.query, kParameters);
  if (query) (void)query->count("limit", 1, 100);
  (void)token_of(request);
  std::string text(request.method);
  text.append(" ").append(request.path).append("?").append(request.query);
  for (const Field& field : request.fields)
    text.append("\n").append(field.name).append(":").append(field.value);
  return text.append("\n\n").append(request.body);
}

// The peer's fault.
void check_error(const weir::base::Error& error) {
  WEIR_CHECK(!error.message.empty());
  WEIR_CHECK(error.code() == ErrorCode::kInvalidInput || error.code() == ErrorCode::kLimit);
}

Task<void> read_all(RequestReader& reader, const ServerOptions& options,
                    std::vector<std::string>& requests, bool& done) {
  for (;;) {
    const auto header = co_await reader.read_header();
    if (!header) check_error(header.error());
    if (!header || !*header) break;
    weir::base::Result<void> body = reader.check_body();
    if (body) body = co_await reader.read_body("");
    if (!body) check_error(body.error());
    if (!body) break;
    requests.push_back(told(reader.request(), options));
    WEIR_CHECK(reader.is_done());
  }
  done = true;
}

std::vector<std::string> requests_of(std::string_view text, std::size_t piece_bytes) {
  const ServerOptions options = small_options();
  asio::io_context io;
  TextTransport transport(io, text, piece_bytes);
  Deadline deadline(io.get_executor(), [] {});
  Metrics metrics;
  BodyBudget bodies(
      {.bytes_max = options.bodies_bytes_max, .body_bytes_max = options.body_bytes_max});
  std::vector<std::string> requests;
  {
    RequestReader reader(transport, deadline, metrics, bodies, options);
    bool done = false;
    asio::co_spawn(io, read_all(reader, options, requests, done), asio::detached);
    while (!done) io.poll_one();
  }
  WEIR_CHECK(bodies.held_bytes() == 0);
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto whole = requests_of(text, size + 1);
  WEIR_CHECK(requests_of(text, 1) == whole);
  WEIR_CHECK(requests_of(text, 7) == whole);
  return 0;
}
