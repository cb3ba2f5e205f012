// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/instant.h"
#include "base/result.h"
#include "server/trusted_hosts.h"
#include "server/webhook_session.h"

namespace weir::server {

using broker::WebhookAction;

namespace {

std::string waiting_text(const std::string& reason, base::Instant at, base::Instant now) {
  const double seconds = static_cast<double>((at - now).nanoseconds) / 1e9;
  return fmt::format("{}; next attempt in {:.1f} s", reason, seconds);
}

// A delivery that is tried again later than this is not kept meanwhile.
constexpr base::Duration kHoldTimeMax = base::Duration::seconds(1);

// The subscription is gone, or the broker is going.
bool is_final(const base::Error& reason) {
  using enum base::ErrorId;
  return reason.id == kBrokerEnded || reason.id == kBrokerStopping ||
         reason.id == kBrokerNoSuchSubscription;
}

}  // namespace

WebhookSink::WebhookSink(WebhookShared& shared, const broker::SubscriptionInfo& subscription)
    : shared_(shared),
      owner_(subscription.owner),
      sink_(subscription.definition->sink()),
      sink_number_(subscription.sink_number),
      sink_options_(subscription.definition->sink_config().options),
      target_{.subscription = subscription.id,
              .created = subscription.created,
              .mode = sink_options_.mode,
              .secrets = subscription.sink_secrets},
      policy_(shared.options.policy),
      wake_(*shared.io) {}

void WebhookSink::start() {
  auto finish = [self = shared_from_this()](const std::exception_ptr& thrown) {
    self->release();
    if (!thrown) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
      // This is how stop() ends a coroutine.
      if (error.code() != asio::error::operation_aborted) self->set_trouble(error.what());
    } catch (const std::exception& error) {
      self->set_trouble(error.what());
    }
  };
  asio::co_spawn(*shared_.io, run(),
                 asio::bind_cancellation_slot(cancel_.slot(), std::move(finish)));
}

void WebhookSink::stop() {
  release();
  cancel_.emit(asio::cancellation_type::terminal);
}

void WebhookSink::on_dispatch(std::uint64_t round, std::vector<broker::Dispatch> dispatches) {
  if (round != session_round_) return;
  std::ranges::move(dispatches, std::back_inserter(waiting_));
  wake_.cancel();
}

void WebhookSink::on_end(std::uint64_t round, const base::Error& reason) {
  if (round != session_round_) return;
  session_end_ = reason;
  wake_.cancel();
}

Task<void> WebhookSink::run() {
  base::Result<Url> url = parse_url(sink_);
  if (!url) {
    set_trouble("the sink is not a URL: " + url.error().to_string());
    co_return;
  }
  target_.url = *std::move(url);
  while (true) {
    Next next = co_await gain_permission();
    if (next == Next::kGoOn) next = co_await consume();
    if (next == Next::kEnd) co_return;
  }
}

Task<WebhookSink::Next> WebhookSink::gain_permission() {
  const WebhookOptions& options = shared_.options;
  if (is_trusted(target_.url, options.trusted_hosts)) {
    set_trouble("");
    co_return Next::kGoOn;
  }
  const HttpCall call = permission_call(target_, options.origin, options.requests_per_minute);
  while (true) {
    const Sent answer = co_await send(call);
    if (!answer) continue;
    const broker::HandshakeOutcome outcome = permission_outcome(*answer, wall());
    const WebhookAction action = policy_.on_handshake(outcome, options.origin, now(), shared_.prng);
    if (action.kind == WebhookAction::Kind::kDone) {
      set_trouble("");
      co_return Next::kGoOn;
    }
    if (action.kind == WebhookAction::Kind::kStop) {
      set_trouble(action.reason + ": nothing more is sent there");
      co_return Next::kEnd;
    }
    set_trouble(waiting_text(action.reason, action.at, now()));
    co_await wait_until(action.at);
  }
}

Task<WebhookSink::Next> WebhookSink::consume() {
  attach();
  give_credit();
  while (!session_end_) {
    if (again_at_) {
      co_await wait_until(*std::exchange(again_at_, std::nullopt));
      give_credit();
    }
    if (waiting_.empty()) {
      co_await wait_for_input();
      continue;
    }
    co_await fill_batch();
    std::vector<broker::Dispatch> batch = take_batch();
    const Next next = co_await deliver(std::move(batch));
    if (next == Next::kEnd) co_return Next::kEnd;
  }
  const base::Error reason = *session_end_;
  close_session();
  if (is_final(reason)) co_return Next::kEnd;
  const base::Instant at = policy_.attach_at(now());
  set_trouble(waiting_text(reason.message, at, now()));
  co_await wait_until(at);
  co_return Next::kGoOn;
}

// Waits for a batch to become full, or for as long as it may take.
Task<void> WebhookSink::fill_batch() {
  if (sink_options_.mode != broker::SinkMode::kBatch || alone_count_ > 0) co_return;
  const auto until = Clock::now() + std::chrono::nanoseconds(sink_options_.batch_wait.nanoseconds);
  while (waiting_.size() < sink_options_.batch_count && Clock::now() < until && !session_end_) {
    wake_.expires_at(until);
    NetError ignored;
    co_await wake_.async_wait(to(ignored));
  }
}

// The next delivery; in batch mode those after it too. A group is a request of its own.
std::vector<broker::Dispatch> WebhookSink::take_batch() {
  const bool is_batch = sink_options_.mode == broker::SinkMode::kBatch;
  is_alone_ = alone_count_ > 0;
  if (is_alone_) --alone_count_;
  const std::size_t again_count = std::exchange(again_count_, 0);
  std::size_t count_max = is_batch && !is_alone_ ? sink_options_.batch_count : 1;
  if (again_count > 0) count_max = std::min(count_max, again_count);
  std::vector<broker::Dispatch> batch;
  std::size_t bytes = 0;
  while (!waiting_.empty() && batch.size() < count_max) {
    const bool is_group = waiting_.front().is_group;
    bytes += waiting_.front().events.front().json.size();
    if (!batch.empty() && (is_group || bytes > shared_.options.batch_bytes_max)) break;
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (is_group) break;
  }
  if (again_count > 0 && batch.front().number != again_number_) policy_.forget_delivery();
  return batch;
}

Task<WebhookSink::Next> WebhookSink::deliver(std::vector<broker::Dispatch> batch) {
  while (true) {
    const base::Instant send_at = policy_.send_at(now());
    co_await wait_until(send_at);
    if (session_end_) co_return Next::kGoOn;
    const HttpCall call = delivery_call(target_, batch, wall());
    const Sent answer = co_await send(call);
    if (session_end_) co_return Next::kGoOn;
    if (!answer) {
      for (broker::Dispatch& dispatch : batch) dispatch.redelivered = true;
      continue;
    }
    const WebhookAction action =
        policy_.on_result(delivery_outcome(*answer, wall()), now(), shared_.prng);
    if (action.kind != WebhookAction::Kind::kRetry) co_return settle(std::move(batch), action);
    set_trouble(waiting_text(fmt::format("delivery {}: {}", batch.front().number, action.reason),
                             action.at, now()));
    if (action.at - now() >= kHoldTimeMax) {
      let_go(batch, action.at);
      co_return Next::kGoOn;
    }
    for (broker::Dispatch& dispatch : batch) dispatch.redelivered = true;
    co_await wait_until(action.at);
    if (session_end_) co_return Next::kGoOn;
  }
}

// A sink that is down for long holds no memory: the broker hands its deliveries out again.
void WebhookSink::let_go(const std::vector<broker::Dispatch>& batch, base::Instant until) {
  const std::size_t alone_count = is_alone_ ? alone_count_ + 1 : 0;
  close_session();
  attach();
  alone_count_ = alone_count;
  again_count_ = batch.size();
  again_number_ = batch.front().number;
  again_at_ = until;
}

WebhookSink::Next WebhookSink::settle(std::vector<broker::Dispatch> batch,
                                      const WebhookAction& action) {
  const std::uint64_t number = batch.back().number;
  switch (action.kind) {
    case WebhookAction::Kind::kStop:
      set_trouble(action.reason + ": nothing more is sent there");
      close_session();
      return Next::kEnd;
    case WebhookAction::Kind::kBury:
      if (batch.size() > 1) {
        send_one_by_one(std::move(batch), action.reason);
        return Next::kGoOn;
      }
      session_->bury(number, action.reason);
      set_trouble(fmt::format("delivery {} is a dead letter: {}", number, action.reason));
      break;
    default:
      session_->acknowledge(number);
      set_trouble("");
      break;
  }
  session_->add_credit(batch.size());
  return Next::kGoOn;
}

// One event that the sink cannot take must not bury those that happened to travel with it.
void WebhookSink::send_one_by_one(std::vector<broker::Dispatch> batch, const std::string& reason) {
  set_trouble(fmt::format("deliveries {} to {} are sent one by one: {}", batch.front().number,
                          batch.back().number, reason));
  alone_count_ = batch.size();
  for (broker::Dispatch& dispatch : batch) dispatch.redelivered = true;
  waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()),
                  std::make_move_iterator(batch.end()));
}

Task<WebhookSink::Sent> WebhookSink::send(const HttpCall& call) {
  broker::WebhookParty party{.owner = owner_, .host = target_.url.endpoint()};
  std::function<void(std::string)> tell = [this](std::string reason) {
    set_trouble("waits for its turn: " + std::move(reason));
  };
  WebhookSlots::Permit taken = co_await shared_.slots.acquire(std::move(party), std::move(tell));
  const auto permit = std::make_shared<WebhookSlots::Permit>(std::move(taken));
  policy_.on_send(now());
  Sent sent = co_await exchange(call, permit);
  // A host that fails at once is no burden; one that is given up may have taken the request.
  const bool is_overdue = Clock::now() >= permit->until();
  if (*sent || !is_overdue) permit->set_answered();
  if (!*sent && is_overdue) {
    set_trouble("did not answer promptly; waits for a longer turn");
    sent.reset();
  }
  co_return sent;
}

Task<base::Result<HttpAnswer>> WebhookSink::exchange(const HttpCall& call,
                                                     std::shared_ptr<WebhookSlots::Permit> permit) {
  const Clock::time_point until = permit->until();
  std::unique_ptr<ClientConnection> connection = take_connection();
  if (!connection || !connection->is_reusable()) {
    base::Result<std::unique_ptr<ClientConnection>> opened =
        co_await shared_.connector.open(target_.url, std::move(permit), until);
    if (!opened) co_return base::Result<HttpAnswer>(opened.error());
    connection = *std::move(opened);
  }
  base::Result<HttpAnswer> answer = co_await connection->exchange(call, until);
  if (answer) keep_connection(std::move(connection));
  co_return answer;
}

Task<void> WebhookSink::wait_until(base::Instant at) {
  const Clock::time_point until = Clock::now() + std::chrono::nanoseconds((at - now()).nanoseconds);
  while (Clock::now() < until && !session_end_) {
    wake_.expires_at(until);
    NetError ignored;
    co_await wake_.async_wait(to(ignored));
  }
}

// Until something comes; what is idle for long is closed meanwhile.
Task<void> WebhookSink::wait_for_input() {
  if (idle_connection_) {
    wake_.expires_after(std::chrono::nanoseconds(shared_.options.idle_timeout.nanoseconds));
  } else {
    wake_.expires_at(Clock::time_point::max());
  }
  NetError error;
  co_await wake_.async_wait(to(error));
  if (!error) take_connection();
}

void WebhookSink::attach() {
  const std::uint64_t round = ++session_round_;
  auto consumer = std::make_shared<WebhookSession>(shared_.io, weak_from_this(), round);
  session_ = shared_.broker.attach_sink(target_.subscription, std::move(consumer));
}

void WebhookSink::give_credit() {
  const bool is_batch = sink_options_.mode == broker::SinkMode::kBatch;
  session_->add_credit(
      std::max<std::uint64_t>(shared_.options.window, is_batch ? sink_options_.batch_count : 1));
}

void WebhookSink::close_session() {
  ++session_round_;
  waiting_.clear();
  alone_count_ = 0;
  again_count_ = 0;
  again_at_.reset();
  session_end_.reset();
  if (session_) std::exchange(session_, nullptr)->close();
}

void WebhookSink::release() {
  close_session();
  take_connection();
}

void WebhookSink::keep_connection(std::unique_ptr<ClientConnection> connection) {
  if (shared_.idle_connection_count >= shared_.options.idle_connection_count_max) return;
  ++shared_.idle_connection_count;
  idle_connection_ = std::move(connection);
}

std::unique_ptr<ClientConnection> WebhookSink::take_connection() {
  if (idle_connection_) --shared_.idle_connection_count;
  return std::move(idle_connection_);
}

void WebhookSink::set_trouble(std::string trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  log_trouble(trouble);
  shared_.broker.report_trouble(target_.subscription, sink_number_, std::move(trouble));
}

void WebhookSink::log_trouble(const std::string& trouble) {
  Log* const log = shared_.options.log.get();
  if (log == nullptr) return;
  const Trouble::News news = logged_.see(!trouble.empty(), now());
  if (news == Trouble::News::kBegan) {
    log->write(LogLevel::kWarning, "a sink does not take its deliveries",
               {{"subscription", target_.subscription}, {"reason", trouble}});
  } else if (news == Trouble::News::kEnded) {
    log->write(LogLevel::kInfo, "a sink takes its deliveries again",
               {{"subscription", target_.subscription}});
  }
}

}  // namespace weir::server
