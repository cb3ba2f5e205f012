// SPDX-License-Identifier: Apache-2.0
#include "server/fake_broker_testing.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace weir::server {

using base::Error;
using base::ErrorId;

namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr match::DistinctStats kWindow = {.key_count = 1,
                                          .key_count_max = 10,
                                          .memory_bytes = 2,
                                          .hits = 3,
                                          .refuted_hits = 4,
                                          .overflow = 5};

Error no_such(std::string_view id) {
  return {ErrorId::kBrokerNoSuchSubscription, "there is no subscription " + std::string(id), {}};
}

constexpr std::uint64_t kIncarnation = 12;  // of all subscriptions

bool is_own(const broker::DeliveryId& delivery) {
  return delivery.incarnation.value_or(kIncarnation) == kIncarnation;
}

Error not_shared() { return {ErrorId::kBrokerNotShared, "one consumer has it", {}}; }

}  // namespace

// All its work is done by the broker's thread.
class FakeSession final : public broker::Session, public std::enable_shared_from_this<FakeSession> {
 public:
  FakeSession(FakeBroker& broker, std::shared_ptr<broker::Consumer> consumer)
      : broker_(broker), consumer_(std::move(consumer)) {}

  void add_credit(std::uint64_t count) override {
    broker_.later([self = shared_from_this(), count] {
      self->total_ += count;
      self->credit_ += count;
      self->credit_max_ = std::max(self->credit_max_, self->credit_);
      self->flush();
    });
  }
  void acknowledge(std::uint64_t number) override {
    broker_.later([self = shared_from_this(), number] {
      if (self->closed_) return;
      if (number > self->last_number_) {
        self->end({ErrorId::kBrokerAcknowledge, "more than was delivered", {}});
      } else {
        self->consumer_->on_acknowledged(number);
      }
    });
  }
  void answer(broker::Answer) override {
    broker_.later([self = shared_from_this()] { self->end(not_shared()); });
  }
  void bury(std::uint64_t, std::string) override {}
  void close() override {
    broker_.later([self = shared_from_this()] { self->closed_ = true; });
  }

  void begin(std::uint64_t incarnation) {
    consumer_->on_begin({broker::ConsumerMode::kExclusive, incarnation});
  }
  void end(const Error& reason) {
    if (!std::exchange(closed_, true)) consumer_->on_end(reason);
  }
  void push(broker::Dispatch dispatch) {
    waiting_.push_back(std::move(dispatch));
    flush();
  }
  bool closed() const { return closed_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t credit_max() const { return credit_max_; }

 private:
  void flush() {
    std::vector<broker::Dispatch> ready;
    while (!closed_ && credit_ > 0 && !waiting_.empty()) {
      last_number_ = waiting_.front().number;
      ready.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
      --credit_;
    }
    if (!ready.empty()) consumer_->on_dispatch(std::move(ready));
  }

  FakeBroker& broker_;
  std::shared_ptr<broker::Consumer> consumer_;
  std::deque<broker::Dispatch> waiting_;
  std::uint64_t credit_ = 0;
  std::uint64_t credit_max_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t last_number_ = 0;
  bool closed_ = false;
};

FakeBroker::FakeBroker() : thread_([this] { work(); }) {}

FakeBroker::~FakeBroker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FakeBroker::later(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void FakeBroker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
    changed_.notify_all();
  }
}

void FakeBroker::add_token(std::string token, broker::Grants grants) {
  const std::lock_guard lock(mutex_);
  auto principal = std::make_shared<broker::Principal>();
  principal->name = "name-of-" + token;
  principal->grants = std::move(grants);
  tokens_[std::move(token)] = std::move(principal);
}

void FakeBroker::forget_token(std::string_view token) {
  const std::lock_guard lock(mutex_);
  tokens_.erase(tokens_.find(token));
  if (const auto found = verified_.find(token); found != verified_.end()) verified_.erase(found);
  ++token_revision_;
}

void FakeBroker::set_unreadable_tokens(std::vector<Error> errors) {
  const std::lock_guard lock(mutex_);
  unreadable_tokens_ = std::move(errors);
}

std::vector<Error> FakeBroker::unreadable_tokens() const {
  const std::lock_guard lock(mutex_);
  return unreadable_tokens_;
}

void FakeBroker::refuse_publishing(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  publish_error_ = std::move(error);
}

void FakeBroker::hold_publishing(bool hold) {
  std::vector<std::function<void()>> released;
  {
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    if (!hold) released.swap(held_);
  }
  for (auto& work : released) later(std::move(work));
}

void FakeBroker::set_trouble(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(error);
}

void FakeBroker::add_dead_letter(store::DeadLetterRow letter) {
  const std::lock_guard lock(mutex_);
  letters_.push_back(std::move(letter));
}

void FakeBroker::deliver(broker::Dispatch dispatch) {
  std::shared_ptr<FakeSession> session;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return session_ != nullptr; });
    session = session_;
  }
  later([session, dispatch = std::move(dispatch)] { session->push(dispatch); });
}

void FakeBroker::deliver(std::uint64_t number, std::string json, bool redelivered) {
  auto text = std::make_shared<const std::string>(std::move(json));
  broker::Dispatch dispatch;
  dispatch.number = number;
  dispatch.redelivered = redelivered;
  dispatch.events.push_back({text, *text});
  deliver(std::move(dispatch));
}

void FakeBroker::end_session(Error reason) {
  std::shared_ptr<FakeSession> session;
  {
    const std::lock_guard lock(mutex_);
    session = session_;
  }
  later([session, reason = std::move(reason)] { session->end(reason); });
}

void FakeBroker::set_last_number(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  last_number_ = number;
}

std::string FakeBroker::attached_with() {
  const std::lock_guard lock(mutex_);
  return attached_with_ ? broker::to_string(*attached_with_) : "";
}

std::uint64_t FakeBroker::ask(std::function<std::uint64_t(const FakeSession&)> question) {
  auto answer = std::make_shared<std::optional<std::uint64_t>>();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return session_ != nullptr; });
  queue_.emplace_back([this, session = session_, answer, question = std::move(question)] {
    const std::uint64_t value = question(*session);
    const std::lock_guard answer_lock(mutex_);
    *answer = value;
  });
  changed_.notify_all();
  changed_.wait_for(lock, kPatience, [&] { return answer->has_value(); });
  return answer->value_or(0);
}

bool FakeBroker::wait_until_closed() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (ask([](const FakeSession& session) { return session.closed() ? 1U : 0U; }) == 1)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

bool FakeBroker::wait_for_publishers(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return held_.size() >= count; });
}

bool FakeBroker::wait_for_authentication(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return authentication_count_ >= count; });
}

std::uint64_t FakeBroker::credit_max() {
  return ask([](const FakeSession& session) { return session.credit_max(); });
}

std::uint64_t FakeBroker::total_credit() {
  return ask([](const FakeSession& session) { return session.total(); });
}

std::size_t FakeBroker::authentication_count() const {
  const std::lock_guard lock(mutex_);
  return authentication_count_;
}

base::Result<broker::PrincipalPtr> FakeBroker::authenticate(std::string_view token) {
  std::unique_lock lock(mutex_);
  ++authentication_count_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !hold_authentication_; });
  const auto found = tokens_.find(token);
  if (found == tokens_.end()) {
    return Error{ErrorId::kBrokerUnauthenticated, "the token is not valid", {}};
  }
  verified_.emplace(token);
  return found->second;
}

std::optional<base::Result<broker::PrincipalPtr>> FakeBroker::recall(std::string_view token) {
  const std::lock_guard lock(mutex_);
  if (!verified_.contains(token)) return std::nullopt;
  return tokens_.find(token)->second;
}

void FakeBroker::hold_authentication(bool hold) {
  const std::lock_guard lock(mutex_);
  hold_authentication_ = hold;
  changed_.notify_all();
}

broker::PublishOutcome FakeBroker::publish_one(const base::Result<event::EventPtr>& event) {
  using broker::PublishStatus;
  if (!event) return {.status = PublishStatus::kRejected, .sequence = 0, .error = event.error()};
  const std::lock_guard lock(mutex_);
  if (!published_.insert(std::string((*event)->id())).second) {
    return {.status = PublishStatus::kDuplicate};
  }
  return {.status = PublishStatus::kAccepted, .sequence = ++sequence_};
}

void FakeBroker::publish(const broker::PrincipalPtr&,
                         std::vector<base::Result<event::EventPtr>> events,
                         broker::PublishDone done) {
  auto work = [this, events = std::move(events), done = std::move(done)] {
    std::optional<Error> error;
    {
      const std::lock_guard lock(mutex_);
      error = publish_error_;
    }
    if (error) return done(*error);
    std::vector<broker::PublishOutcome> outcomes;
    for (const auto& event : events) outcomes.push_back(publish_one(event));
    done(std::move(outcomes));
  };
  std::unique_lock lock(mutex_);
  if (hold_) {
    held_.emplace_back(std::move(work));
    changed_.notify_all();
    return;
  }
  lock.unlock();
  later(std::move(work));
}

void FakeBroker::put(const broker::PrincipalPtr& principal, broker::DefinitionPtr definition,
                     std::optional<std::string> id, broker::PutMode mode,
                     broker::SubscriptionDone done) {
  later([=, this] {
    broker::SubscriptionInfo info;
    {
      const std::lock_guard lock(mutex_);
      info.id = id.value_or(definition->id().value_or("made-up"));
      info.owner = principal->name;
      info.definition = definition;
      info.created = {1'700'000'000'500'000'000};
      if (const auto& distinct = definition->filter()->distinct()) {
        info.window = kWindow;
        if (!distinct->exact) info.window->memory_bytes_max = 4096;
      }
      const bool exists = subscriptions_.contains(info.id);
      if (exists && mode == broker::PutMode::kCreate) info.id.clear();
      if (!info.id.empty()) subscriptions_[info.id] = info;
    }
    if (info.id.empty()) return done(Error{ErrorId::kBrokerSubscriptionExists, "taken", {}});
    done(info);
  });
}

void FakeBroker::remove(const broker::PrincipalPtr&, std::string_view id, broker::Done done) {
  later([this, id = std::string(id), done = std::move(done)] {
    std::unique_lock lock(mutex_);
    const bool removed = subscriptions_.erase(id) > 0;
    lock.unlock();
    if (!removed) return done(no_such(id));
    done({});
  });
}

base::Result<broker::SubscriptionInfo> FakeBroker::get(const broker::PrincipalPtr&,
                                                       std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) return no_such(id);
  return found->second;
}

void FakeBroker::transfer(const broker::PrincipalPtr&, std::string_view id, std::string_view owner,
                          broker::SubscriptionDone done) {
  later([this, id = std::string(id), owner = std::string(owner), done = std::move(done)] {
    if (owner == "nobody") return done(Error{ErrorId::kBrokerNoSuchToken, "no such token", {}});
    std::unique_lock lock(mutex_);
    const auto found = subscriptions_.find(id);
    if (found == subscriptions_.end()) {
      lock.unlock();
      return done(no_such(id));
    }
    found->second.owner = owner;
    const broker::SubscriptionInfo info = found->second;
    lock.unlock();
    done(info);
  });
}

void FakeBroker::transfer_all(const broker::PrincipalPtr&, std::string_view from,
                              std::string_view owner, broker::TransferDone done) {
  later([this, from = std::string(from), owner = std::string(owner), done = std::move(done)] {
    if (owner == "nobody") return done(Error{ErrorId::kBrokerNoSuchToken, "no such token", {}});
    std::size_t count = 0;
    std::unique_lock lock(mutex_);
    for (auto& [id, info] : subscriptions_) {
      if (info.owner != from) continue;
      info.owner = owner;
      ++count;
    }
    lock.unlock();
    done(count);
  });
}

std::vector<broker::SubscriptionInfo> FakeBroker::list(const broker::PrincipalPtr&,
                                                       std::string_view after_id,
                                                       std::size_t count_max) {
  const std::lock_guard lock(mutex_);
  std::vector<broker::SubscriptionInfo> found;
  for (auto it = subscriptions_.upper_bound(after_id);
       it != subscriptions_.end() && found.size() < count_max; ++it) {
    found.push_back(it->second);
  }
  return found;
}

void FakeBroker::acknowledge(const broker::PrincipalPtr&, std::string_view id,
                             const broker::DeliveryId& delivery, broker::Done done) {
  later([this, id = std::string(id), delivery, done = std::move(done)] {
    std::unique_lock lock(mutex_);
    const bool exists = subscriptions_.contains(id);
    lock.unlock();
    if (!exists) return done(no_such(id));
    if (!is_own(delivery) || delivery.number > 100) {
      return done(Error{ErrorId::kBrokerAcknowledge, "not delivered", {}});
    }
    done({});
  });
}

void FakeBroker::answer(const broker::PrincipalPtr&, std::string_view, broker::Answer,
                        broker::AnswerDone done) {
  later([done = std::move(done)] { done(not_shared()); });
}

void FakeBroker::forget(const broker::PrincipalPtr&, std::string_view id, event::EventPtr event,
                        broker::ForgetDone done) {
  later([this, id = std::string(id), event = std::move(event), done = std::move(done)] {
    std::unique_lock lock(mutex_);
    const auto found = subscriptions_.find(id);
    const bool exists = found != subscriptions_.end();
    const bool has_window = exists && found->second.window.has_value();
    lock.unlock();
    if (!exists) return done(no_such(id));
    if (!has_window) return done(Error{ErrorId::kEngineKeys, "no distinct clause", {}});
    if (event->id() == "often") return done(Error{ErrorId::kEngineTooManyForgotten, "enough", {}});
    done(event->id() == "seen");
  });
}

void FakeBroker::explain(const broker::PrincipalPtr& principal, std::string_view id,
                         event::EventPtr event, broker::ExplainDone done) {
  later([this, principal, id = std::string(id), event = std::move(event), done = std::move(done)] {
    const auto found = get(principal, id);
    if (!found) return done(found.error());
    if (principal->grants.subscribe.empty()) {
      return done(Error{ErrorId::kBrokerForbidden, "subscribing is not granted", {}});
    }
    engine::Engine engine;
    const auto subscribed = engine.subscribe(found->definition->filter());
    if (!subscribed) return done(subscribed.error());
    done(engine.explain(*subscribed, event, {}));
  });
}

base::Result<std::vector<store::DeadLetterRow>> FakeBroker::dead_letters(
    const broker::PrincipalPtr&, std::string_view id, std::uint64_t after_delivery,
    std::size_t count_max) {
  const std::lock_guard lock(mutex_);
  if (!subscriptions_.contains(id)) return no_such(id);
  std::vector<store::DeadLetterRow> found;
  for (const auto& letter : letters_) {
    if (letter.delivery > after_delivery && found.size() < count_max) found.push_back(letter);
  }
  return found;
}

// Answers for the letters that there are, and changes nothing.
void FakeBroker::resend_dead_letters(const broker::PrincipalPtr&, std::string_view id,
                                     std::optional<std::uint64_t> delivery,
                                     broker::LettersDone done) {
  later([this, id = std::string(id), delivery, done = std::move(done)] {
    std::unique_lock lock(mutex_);
    const bool exists = subscriptions_.contains(id);
    std::uint64_t count = 0;
    for (const auto& letter : letters_) count += !delivery || letter.delivery == *delivery ? 1 : 0;
    lock.unlock();
    if (!exists) return done(no_such(id));
    if (!delivery || count > 0) return done(broker::LetterCounts{.done = count, .left = 7});
    done(Error{ErrorId::kBrokerNoSuchDeadLetter, "there is no such dead letter", std::nullopt});
  });
}

void FakeBroker::purge_dead_letters(const broker::PrincipalPtr& principal, std::string_view id,
                                    std::optional<std::uint64_t> delivery,
                                    broker::LettersDone done) {
  resend_dead_letters(principal, id, delivery, std::move(done));
}

broker::SessionPtr FakeBroker::open(std::shared_ptr<broker::Consumer> consumer,
                                    std::optional<Error> refusal, std::uint64_t incarnation) {
  auto session = std::make_shared<FakeSession>(*this, std::move(consumer));
  later([this, session, refusal = std::move(refusal), incarnation] {
    if (refusal) return session->end(*refusal);
    session->begin(incarnation);
    const std::lock_guard lock(mutex_);
    session_ = session;
  });
  return session;
}

broker::SessionPtr FakeBroker::attach(const broker::PrincipalPtr& principal, std::string_view id,
                                      std::optional<broker::DeliveryId> acknowledged,
                                      std::shared_ptr<broker::Consumer> consumer) {
  std::optional<Error> refusal;
  if (const auto found = get(principal, id); !found) refusal = found.error();
  {
    const std::lock_guard lock(mutex_);
    attached_with_ = acknowledged;
    session_ = nullptr;
    if (acknowledged && (!is_own(*acknowledged) || acknowledged->number > last_number_)) {
      refusal = Error{ErrorId::kBrokerAcknowledge, "that delivery was never sent", std::nullopt};
    }
  }
  return open(std::move(consumer), std::move(refusal), kIncarnation);
}

broker::SessionPtr FakeBroker::stream(const broker::PrincipalPtr&, broker::DefinitionPtr,
                                      std::shared_ptr<broker::Consumer> consumer) {
  return open(std::move(consumer), std::nullopt, broker::kNoIncarnation);
}

void FakeBroker::set_failures(Failures failures) {
  const std::lock_guard lock(mutex_);
  failures_ = failures;
}

void FakeBroker::set_clock(broker::ClockSteps steps, base::Duration offset) {
  const std::lock_guard lock(mutex_);
  clock_steps_ = steps;
  clock_offset_ = offset;
}

broker::BrokerStats FakeBroker::stats() const {
  const std::lock_guard lock(mutex_);
  return {.accepted = sequence_,
          .commit_failures = failures_.commit_failures,
          .window_hits = 1,
          .window_refuted_hits = 2,
          .window_overflow = 3,
          .registry_failures = failures_.registry_failures,
          .clock_steps_forward = clock_steps_.forward_count,
          .clock_steps_back = clock_steps_.back_count,
          .clock_last_step = clock_steps_.last,
          .window_keys = 4,
          .window_bytes = 5,
          .dedup_keys = 6,
          .dedup_bytes = 7,
          .registry_failure = "no room",
          .clock_offset = clock_offset_};
}

std::optional<Error> FakeBroker::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

}  // namespace weir::server
