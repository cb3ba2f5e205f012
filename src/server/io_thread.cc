// SPDX-License-Identifier: Apache-2.0
#include "server/io_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace weir::server {

IoThread::IoThread(Services& services)
    : services_(services),
      context_(1),
      guard_(asio::make_work_guard(context_)),
      grace_timer_(context_) {}

IoThread::~IoThread() { join(); }

void IoThread::start() {
  thread_ = std::thread([this] { context_.run(); });
}

void IoThread::open(NewConnection connection) {
  auto work = [this, moved = std::move(connection)]() mutable { open_here(std::move(moved)); };
  asio::post(context_, std::move(work));
}

void IoThread::open_here(NewConnection added) {
  if (stopping_) return;
  NetError ignored;
  added.socket.set_option(Tcp::no_delay(true), ignored);
  // Otherwise the system lets it grow to megabytes, for each peer that does not read.
  const auto buffer_bytes = static_cast<int>(services_.options.send_buffer_bytes);
  added.socket.set_option(asio::socket_base::send_buffer_size(buffer_bytes), ignored);
  auto transport = make_transport(std::move(added.socket), std::move(added.tls));
  auto connection =
      std::make_shared<Connection>(services_, std::move(transport), added.from_loopback);
  Connection* const key = connection.get();
  connections_.insert(key);
  if (added.reserved) {
    added.reserved->on_taken([this, weak = std::weak_ptr(connection)] {
      asio::post(context_, [weak] {
        if (const auto alive = weak.lock()) alive->abort();
      });
    });
  }
  auto task = added.reserved ? connection->run_reserved() : connection->run();
  auto done = [this, connection = std::move(connection), slot = std::move(added.slot),
               reserved = std::move(added.reserved)](const std::exception_ptr& failure) {
    close_here(connection.get(), failure);
  };
  asio::co_spawn(context_, std::move(task), std::move(done));
}

void IoThread::close_here(Connection* connection, const std::exception_ptr& failure) {
  connections_.erase(connection);
  if (failure && services_.options.log) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
      services_.options.log->write(LogLevel::kError, "a connection failed",
                                   {{"reason", exception.what()}});
    }
  }
  finish_if_empty();
}

void IoThread::begin_stop(Milliseconds grace) {
  asio::post(context_, [this, grace] { stop_here(grace); });
}

void IoThread::stop_here(Milliseconds grace) {
  if (stopping_) return;
  stopping_ = true;
  for (Connection* const connection : connections_) connection->begin_stop();
  grace_timer_.expires_after(grace);
  grace_timer_.async_wait([this](NetError error) {
    if (error) return;
    for (Connection* const connection : connections_) connection->abort();
  });
  finish_if_empty();
}

void IoThread::finish_if_empty() {
  if (!stopping_ || !connections_.empty()) return;
  grace_timer_.cancel();
  guard_.reset();
}

void IoThread::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace weir::server
