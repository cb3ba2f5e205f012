// SPDX-License-Identifier: Apache-2.0
// WebhookSink: one sink's course, as a coroutine: permission, session, deliveries.
//
// Lives on the sender's io thread; the broker's callbacks are posted there.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/instant.h"
#include "base/prng.h"
#include "base/result.h"
#include "broker/broker.h"
#include "broker/delivery.h"
#include "broker/webhook_policy.h"
#include "server/http_client_connection.h"
#include "server/http_client_connector.h"
#include "server/http_client_message.h"
#include "server/net.h"
#include "server/trouble.h"
#include "server/webhook_request.h"
#include "server/webhook_sender.h"
#include "server/webhook_slots.h"

namespace weir::server {

// What all sinks of a sender share. The io context outlives whoever may still post to it.
struct WebhookShared {
  broker::Broker& broker;
  WebhookOptions options;
  std::shared_ptr<asio::io_context> io;
  WebhookSlots slots;
  HttpConnector connector;  // its lookups hold slots
  base::Prng prng;
  std::size_t idle_connection_count = 0;
};

class WebhookSink : public std::enable_shared_from_this<WebhookSink> {
 public:
  WebhookSink(WebhookShared& shared, const broker::SubscriptionInfo& subscription);

  void start();
  // Gives everything up; the coroutine ends soon after.
  void stop();

  // From a session, by way of the io context. Those of an earlier round are not listened to.
  void on_dispatch(std::uint64_t round, std::vector<broker::Dispatch> dispatches);
  void on_end(std::uint64_t round, const base::Error& reason);

 private:
  // Whether to go on.
  enum class Next : std::uint8_t { kGoOn, kEnd };

  Task<void> run();
  Task<Next> gain_permission();
  Task<Next> consume();
  Task<void> fill_batch();
  std::vector<broker::Dispatch> take_batch();
  Task<Next> deliver(std::vector<broker::Dispatch> batch);
  // Nullopt: the host took longer than its turn; it has a longer one next time.
  using Sent = std::optional<base::Result<HttpAnswer>>;
  Task<Sent> send(const HttpCall& call);
  Task<base::Result<HttpAnswer>> exchange(const HttpCall& call,
                                          std::shared_ptr<WebhookSlots::Permit> permit);
  Task<void> wait_until(base::Instant at);
  Task<void> wait_for_input();

  void attach();
  void give_credit();
  void let_go(const std::vector<broker::Dispatch>& batch, base::Instant until);
  Next settle(std::vector<broker::Dispatch> batch, const broker::WebhookAction& action);
  void send_one_by_one(std::vector<broker::Dispatch> batch, const std::string& reason);
  void close_session();
  void release();
  void keep_connection(std::unique_ptr<ClientConnection> connection);
  std::unique_ptr<ClientConnection> take_connection();
  void set_trouble(std::string trouble);
  void log_trouble(const std::string& trouble);
  // Steady: for durations. The wall clock is for signatures and dates.
  base::Instant now() const { return shared_.options.clocks().steady; }
  base::Instant wall() const { return shared_.options.clocks().wall; }

  WebhookShared& shared_;
  std::string owner_;
  std::string sink_;
  std::uint64_t sink_number_;
  broker::SinkOptions sink_options_;
  WebhookTarget target_;
  broker::WebhookPolicy policy_;
  asio::cancellation_signal cancel_;
  asio::steady_timer wake_;
  std::unique_ptr<ClientConnection> idle_connection_;
  std::optional<std::string> trouble_;  // as it was reported
  Trouble logged_;

  broker::SessionPtr session_;
  std::deque<broker::Dispatch> waiting_;
  std::size_t alone_count_ = 0;  // of those that wait: sent one by one, not in a batch
  bool is_alone_ = false;        // so is the one that is being sent
  // Deliveries that were let go, to be sent again together, and when.
  std::size_t again_count_ = 0;
  std::uint64_t again_number_ = 0;  // of the first one
  std::optional<base::Instant> again_at_;
  std::optional<base::Error> session_end_;
  std::uint64_t session_round_ = 0;
};

}  // namespace weir::server
