// SPDX-License-Identifier: Apache-2.0
// StreamInbox: where the broker's threads put a stream's deliveries, and its io thread takes them.
//
// Holds as much as credit was given for. After detach() it takes no more and wakes nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "broker/delivery.h"
#include "server/net.h"
#include "server/signal.h"

namespace weir::server {

class StreamInbox final : public broker::Consumer {
 public:
  struct Contents {
    std::optional<broker::SessionStart> began = {};
    std::vector<broker::Dispatch> dispatches = {};
    std::optional<std::uint64_t> acknowledged = {};
    std::vector<std::uint64_t> settled = {};
    std::optional<base::Error> end = {};
  };

  // Sets the signal in its io thread when something has come.
  StreamInbox(asio::any_io_executor executor, std::shared_ptr<Signal> signal);

  // What has come since the last time.
  Contents take();
  void detach();

  void on_begin(const broker::SessionStart& start) override;
  void on_dispatch(std::vector<broker::Dispatch> dispatches) override;
  void on_acknowledged(std::uint64_t number) override;
  void on_settled(std::vector<std::uint64_t> numbers) override;
  void on_end(const base::Error& reason) override;

 private:
  template <typename Change>
  void change(Change&& change);

  std::mutex mutex_;
  Contents contents_;
  bool notified_ = false;
  std::function<void()> notify_;  // null: detached
};

}  // namespace weir::server
