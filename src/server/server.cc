// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <string>
#include <utility>

#include "server/io_thread.h"
#include "server/tls_context.h"
#include "server/trouble.h"

namespace weir::server {
namespace {

constexpr Milliseconds kAcceptPause{100};  // after a failure, such as no file descriptor left

bool is_loopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

base::Error listen_error(const Endpoint& endpoint, const NetError& error) {
  return {base::ErrorId::kHttpListen,
          fmt::format("{}:{}: {}", endpoint.address, endpoint.port, error.message()), std::nullopt};
}

struct Listener {
  Tcp::acceptor acceptor;
  bool tls;
};

using Threads = std::vector<std::unique_ptr<IoThread>>;

Threads make_threads(Services& services) {
  Threads threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(services.options.io_thread_count, 1); ++i) {
    threads.push_back(std::make_unique<IoThread>(services));
  }
  return threads;
}

class RunningServer final : public Server {
 public:
  RunningServer(broker::Broker& broker, ServerOptions options)
      : services_(broker, std::move(options)),
        slots_(services_.options, services_.metrics),
        threads_(make_threads(services_)) {}
  ~RunningServer() override { stop(Milliseconds(0)); }

  base::Result<void> start() {
    if (auto loaded = reload_certificates(); !loaded) return loaded;
    for (const Endpoint& endpoint : services_.options.endpoints) {
      if (auto listening = listen(endpoint); !listening) return listening;
    }
    for (Listener& listener : listeners_) {
      asio::co_spawn(threads_.front()->context(), accept(listener), asio::detached);
    }
    for (const auto& thread : threads_) thread->start();
    started_ = true;
    return {};
  }

  std::vector<std::uint16_t> ports() const override { return ports_; }

  void stop(Milliseconds grace) override {
    if (!std::exchange(started_, false)) return;
    asio::post(threads_.front()->context(), [this] {
      NetError ignored;
      for (Listener& listener : listeners_) listener.acceptor.close(ignored);
      accept_pause_.cancel();
    });
    for (const auto& thread : threads_) thread->begin_stop(grace);
    for (const auto& thread : threads_) thread->join();
  }

  base::Result<void> reload_certificates() override {
    const auto uses_tls = [](const Endpoint& endpoint) { return endpoint.tls; };
    if (!std::ranges::any_of(services_.options.endpoints, uses_tls)) return {};
    auto loaded =
        load_tls_context(services_.options.tls_certificate_file, services_.options.tls_key_file);
    if (!loaded) return loaded.error();
    const std::lock_guard lock(tls_mutex_);
    tls_ = *std::move(loaded);
    return {};
  }

 private:
  base::Result<void> listen(const Endpoint& endpoint) {
    NetError error;
    Tcp::resolver resolver(threads_.front()->context());
    const auto found =
        resolver.resolve(endpoint.address, fmt::to_string(endpoint.port),
                         Tcp::resolver::passive | Tcp::resolver::numeric_service, error);
    if (error) return listen_error(endpoint, error);
    const Tcp::endpoint address = found.begin()->endpoint();
    Tcp::acceptor acceptor(threads_.front()->context());
    acceptor.open(address.protocol(), error);
    if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error && address.address().is_v6()) {
      acceptor.set_option(asio::ip::v6_only(true), error);
    }
    if (!error) acceptor.bind(address, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return listen_error(endpoint, error);
    ports_.push_back(acceptor.local_endpoint().port());
    if (services_.options.log) {
      services_.options.log->write(LogLevel::kInfo, "listening",
                                   {{"address", address.address().to_string()},
                                    {"port", ports_.back()},
                                    {"tls", endpoint.tls ? "yes" : "no"}});
    }
    listeners_.push_back({std::move(acceptor), endpoint.tls});
    return {};
  }

  Task<void> accept(Listener& listener) {
    while (listener.acceptor.is_open()) {
      IoThread& thread = *threads_[next_thread_++ % threads_.size()];
      Tcp::socket socket(thread.context());
      NetError error;
      co_await listener.acceptor.async_accept(socket, to(error));
      if (!listener.acceptor.is_open()) break;
      log_accepting(error);
      if (!error) {
        admit(listener, thread, std::move(socket));
      } else {
        accept_pause_.expires_after(kAcceptPause);
        co_await accept_pause_.async_wait(to(error));
      }
    }
  }

  void admit(const Listener& listener, IoThread& thread, Tcp::socket socket) {
    NetError error;
    const Tcp::endpoint remote = socket.remote_endpoint(error);
    if (error) return;
    services_.metrics.count_connection();
    NewConnection added = {.socket = std::move(socket),
                           .tls = listener.tls ? tls() : nullptr,
                           .slot = slots_.take(remote.address()),
                           .from_loopback = is_loopback(remote.address())};
    if (!added.slot) added.reserved = slots_.reserve(remote.address());
    thread.open(std::move(added));
  }

  TlsContextPtr tls() {
    const std::lock_guard lock(tls_mutex_);
    return tls_;
  }

  void log_accepting(const NetError& error) {
    Log* const log = services_.options.log.get();
    if (log == nullptr) return;
    const Trouble::News news = accepting_.see(error.failed(), broker::system_clocks().steady);
    if (news == Trouble::News::kBegan) {
      log->write(LogLevel::kError, "connections cannot be accepted", {{"reason", error.message()}});
    } else if (news == Trouble::News::kEnded) {
      log->write(LogLevel::kInfo, "connections are accepted again", {});
    }
  }

  Services services_;
  ConnectionSlots slots_;
  std::mutex tls_mutex_;
  TlsContextPtr tls_;
  Threads threads_;
  std::vector<Listener> listeners_;
  Trouble accepting_;
  asio::steady_timer accept_pause_{threads_.front()->context()};
  std::vector<std::uint16_t> ports_;
  std::size_t next_thread_ = 0;
  bool started_ = false;
};

}  // namespace

base::Result<std::unique_ptr<Server>> Server::start(broker::Broker& broker, ServerOptions options) {
  auto server = std::make_unique<RunningServer>(broker, std::move(options));
  if (auto started = server->start(); !started) return started.error();
  return server;
}

}  // namespace weir::server
