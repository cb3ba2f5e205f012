// SPDX-License-Identifier: Apache-2.0
// WebhookSender: posts the deliveries of subscriptions with a sink to their sinks.
//
// For each sink: asks for permission until it is granted, unless its host is trusted, then consumes
// the subscription and posts one delivery, or one batch of them, at a time, in order. What an
// answer means, and when to try again, is decided by broker::WebhookPolicy alone; where a sink may
// be, by AddressGuard. docs/webhooks.md has it all.
//
// Threads: one of its own does everything; calls come from any thread. The broker must outlive
// stop(), which the owner calls, or the destructor.
//
//   auto sender = WebhookSender::create(*broker, options);
//   broker->listen_to_sinks(*sender);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/broker.h"
#include "broker/webhook_policy.h"
#include "server/address_guard.h"
#include "server/http_client_message.h"
#include "server/log.h"
#include "server/resolver.h"

namespace weir::server {

struct WebhookOptions {
  std::string origin = "weir";  // who asks: a name in the DNS that stands for this broker
  std::optional<std::uint32_t> requests_per_minute = {};  // that are asked for
  std::vector<Cidr> allowed_networks = {};                // besides public addresses
  std::vector<std::string> trusted_hosts = {};            // need not give permission first
  std::string ca_file = {};  // PEM; empty: the authorities that the system trusts
  broker::WebhookPolicyOptions policy = {};
  HttpClientTimeouts timeouts = {};
  HttpClientLimits limits = {.header_bytes_max = std::size_t{16} << 10U,
                             .body_bytes_max = std::size_t{64} << 10U};
  std::size_t request_count_max = 64;       // under way at once; every owner may have one besides
  std::size_t requests_per_owner_max = 16;  // of one owner of subscriptions
  std::size_t requests_per_host_max = 8;    // of these to one host and port
  // How long a request to a host may take that is new or was quick; then the host is slow.
  base::Duration quick_time = base::Duration::seconds(1);
  std::size_t idle_connection_count_max = 256;
  base::Duration idle_timeout = base::Duration::seconds(30);
  std::uint64_t window = 8;  // deliveries of a subscription that wait in the sender; or a batch
  std::size_t batch_bytes_max = std::size_t{1} << 20U;  // of events in a batch of several
  std::uint64_t seed = 0;                               // of the jitter
  std::function<broker::ClockReading()> clocks = broker::system_clocks;
  Resolver::LookUp look_up = Resolver::system_look_up;
  std::shared_ptr<Log> log = {};  // null: nothing is logged
};

class WebhookSender final : public broker::SinkListener {
 public:
  // kHttpTls if the authorities cannot be read; kBrokerOption if the origin or a bound is no good.
  static base::Result<std::shared_ptr<WebhookSender>> create(broker::Broker& broker,
                                                             const WebhookOptions& options);
  ~WebhookSender() override;
  WebhookSender(const WebhookSender&) = delete;
  WebhookSender& operator=(const WebhookSender&) = delete;

  // A sink that is known already is begun anew.
  void on_sink(const broker::SubscriptionInfo& subscription) override;
  void on_sink_removed(const std::string& id) override;

  // Abandons what is under way, which will be delivered again, and closes all sessions.
  void stop();

 private:
  class Impl;
  explicit WebhookSender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::server
