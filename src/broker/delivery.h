// SPDX-License-Identifier: Apache-2.0
// Deliveries on their way out: what a consumer is given, and how it says that it has it.
//
//   broker --on_begin, on_dispatch...--> Consumer          Session --credit, acknowledge--> broker
//
// Every delivery of a subscription has a number, ascending, that stays the same when it is
// delivered again. Numbers may have gaps, where deliveries were dropped or conflated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/delivery_id.h"

namespace weir::broker {

// Called once, when something is done for good or has failed.
using Done = std::function<void(base::Result<void>)>;
using ForgetDone = std::function<void(base::Result<bool>)>;

// What became of dead letters.
struct LetterCounts {
  std::uint64_t done = 0;  // sent again, or removed
  std::uint64_t left = 0;  // not, for lack of room or because they are on their way
};
using LettersDone = std::function<void(base::Result<LetterCounts>)>;

// The JSON text of an event, alive as long as its owner.
struct EventText {
  std::shared_ptr<const void> owner;
  std::string_view json;
};

struct Dispatch {
  std::uint64_t number = 0;
  bool redelivered = false;  // it may have been delivered before
  // Several events, or what a filter of several changes delivers, though it may be one event only.
  bool is_group = false;
  std::vector<EventText> events;            // oldest first
  std::shared_ptr<const void> memory = {};  // counts what it takes, until it is let go
};

// Whether a subscription has one consumer at a time or several that share its deliveries.
enum class ConsumerMode : std::uint8_t { kExclusive, kShared };

// What a consumer is told of its subscription when the session begins.
struct SessionStart {
  ConsumerMode mode = ConsumerMode::kExclusive;
  std::uint64_t incarnation = kNoIncarnation;  // none: the subscription ends with the session
};

// What a consumer of a shared subscription says about single deliveries.
struct Answer {
  std::vector<std::uint64_t> numbers = {};
  // Nullopt: they are acknowledged. Otherwise they go out again, after this time.
  std::optional<base::Duration> nack_delay = {};
  std::optional<std::uint64_t> incarnation = {};  // that they are of; nullopt: whichever there is

  bool operator==(const Answer&) const = default;
};
// The numbers that were not in flight, so that the answer does not count for them.
using AnswerDone = std::function<void(base::Result<std::vector<std::uint64_t>>)>;

// Where a subscription's deliveries go. Called from the broker's threads, one call at a time, in
// the order below; a call must return at once and must not wait for the broker.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // The session is open. Deliveries come as credit allows.
  virtual void on_begin(const SessionStart& start) = 0;
  virtual void on_dispatch(std::vector<Dispatch> dispatches) = 0;
  // Everything up to this number is acknowledged for good: it will not be delivered again.
  virtual void on_acknowledged(std::uint64_t number) = 0;
  // Shared: these are acknowledged for good.
  virtual void on_settled(std::vector<std::uint64_t> numbers) = 0;
  // The session is over, or could not begin. Nothing follows. Not called after Session::close().
  virtual void on_end(const base::Error& reason) = 0;
};

// A consumer's hold on a subscription. Any thread; no call waits.
class Session {
 public:
  virtual ~Session() = default;

  // Allows so many more deliveries. A session begins without credit.
  virtual void add_credit(std::uint64_t delivery_count) = 0;
  // The subscriber has everything up to this number. More than was delivered ends the session.
  virtual void acknowledge(std::uint64_t number) = 0;
  // Only for a shared subscription. Counts for deliveries that this session has in flight; others
  // are passed over. A number that was never given to a delivery ends the session.
  virtual void answer(Answer answer) = 0;
  // Puts the oldest unacknowledged delivery, which must be this one, on the list of dead letters
  // and acknowledges it.
  virtual void bury(std::uint64_t number, std::string reason) = 0;
  // Ends the session; an ephemeral subscription ends with it.
  virtual void close() = 0;
};
using SessionPtr = std::shared_ptr<Session>;

}  // namespace weir::broker
