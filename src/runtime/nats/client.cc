// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/client.h"

#include <fmt/format.h>
#include <nats/nats.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace weir::runtime::nats {

namespace {

std::int64_t milliseconds(base::Duration duration) { return duration.nanoseconds / 1'000'000; }

struct OptionsDeleter {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};

}  // namespace

// The argument of the C client's callbacks. It outlives them: see end().
struct Client::State {
  State(NatsOptions given, MessageCallback callback)
      : options(std::move(given)), on_message(std::move(callback)) {}

  natsStatus connect();
  void end();
  void bury(natsSubscription* subscription);

  static void take_message(natsConnection* connection, natsSubscription* subscription,
                           natsMsg* message, void* closure);
  static void take_completion(void* closure);
  static void take_disconnect(natsConnection* connection, void* closure);
  static void take_reconnect(natsConnection* connection, void* closure);
  static void take_close(natsConnection* connection, void* closure);
  static void take_error(natsConnection* connection, natsSubscription* subscription,
                         natsStatus status, void* closure);
  static std::int64_t reconnect_wait(natsConnection* connection, int attempt, void* closure);
  static State& of(void* closure) { return *static_cast<State*>(closure); }

  const NatsOptions options;
  const MessageCallback on_message;
  natsConnection* connection = nullptr;
  std::map<std::string, natsSubscription*> subscriptions;
  std::vector<natsSubscription*> buried;  // unsubscribed, not destroyed yet

  std::atomic<std::uint64_t> disconnect_count = 0;
  std::atomic<std::uint64_t> reconnect_count = 0;
  std::atomic<std::uint64_t> slow_consumer_count = 0;
  std::atomic<std::uint64_t> error_count = 0;

  std::mutex mutex;
  std::condition_variable changed;
  std::size_t running_count = 0;  // subscriptions whose callback may still be called
  bool is_closed = false;
};

void Client::State::take_message(natsConnection* /*connection*/, natsSubscription* /*subscription*/,
                                 natsMsg* message, void* closure) {
  const int size = natsMsg_GetDataLength(message);
  of(closure).on_message({natsMsg_GetData(message), static_cast<std::size_t>(std::max(size, 0))});
  natsMsg_Destroy(message);
}

void Client::State::take_completion(void* closure) {
  State& state = of(closure);
  const std::lock_guard lock(state.mutex);
  --state.running_count;
  state.changed.notify_all();
}

void Client::State::take_disconnect(natsConnection* /*connection*/, void* closure) {
  ++of(closure).disconnect_count;
}

void Client::State::take_reconnect(natsConnection* /*connection*/, void* closure) {
  ++of(closure).reconnect_count;
}

void Client::State::take_close(natsConnection* /*connection*/, void* closure) {
  State& state = of(closure);
  const std::lock_guard lock(state.mutex);
  state.is_closed = true;
  state.changed.notify_all();
}

void Client::State::take_error(natsConnection* /*connection*/, natsSubscription* /*subscription*/,
                               natsStatus status, void* closure) {
  State& state = of(closure);
  ++(status == NATS_SLOW_CONSUMER ? state.slow_consumer_count : state.error_count);
}

std::int64_t Client::State::reconnect_wait(natsConnection* /*connection*/, int attempt,
                                           void* closure) {
  const NatsOptions& options = of(closure).options;
  constexpr int kDoublingsMax = 16;
  const std::int64_t wait = milliseconds(options.reconnect_wait_min)
                            << std::clamp(attempt - 1, 0, kDoublingsMax);
  return std::min(wait, milliseconds(options.reconnect_wait_max));
}

natsStatus Client::State::connect() {
  natsOptions* made = nullptr;
  if (const natsStatus status = natsOptions_Create(&made); status != NATS_OK) return status;
  const std::unique_ptr<natsOptions, OptionsDeleter> owner(made);
  const auto set = [](std::initializer_list<natsStatus> results) {
    return *std::ranges::max_element(results);
  };
  const natsStatus status = set({
      natsOptions_SetURL(made, options.url.c_str()),
      natsOptions_SetName(made, options.member.c_str()),
      natsOptions_SetTimeout(made, milliseconds(options.connect_timeout)),
      natsOptions_SetNoEcho(made, true),
      natsOptions_SetSendAsap(made, true),
      // One thread for all subscriptions, not one each: there are up to a thousand.
      natsOptions_UseGlobalMessageDelivery(made, true),
      natsOptions_SetMaxReconnect(made, -1),
      natsOptions_SetCustomReconnectDelay(made, reconnect_wait, this),
      natsOptions_SetReconnectBufSize(made, 1),
      natsOptions_SetDisconnectedCB(made, take_disconnect, this),
      natsOptions_SetReconnectedCB(made, take_reconnect, this),
      natsOptions_SetClosedCB(made, take_close, this),
      natsOptions_SetErrorHandler(made, take_error, this),
  });
  return status == NATS_OK ? natsConnection_Connect(&connection, made) : status;
}

// A subscription may be destroyed when it is unsubscribed and the server knows.
void Client::State::bury(natsSubscription* subscription) {
  natsSubscription_Unsubscribe(subscription);
  buried.push_back(subscription);
}

void Client::State::end() {
  const auto patience = std::chrono::milliseconds(milliseconds(options.drain_timeout));
  // Draining needs a server; without one there is nothing to wait for.
  if (natsConnection_Status(connection) != NATS_CONN_STATUS_CONNECTED ||
      natsConnection_DrainTimeout(connection, patience.count()) != NATS_OK) {
    natsConnection_Close(connection);
  }
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, patience, [this] { return is_closed; });
  }
  natsConnection_Close(connection);
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return is_closed && running_count == 0; });
  lock.unlock();
  for (auto& [subject, subscription] : subscriptions) natsSubscription_Destroy(subscription);
  for (natsSubscription* subscription : buried) natsSubscription_Destroy(subscription);
  natsConnection_Destroy(connection);
}

base::Result<std::unique_ptr<Client>> Client::connect(const NatsOptions& options,
                                                      MessageCallback on_message) {
  auto state = std::make_unique<State>(options, std::move(on_message));
  if (const natsStatus status = state->connect(); status != NATS_OK) {
    return base::Error{base::ErrorId::kNatsConnect,
                       fmt::format("no NATS server at {}: {}", without_password(options.url),
                                   natsStatus_GetText(status)),
                       {}};
  }
  return std::unique_ptr<Client>(new Client(std::move(state)));
}

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() { state_->end(); }

Client::Sent Client::publish(const std::string& subject, std::string_view bytes) {
  natsConnection* const connection = state_->connection;
  if (natsConnection_Status(connection) != NATS_CONN_STATUS_CONNECTED) return Sent::kNotConnected;
  const natsStatus status = natsConnection_Publish(connection, subject.c_str(), bytes.data(),
                                                   static_cast<int>(bytes.size()));
  if (status == NATS_OK) return Sent::kYes;
  return status == NATS_MAX_PAYLOAD ? Sent::kTooLarge : Sent::kNotConnected;
}

void Client::subscribe(const std::string& subject, const char* group) {
  if (state_->subscriptions.contains(subject)) return;
  natsSubscription* made = nullptr;
  State* const state = state_.get();
  const natsStatus status =
      group == nullptr ? natsConnection_Subscribe(&made, state->connection, subject.c_str(),
                                                  State::take_message, state)
                       : natsConnection_QueueSubscribe(&made, state->connection, subject.c_str(),
                                                       group, State::take_message, state);
  if (status != NATS_OK) {
    ++state->error_count;
    return;
  }
  {
    const std::lock_guard lock(state->mutex);
    ++state->running_count;
  }
  if (natsSubscription_SetOnCompleteCB(made, State::take_completion, state) != NATS_OK) {
    State::take_completion(state);
  }
  state->subscriptions.emplace(subject, made);
}

void Client::unsubscribe(const std::string& subject) {
  const auto found = state_->subscriptions.find(subject);
  if (found == state_->subscriptions.end()) return;
  state_->bury(found->second);
  state_->subscriptions.erase(found);
}

bool Client::flush() {
  const auto patience = milliseconds(state_->options.drain_timeout);
  if (natsConnection_Status(state_->connection) != NATS_CONN_STATUS_CONNECTED ||
      natsConnection_FlushTimeout(state_->connection, patience) != NATS_OK) {
    return false;
  }
  for (natsSubscription* subscription : state_->buried) natsSubscription_Destroy(subscription);
  state_->buried.clear();
  return true;
}

Client::Stats Client::stats() const {
  return {.is_connected = natsConnection_Status(state_->connection) == NATS_CONN_STATUS_CONNECTED,
          .disconnect_count = state_->disconnect_count,
          .reconnect_count = state_->reconnect_count,
          .slow_consumer_count = state_->slow_consumer_count,
          .error_count = state_->error_count};
}

}  // namespace weir::runtime::nats
