// SPDX-License-Identifier: Apache-2.0
#include "broker/broker_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>
#include <utility>

#include "base/error_testing.h"
#include "broker/directory_files_testing.h"
#include "engine/explanation_json.h"
#include "event/event_testing.h"
#include "store/log_bounds.h"

namespace weir::broker {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::milliseconds kLookInterval(1);

std::string name_of(const base::Error& error) {
  return std::string(base::error_info(error.id).name);
}

template <typename T>
std::string name_of(const base::Result<T>& result) {
  return result ? "ok" : name_of(result.error());
}

std::string name_of(const PublishOutcome& outcome) {
  switch (outcome.status) {
    case PublishStatus::kAccepted:
      return "accepted";
    case PublishStatus::kDuplicate:
      return "duplicate";
    case PublishStatus::kRejected:
      break;
  }
  return name_of(*outcome.error);
}

// Calls begin(done) and waits for the result given to done.
template <typename T>
base::Result<T> wait_for(const std::function<void(std::function<void(base::Result<T>)>)>& begin) {
  auto promise = std::make_shared<std::promise<base::Result<T>>>();
  std::future<base::Result<T>> result = promise->get_future();
  begin([promise](base::Result<T> given) { promise->set_value(std::move(given)); });
  EXPECT_EQ(result.wait_for(kPatience), std::future_status::ready);
  return result.get();
}

}  // namespace

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (holds()) return true;
    std::this_thread::sleep_for(kLookInterval);
  }
  return holds();
}

ClockReading at_instant(base::Instant instant) { return {.steady = instant, .wall = instant}; }

bool copy_running(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto first_segment = [&]() -> std::uint64_t {
    const auto bounds = store::read_bounds(store::posix_file_system(), from / "log");
    return bounds && *bounds ? (*bounds)->bounds.first_segment : 0;
  };
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to / "log");
  const std::uint64_t first = first_segment();
  std::error_code failed;
  const auto copy = [&](const std::filesystem::path& name) {
    if (std::filesystem::exists(to / name, failed)) return;
    std::filesystem::copy_file(from / name, to / name, failed);
  };
  for (const char* const name : kCopiedFirst) {
    if (std::filesystem::exists(from / name, failed)) copy(name);
    if (failed) return false;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
    std::error_code gone;
    if (!entry.is_regular_file(gone)) continue;
    copy(std::filesystem::relative(entry.path(), from));
    if (failed) return false;
  }
  return first_segment() == first;
}

void lose_end(const std::filesystem::path& segment, std::uint64_t bytes) {
  std::filesystem::resize_file(segment, bytes);
  const std::filesystem::path log = segment.parent_path();
  const auto found = store::read_bounds(store::posix_file_system(), log);
  ASSERT_TRUE(found && *found);
  store::LogBounds bounds = (*found)->bounds;
  bounds.end_bytes = bytes;
  std::ofstream(log / store::kBoundsName, std::ios::binary) << store::encode_bounds(bounds);
}

PrincipalPtr everyone() {
  static const auto kEveryone =
      std::make_shared<const Principal>(Principal{.name = {}, .grants = Grants::all()});
  return kEveryone;
}

void RecordingConsumer::on_begin(const SessionStart& start) {
  const std::scoped_lock lock(mutex_);
  begun_ = true;
  incarnation_ = start.incarnation;
  changed_.notify_all();
}

std::uint64_t RecordingConsumer::incarnation() {
  const std::scoped_lock lock(mutex_);
  return incarnation_;
}

void RecordingConsumer::on_dispatch(std::vector<Dispatch> dispatches) {
  const std::scoped_lock lock(mutex_);
  for (const Dispatch& dispatch : dispatches) {
    Received received{.number = dispatch.number,
                      .redelivered = dispatch.redelivered,
                      .is_group = dispatch.is_group,
                      .ids = {},
                      .texts = {}};
    for (const EventText& text : dispatch.events) {
      received.ids.emplace_back(event::decode_event(text.json).value()->id());
      received.texts.emplace_back(text.json);
    }
    received_.push_back(std::move(received));
  }
  changed_.notify_all();
}

void RecordingConsumer::on_acknowledged(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  acknowledged_ = number;
  changed_.notify_all();
}

void RecordingConsumer::on_settled(std::vector<std::uint64_t> numbers) {
  const std::scoped_lock lock(mutex_);
  settled_.insert(settled_.end(), numbers.begin(), numbers.end());
  std::ranges::sort(settled_);
  changed_.notify_all();
}

void RecordingConsumer::on_end(const base::Error& reason) {
  const std::scoped_lock lock(mutex_);
  end_ = name_of(reason);
  changed_.notify_all();
}

bool RecordingConsumer::wait(const std::function<bool()>& holds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, holds);
}

bool RecordingConsumer::wait_begin() {
  return wait([this] { return begun_; });
}

bool RecordingConsumer::wait_count(std::size_t count) {
  return wait([this, count] { return received_.size() >= count; });
}

bool RecordingConsumer::wait_acknowledged(std::uint64_t number) {
  return wait([this, number] { return acknowledged_ >= number; });
}

bool RecordingConsumer::wait_settled(std::vector<std::uint64_t> numbers) {
  std::ranges::sort(numbers);
  return wait([this, &numbers] { return settled_ == numbers; });
}

std::string RecordingConsumer::wait_end() {
  wait([this] { return end_.has_value(); });
  const std::scoped_lock lock(mutex_);
  return end_.value_or("");
}

std::vector<Received> RecordingConsumer::received() {
  const std::scoped_lock lock(mutex_);
  return received_;
}

std::vector<std::string> RecordingConsumer::ids() {
  std::vector<std::string> ids;
  for (const Received& received : received()) {
    ids.insert(ids.end(), received.ids.begin(), received.ids.end());
  }
  return ids;
}

TestBroker::TestBroker(BrokerOptions options) : options_(std::move(options)) { open_again(); }

void TestBroker::stop() { broker_.reset(); }

void TestBroker::open_again() {
  session.reset();
  broker_.reset();
  auto opened = Broker::open(options_);
  ASSERT_EQ(base::describe(opened), "ok");
  broker_ = std::move(*opened);
}

std::string TestBroker::publish(std::string_view json, const PrincipalPtr& principal) {
  return publish_all({std::string(json)}, principal).front();
}

std::vector<std::string> TestBroker::publish_all(const std::vector<std::string>& events,
                                                 const PrincipalPtr& principal) {
  std::vector<base::Result<event::EventPtr>> decoded;
  for (const std::string& json : events) decoded.emplace_back(event::event_of(json));
  const auto outcomes = wait_for<std::vector<PublishOutcome>>(
      [&](PublishDone done) { broker_->publish(principal, std::move(decoded), std::move(done)); });
  if (!outcomes) return std::vector<std::string>(events.size(), name_of(outcomes.error()));
  std::vector<std::string> names;
  for (const PublishOutcome& outcome : *outcomes) names.push_back(name_of(outcome));
  return names;
}

std::string TestBroker::put(std::string_view definition, const PrincipalPtr& principal,
                            PutMode mode) {
  auto parsed = Definition::parse(definition);
  if (!parsed) return name_of(parsed.error());
  return name_of(wait_for<SubscriptionInfo>([&](SubscriptionDone done) {
    broker_->put(principal, *parsed, std::nullopt, mode, std::move(done));
  }));
}

std::string TestBroker::remove(std::string_view id, const PrincipalPtr& principal) {
  return name_of(
      wait_for<void>([&](Done done) { broker_->remove(principal, id, std::move(done)); }));
}

std::string TestBroker::transfer(std::string_view id, std::string_view owner,
                                 const PrincipalPtr& principal) {
  return name_of(wait_for<SubscriptionInfo>(
      [&](SubscriptionDone done) { broker_->transfer(principal, id, owner, std::move(done)); }));
}

std::string TestBroker::transfer_all(std::string_view from, std::string_view owner,
                                     const PrincipalPtr& principal) {
  const auto count = wait_for<std::size_t>(
      [&](TransferDone done) { broker_->transfer_all(principal, from, owner, std::move(done)); });
  return count ? std::to_string(*count) : name_of(count);
}

std::string TestBroker::acknowledge(std::string_view id, std::uint64_t number,
                                    const PrincipalPtr& principal) {
  return name_of(wait_for<void>(
      [&](Done done) { broker_->acknowledge(principal, id, {number}, std::move(done)); }));
}

std::string TestBroker::answer(std::string_view id, Answer answer, const PrincipalPtr& principal) {
  const auto missed = wait_for<std::vector<std::uint64_t>>(
      [&](AnswerDone done) { broker_->answer(principal, id, std::move(answer), std::move(done)); });
  return missed ? fmt::format("{}", fmt::join(*missed, ",")) : name_of(missed.error());
}

std::string TestBroker::forget(std::string_view id, std::string_view event,
                               const PrincipalPtr& principal) {
  const auto forgotten = wait_for<bool>([&](ForgetDone done) {
    broker_->forget(principal, id, event::event_of(event), std::move(done));
  });
  if (!forgotten) return name_of(forgotten.error());
  return *forgotten ? "true" : "false";
}

std::string TestBroker::explain(std::string_view id, std::string_view event,
                                const PrincipalPtr& principal) {
  const auto explained = wait_for<engine::EventExplanation>([&](ExplainDone done) {
    broker_->explain(principal, id, event::event_of(event), std::move(done));
  });
  if (!explained) return name_of(explained.error());
  std::string json;
  engine::append_json(*explained, json);
  return json;
}

std::shared_ptr<RecordingConsumer> TestBroker::attach(std::string_view id,
                                                      std::optional<std::uint64_t> acknowledged,
                                                      const PrincipalPtr& principal,
                                                      std::uint64_t credit) {
  auto consumer = std::make_shared<RecordingConsumer>();
  const auto seen = acknowledged ? std::optional(DeliveryId{*acknowledged}) : std::nullopt;
  session = broker_->attach(principal, id, seen, consumer);
  session->add_credit(credit);
  return consumer;
}

}  // namespace weir::broker
