// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_session.h"

#include <boost/asio/post.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "server/webhook_sink.h"

namespace weir::server {

WebhookSession::WebhookSession(std::shared_ptr<asio::io_context> io,
                               std::weak_ptr<WebhookSink> sink, std::uint64_t round)
    : io_(std::move(io)), sink_(std::move(sink)), round_(round) {}

void WebhookSession::on_begin(const broker::SessionStart& /*start*/) {}

void WebhookSession::on_dispatch(std::vector<broker::Dispatch> dispatches) {
  asio::post(*io_, [sink = sink_, round = round_, dispatches = std::move(dispatches)]() mutable {
    if (const auto alive = sink.lock()) alive->on_dispatch(round, std::move(dispatches));
  });
}

void WebhookSession::on_acknowledged(std::uint64_t /*number*/) {}

void WebhookSession::on_settled(std::vector<std::uint64_t> /*numbers*/) {}

void WebhookSession::on_end(const base::Error& reason) {
  asio::post(*io_, [sink = sink_, round = round_, reason] {
    if (const auto alive = sink.lock()) alive->on_end(round, reason);
  });
}

}  // namespace weir::server
