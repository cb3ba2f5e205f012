// SPDX-License-Identifier: Apache-2.0
// IoThread: a thread with its io_context, and the connections that live in it.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "server/connection.h"
#include "server/connection_slots.h"

namespace weir::server {

struct NewConnection {
  Tcp::socket socket;  // of the thread's context
  TlsContextPtr tls;
  ConnectionSlots::Slot slot;                                // null: there is none free
  std::shared_ptr<ConnectionSlots::Reserved> reserved = {};  // instead
  bool from_loopback = false;
};

class IoThread {
 public:
  explicit IoThread(Services& services);
  ~IoThread();

  asio::io_context& context() { return context_; }
  void start();

  // From any thread.
  void open(NewConnection connection);
  // Ends what is idle, lets requests end, and after the grace ends all.
  void begin_stop(Milliseconds grace);
  void join();

 private:
  void open_here(NewConnection connection);
  void close_here(Connection* connection, const std::exception_ptr& failure);
  void stop_here(Milliseconds grace);
  void finish_if_empty();

  Services& services_;
  asio::io_context context_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> guard_;
  asio::steady_timer grace_timer_;
  std::set<Connection*> connections_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weir::server
