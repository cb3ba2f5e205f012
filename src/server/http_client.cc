// SPDX-License-Identifier: Apache-2.0
#include "server/http_client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "server/http_client_connection.h"
#include "server/http_client_connector.h"
#include "server/http_client_message.h"
#include "server/http_client_transport.h"
#include "server/url.h"

namespace weir::server {

namespace {

template <typename T>
Task<void> keep(Task<base::Result<T>> work, std::optional<base::Result<T>>& result) {
  result.emplace(co_await std::move(work));
}

// Runs one operation to its end on the calling thread.
template <typename T>
base::Result<T> run(asio::io_context& io, Task<base::Result<T>> work) {
  std::optional<base::Result<T>> result;
  std::string thrown = "interrupted";
  bool is_done = false;
  try {
    asio::co_spawn(io, keep(std::move(work), result), [&](const std::exception_ptr& error) {
      is_done = true;
      if (!error) return;
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& exception) {
        thrown = exception.what();
      }
    });
    // A deadline that was cleared may still sit in the queue: it is not waited for.
    io.restart();
    while (!is_done && io.run_one() != 0) {
    }
  } catch (const std::exception& exception) {
    thrown = exception.what();
  }
  if (result) return *std::move(result);
  return base::Error{base::ErrorId::kHttpConnect, std::move(thrown), std::nullopt};
}

// What a stream keeps alive beyond its client.
struct ClientCore {
  explicit ClientCore(HttpConnectorOptions options)
      : connector(io.get_executor(), std::move(options)) {}

  asio::io_context io{1};
  HttpConnector connector;
};

}  // namespace

struct HttpStream::Impl {
  std::shared_ptr<ClientCore> core;
  std::unique_ptr<ClientConnection> connection;
  HttpAnswer answer;
  std::size_t line_bytes_max = 0;
  std::string text = {};
  std::size_t searched_bytes = 0;  // of the text, without a line end
  bool is_over = false;

  std::optional<std::string> take_line() {
    const std::size_t end = text.find('\n', searched_bytes);
    if (end == std::string::npos) {
      searched_bytes = text.size();
      return std::nullopt;
    }
    std::string line = text.substr(0, end);
    if (line.ends_with('\r')) line.pop_back();
    text.erase(0, end + 1);
    searched_bytes = 0;
    return line;
  }
};

struct HttpClient::Impl {
  Url url;
  HttpClientOptions options;
  std::shared_ptr<ClientCore> core;
  std::unique_ptr<ClientConnection> connection = {};

  HttpCall call_of(std::string_view method, std::string_view target, std::vector<HttpField> fields,
                   std::string body) const {
    HttpCall call;
    call.method = method;
    call.target =
        url.target.ends_with('/') ? url.target.substr(0, url.target.size() - 1) : url.target;
    call.target += target;
    call.fields = std::move(fields);
    call.body = std::move(body);
    if (!options.token.empty()) call.fields.push_back({"Authorization", "Bearer " + options.token});
    return call;
  }
};

HttpStream::HttpStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpStream::HttpStream(HttpStream&&) noexcept = default;
HttpStream& HttpStream::operator=(HttpStream&&) noexcept = default;
HttpStream::~HttpStream() = default;

const HttpAnswer& HttpStream::answer() const { return impl_->answer; }

base::Result<std::optional<std::string>> HttpStream::read_line(base::Duration timeout) {
  const Clock::time_point until = Clock::now() + std::chrono::nanoseconds(timeout.nanoseconds);
  while (true) {
    if (auto line = impl_->take_line()) return line;
    if (impl_->is_over) return std::optional<std::string>();
    if (impl_->text.size() > impl_->line_bytes_max) {
      return base::Error{base::ErrorId::kHttpAnswer, "a line is longer than the limit",
                         std::nullopt};
    }
    const base::Result<bool> more =
        run(impl_->core->io, impl_->connection->read_more(impl_->text, until));
    if (!more) return more.error();
    impl_->is_over = !*more;
  }
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

base::Result<HttpClient> HttpClient::create(HttpClientOptions options) {
  auto url = parse_url(options.url, base::ErrorId::kCliUsage);
  if (!url) return url.error();
  try {
    HttpConnectorOptions connector;
    if (url->tls) {
      auto tls = make_tls_client({.ca_file = options.ca_file, .insecure = options.insecure});
      if (!tls) return tls.error();
      connector.tls = *std::move(tls);
    }
    connector.timeouts = options.timeouts;
    connector.limits = options.limits;
    connector.refused_hint = "; is `weir serve` running?";
    auto core = std::make_shared<ClientCore>(std::move(connector));
    return HttpClient(std::make_unique<Impl>(
        Impl{.url = *std::move(url), .options = std::move(options), .core = std::move(core)}));
  } catch (const std::exception& exception) {
    return base::Error{base::ErrorId::kHttpConnect, exception.what(), std::nullopt};
  }
}

base::Result<HttpAnswer> HttpClient::request(std::string_view method, std::string_view target,
                                             std::vector<HttpField> fields, std::string body) {
  const HttpCall call = impl_->call_of(method, target, std::move(fields), std::move(body));
  std::unique_ptr<ClientConnection> connection = std::move(impl_->connection);
  if (!connection || !connection->is_reusable()) {
    auto opened = run(impl_->core->io, impl_->core->connector.open(impl_->url));
    if (!opened) return opened.error();
    connection = *std::move(opened);
  }
  auto answer = run(impl_->core->io, connection->exchange(call));
  if (answer) impl_->connection = std::move(connection);
  return answer;
}

base::Result<HttpStream> HttpClient::open_stream(std::string_view target,
                                                 std::vector<HttpField> fields) {
  const HttpCall call = impl_->call_of("GET", target, std::move(fields), {});
  auto connection = run(impl_->core->io, impl_->core->connector.open(impl_->url));
  if (!connection) return connection.error();
  auto answer = run(impl_->core->io, (*connection)->begin(call));
  if (!answer) return answer.error();
  if (answer->status != 200) {
    const auto rest = run(impl_->core->io, (*connection)->read_rest(answer->body));
    static_cast<void>(rest.has_value());  // the status says enough
    return refusal(call.method, call.target, *answer);
  }
  auto stream = std::make_unique<HttpStream::Impl>();
  stream->core = impl_->core;
  stream->connection = *std::move(connection);
  stream->answer = *std::move(answer);
  stream->line_bytes_max = impl_->options.limits.body_bytes_max;
  return HttpStream(std::move(stream));
}

}  // namespace weir::server
