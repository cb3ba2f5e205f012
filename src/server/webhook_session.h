// SPDX-License-Identifier: Apache-2.0
// WebhookSession: the broker's end of a sink: posts what comes to the sender's io thread.
//
// Any thread. May outlive sink and sender: then what comes is dropped.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "broker/delivery.h"
#include "server/net.h"

namespace weir::server {

class WebhookSink;

class WebhookSession final : public broker::Consumer {
 public:
  WebhookSession(std::shared_ptr<asio::io_context> io, std::weak_ptr<WebhookSink> sink,
                 std::uint64_t round);

  void on_begin(const broker::SessionStart& start) override;
  void on_dispatch(std::vector<broker::Dispatch> dispatches) override;
  void on_acknowledged(std::uint64_t number) override;
  void on_settled(std::vector<std::uint64_t> numbers) override;
  void on_end(const base::Error& reason) override;

 private:
  std::shared_ptr<asio::io_context> io_;
  std::weak_ptr<WebhookSink> sink_;
  std::uint64_t round_;
};

}  // namespace weir::server
