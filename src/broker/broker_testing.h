// SPDX-License-Identifier: Apache-2.0
// A broker for tests: waits for answers, and consumers that write down what they get.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/broker.h"

namespace weir::broker {

// Longer than anything here takes.
bool eventually(const std::function<bool()>& holds);

// Both clocks show this instant.
ClockReading at_instant(base::Instant instant);

// Copies the directory of a broker that may run, in the order that docs/operations.md tells; what
// was there is removed. False if retention removed a segment meanwhile.
bool copy_running(const std::filesystem::path& from, const std::filesystem::path& to);

// Cuts the last segment of a log to this length. The log does not know that there was more, as
// after a loss of power.
void lose_end(const std::filesystem::path& segment, std::uint64_t bytes);

PrincipalPtr everyone();  // anonymous, with all grants

struct Received {
  std::uint64_t number = 0;
  bool redelivered = false;
  bool is_group = false;
  std::vector<std::string> ids;    // of the events
  std::vector<std::string> texts;  // their JSON
};

// A consumer that keeps its shard waiting until it is released.
class BlockingConsumer final : public Consumer {
 public:
  void on_begin(const SessionStart& /*start*/) override {}
  void on_dispatch(std::vector<Dispatch> /*dispatches*/) override {
    blocks_ = true;
    blocks_.notify_all();
    released_.wait(false);
  }
  void on_acknowledged(std::uint64_t /*number*/) override {}
  void on_settled(std::vector<std::uint64_t> /*numbers*/) override {}
  void on_end(const base::Error& /*reason*/) override {}

  void wait_until_it_blocks() { blocks_.wait(false); }
  void release() {
    released_ = true;
    released_.notify_all();
  }

 private:
  std::atomic<bool> blocks_ = false;
  std::atomic<bool> released_ = false;
};

// Writes everything down. Acknowledges and gives credit as it is told to.
class RecordingConsumer final : public Consumer {
 public:
  void on_begin(const SessionStart& start) override;
  void on_dispatch(std::vector<Dispatch> dispatches) override;
  void on_acknowledged(std::uint64_t number) override;
  void on_settled(std::vector<std::uint64_t> numbers) override;
  void on_end(const base::Error& reason) override;

  bool wait_begin();
  std::uint64_t incarnation();  // of the subscription, once it has begun
  bool wait_count(std::size_t count);
  bool wait_acknowledged(std::uint64_t number);
  // Shared: these, in any order, and no others so far.
  bool wait_settled(std::vector<std::uint64_t> numbers);
  // "broker.taken" and the like; "" if it does not come.
  std::string wait_end();
  std::vector<Received> received();
  std::vector<std::string> ids();  // all of them, in the order they came

 private:
  bool wait(const std::function<bool()>& holds);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false;
  std::uint64_t incarnation_ = kNoIncarnation;
  std::vector<Received> received_;
  std::uint64_t acknowledged_ = 0;
  std::vector<std::uint64_t> settled_;
  std::optional<std::string> end_;
};

// A broker and calls that wait for its answers.
class TestBroker {
 public:
  explicit TestBroker(BrokerOptions options);

  Broker& operator*() { return *broker_; }
  Broker* operator->() { return broker_.get(); }
  // Stops it, or just drops it on the floor as a crash would, as far as one process can.
  void stop();
  void open_again();

  // One event in JSON with the defaults of event_of(): "accepted", "duplicate", or the error's
  // name.
  std::string publish(std::string_view json, const PrincipalPtr& principal = everyone());
  std::vector<std::string> publish_all(const std::vector<std::string>& events,
                                       const PrincipalPtr& principal = everyone());
  // "ok" or the error's name.
  std::string put(std::string_view definition, const PrincipalPtr& principal = everyone(),
                  PutMode mode = PutMode::kCreateOrReplace);
  std::string remove(std::string_view id, const PrincipalPtr& principal = everyone());
  std::string transfer(std::string_view id, std::string_view owner,
                       const PrincipalPtr& principal = everyone());
  // How many, or the error's name.
  std::string transfer_all(std::string_view from, std::string_view owner,
                           const PrincipalPtr& principal = everyone());
  std::string acknowledge(std::string_view id, std::uint64_t number,
                          const PrincipalPtr& principal = everyone());

  // The numbers that were not in flight, as "17,19"; or the error's name.
  std::string answer(std::string_view id, Answer answer,
                     const PrincipalPtr& principal = everyone());

  // "true", "false" or the error's name.
  std::string forget(std::string_view id, std::string_view event,
                     const PrincipalPtr& principal = everyone());

  // As JSON, or the error's name.
  std::string explain(std::string_view id, std::string_view event,
                      const PrincipalPtr& principal = everyone());

  // A consumer with much credit.
  std::shared_ptr<RecordingConsumer> attach(std::string_view id,
                                            std::optional<std::uint64_t> acknowledged = {},
                                            const PrincipalPtr& principal = everyone(),
                                            std::uint64_t credit = 1'000'000);
  SessionPtr session;  // of the last attach()

 private:
  BrokerOptions options_;
  std::unique_ptr<Broker> broker_;
};

}  // namespace weir::broker
