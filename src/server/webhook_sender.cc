// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_sender.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/prng.h"
#include "base/result.h"
#include "server/http_client_connector.h"
#include "server/http_client_transport.h"
#include "server/webhook_request.h"
#include "server/webhook_sink.h"
#include "server/webhook_slots.h"

namespace weir::server {
namespace {

base::Error option_error(std::string message) {
  return base::Error{base::ErrorId::kBrokerOption, std::move(message), std::nullopt};
}

std::optional<base::Error> check(const WebhookOptions& options) {
  const HttpCall call =
      permission_call(WebhookTarget{}, options.origin, options.requests_per_minute);
  if (options.origin.empty() || !serialize(call, "x")) {
    return option_error("webhooks.origin is empty or has characters that a header must not have");
  }
  if (options.quick_time <= base::Duration{}) {
    return option_error("webhooks.quick_time must be longer than 0");
  }
  if (options.window == 0 || options.request_count_max == 0 ||
      options.requests_per_owner_max == 0 || options.requests_per_host_max == 0) {
    return option_error("webhooks.window and webhooks.requests must be at least 1");
  }
  return std::nullopt;
}

HttpConnectorOptions connector_options(const WebhookOptions& options, TlsContextPtr tls) {
  HttpConnectorOptions result;
  result.guard = AddressGuard(options.allowed_networks);
  result.tls = std::move(tls);
  result.timeouts = options.timeouts;
  result.limits = options.limits;
  result.look_up = options.look_up;
  return result;
}

}  // namespace

class WebhookSender::Impl {
 public:
  Impl(broker::Broker& broker, const WebhookOptions& options, TlsContextPtr tls)
      : Impl(broker, options, std::move(tls), std::make_shared<asio::io_context>(1)) {}
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void put(const broker::SubscriptionInfo& subscription) {
    asio::post(*shared_.io, [this, subscription] {
      drop(subscription.id);
      if (is_stopping_) return;
      auto started = std::make_shared<WebhookSink>(shared_, subscription);
      sinks_.emplace(subscription.id, started);
      started->start();
    });
  }

  void remove(std::string id) {
    asio::post(*shared_.io, [this, id = std::move(id)] { drop(id); });
  }

  void stop() {
    const std::lock_guard lock(stop_mutex_);
    if (!thread_.joinable()) return;
    asio::post(*shared_.io, [this] {
      is_stopping_ = true;
      while (!sinks_.empty()) drop(std::string(sinks_.begin()->first));
      work_.reset();
    });
    thread_.join();
  }

 private:
  Impl(broker::Broker& broker, const WebhookOptions& options, TlsContextPtr tls,
       const std::shared_ptr<asio::io_context>& io)
      : shared_{.broker = broker,
                .options = options,
                .io = io,
                .slots = {io->get_executor(),
                          {.count = options.request_count_max,
                           .per_owner = options.requests_per_owner_max,
                           .per_host = options.requests_per_host_max,
                           .quick_time = options.quick_time}},
                .connector = {io->get_executor(), connector_options(options, std::move(tls))},
                .prng = base::Prng(options.seed)},
        work_(asio::make_work_guard(*io)),
        thread_([io] { io->run(); }) {}

  void drop(const std::string& id) {
    const auto found = sinks_.find(id);
    if (found == sinks_.end()) return;
    found->second->stop();
    sinks_.erase(found);
  }

  WebhookShared shared_;
  // On the io thread.
  std::map<std::string, std::shared_ptr<WebhookSink>> sinks_;
  bool is_stopping_ = false;

  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::mutex stop_mutex_;
  std::thread thread_;
};

base::Result<std::shared_ptr<WebhookSender>> WebhookSender::create(broker::Broker& broker,
                                                                   const WebhookOptions& options) {
  if (auto error = check(options)) return *std::move(error);
  try {
    auto tls = make_tls_client({.ca_file = options.ca_file});
    if (!tls) return tls.error();
    auto impl = std::make_unique<Impl>(broker, options, *std::move(tls));
    return std::shared_ptr<WebhookSender>(new WebhookSender(std::move(impl)));
  } catch (const std::exception& exception) {
    return base::Error{base::ErrorId::kHttpConnect, exception.what(), std::nullopt};
  }
}

WebhookSender::WebhookSender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebhookSender::~WebhookSender() = default;

void WebhookSender::on_sink(const broker::SubscriptionInfo& subscription) {
  impl_->put(subscription);
}

void WebhookSender::on_sink_removed(const std::string& id) { impl_->remove(id); }

void WebhookSender::stop() { impl_->stop(); }

}  // namespace weir::server
