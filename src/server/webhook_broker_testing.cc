// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_broker_testing.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace weir::server {
namespace {

constexpr std::chrono::seconds kPatience{10};

base::Error absent() {
  return base::Error{base::ErrorId::kBrokerNoSuchSubscription, "not in this test", std::nullopt};
}

}  // namespace

// Calls of a session that was replaced or closed change nothing.
class WebhookBroker::Session final : public broker::Session {
 public:
  Session(WebhookBroker& broker, std::string id, std::uint64_t round)
      : broker_(broker), id_(std::move(id)), round_(round) {}

  void add_credit(std::uint64_t count) override {
    change([&](Sink& sink) { sink.credit += count; });
  }
  void acknowledge(std::uint64_t number) override {
    change([&](Sink& sink) {
      sink.record.acknowledged.push_back(number);
      sink.settled_count = number;
    });
  }
  void answer(broker::Answer /*answer*/) override {}
  void bury(std::uint64_t number, std::string reason) override {
    change([&](Sink& sink) {
      WEIR_CHECK(number == sink.settled_count + 1);
      sink.record.buried.emplace_back(number, std::move(reason));
      sink.settled_count = number;
    });
  }
  void close() override {
    change([](Sink& sink) {
      ++sink.record.close_count;
      sink.consumer = nullptr;
    });
  }

 private:
  void change(const std::function<void(Sink&)>& apply) {
    broker_.change(id_, [&](Sink& sink) {
      if (sink.consumer != nullptr && sink.round == round_) apply(sink);
    });
  }

  WebhookBroker& broker_;
  std::string id_;
  std::uint64_t round_;
};

void WebhookBroker::change(const std::string& id, const std::function<void(Sink&)>& apply) {
  {
    const std::lock_guard lock(mutex_);
    Sink& sink = sinks_[id];
    apply(sink);
    pump(sink);
  }
  changed_.notify_all();
}

void WebhookBroker::pump(Sink& sink) {
  std::vector<broker::Dispatch> dispatches;
  for (; sink.consumer != nullptr && sink.credit > 0 &&
         sink.dispatched_count < sink.deliveries.size();
       --sink.credit) {
    Delivery& delivery = sink.deliveries[sink.dispatched_count++];
    broker::Dispatch dispatch;
    dispatch.number = sink.dispatched_count;
    dispatch.redelivered = std::exchange(delivery.redelivered, true);
    dispatch.is_group = delivery.events.size() > 1;
    for (const std::string& event : delivery.events) {
      const auto owner = std::make_shared<const std::string>(event);
      dispatch.events.push_back({owner, *owner});
    }
    dispatches.push_back(std::move(dispatch));
  }
  if (!dispatches.empty()) sink.consumer->on_dispatch(std::move(dispatches));
}

void WebhookBroker::add(const std::string& id, std::vector<std::string> events, bool redelivered) {
  change(id, [&](Sink& sink) { sink.deliveries.push_back({std::move(events), redelivered}); });
}

void WebhookBroker::end(const std::string& id, const base::Error& reason) {
  change(id, [&](Sink& sink) {
    if (sink.consumer != nullptr) std::exchange(sink.consumer, nullptr)->on_end(reason);
  });
}

broker::SessionPtr WebhookBroker::attach_sink(std::string_view id,
                                              std::shared_ptr<broker::Consumer> consumer) {
  std::uint64_t round = 0;
  change(std::string(id), [&](Sink& sink) {
    ++sink.record.attach_count;
    sink.dispatched_count = sink.settled_count;
    sink.credit = 0;
    round = ++sink.round;
    sink.consumer = std::move(consumer);
    sink.consumer->on_begin({});
  });
  return std::make_shared<Session>(*this, std::string(id), round);
}

void WebhookBroker::report_trouble(std::string_view id, std::uint64_t /*sink_number*/,
                                   std::string trouble) {
  change(std::string(id), [&](Sink& sink) { sink.record.troubles.push_back(std::move(trouble)); });
}

bool WebhookBroker::wait_until(const std::string& id,
                               const std::function<bool(const SinkRecord&)>& satisfied) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return satisfied(sinks_[id].record); });
}

SinkRecord WebhookBroker::record(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return sinks_[id].record;
}

broker::SubscriptionInfo WebhookBroker::subscription(std::string id, std::string_view sink,
                                                     std::string owner) {
  const auto definition =
      broker::Definition::parse(fmt::format(R"({{"sink": "{}", "protocol": "HTTP"}})", sink));
  WEIR_CHECK(definition.has_value());
  broker::SubscriptionInfo info;
  info.id = std::move(id);
  info.owner = std::move(owner);
  info.definition = *definition;
  return info;
}

base::Result<broker::PrincipalPtr> WebhookBroker::authenticate(std::string_view /*token*/) {
  return absent();
}
base::Result<void> WebhookBroker::reload_tokens() { return absent(); }
base::Result<broker::SubscriptionInfo> WebhookBroker::get(const broker::PrincipalPtr& /*principal*/,
                                                          std::string_view /*id*/) {
  return absent();
}
base::Result<std::vector<store::DeadLetterRow>> WebhookBroker::dead_letters(
    const broker::PrincipalPtr& /*principal*/, std::string_view /*id*/, std::uint64_t /*after*/,
    std::size_t /*count_max*/) {
  return absent();
}
broker::BrokerStats WebhookBroker::stats() const { return {}; }
const broker::BrokerOptions& WebhookBroker::options() const { std::abort(); }

}  // namespace weir::server
