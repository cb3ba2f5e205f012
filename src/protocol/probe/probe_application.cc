// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/probe_application.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "protocol/tree/sum_summary.h"

namespace weir::protocol::probe {

namespace {

using Step = Application::Step;

template <typename Message>
void send(const Step& step, NodeId target, const Message& message) {
  step.effects.send(target, kind_of(Message::kKind), encode(message));
}

template <typename Message>
void route(const Step& step, const Message& message) {
  step.effects.route(message.key, kind_of(Message::kKind), encode(message));
}

template <typename Message>
void deliver(const Step& step, const Message& message) {
  step.effects.deliver(kind_of(Message::kKind), encode(message));
}

// Calls `act` with the message, or drops it.
template <typename Message, typename Act>
void with(const Step& step, const OpenMessage& open, const Act& act) {
  Message message;
  if (decode(open.body, message)) {
    act(message);
  } else {
    step.effects.drop(DropReason::kMalformed);
  }
}

// Opens the message if it is one of the probe's; otherwise drops it.
std::optional<OpenMessage> open_probe(const Step& step, std::string_view bytes) {
  OpenMessage open = open_message(bytes);
  if (open.refused) {
    step.effects.drop(*open.refused);
  } else if (open.kind.protocol != ProtocolId::kProbe || open.kind.number >= kKindNames.size()) {
    step.effects.drop(DropReason::kUnknown);
  } else {
    return open;
  }
  return {};
}

std::int64_t add_saturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

bool is_of_tree(std::string_view bytes) {
  const OpenMessage open = open_message(bytes);
  return !open.refused && open.kind.protocol == ProtocolId::kTree;
}

bool is_addressed(const Routed& routed, Key key) {
  return std::ranges::find(routed.keys, key) != routed.keys.end();
}

}  // namespace

ProbeApplication::ProbeApplication(const ProbeOptions& options) : options_(options) {
  if (options_.sum) aggregation_.emplace(*options_.sum, std::make_unique<tree::SumSummary>());
}

void ProbeApplication::on_message(const Step& step, NodeId source, std::string_view message) {
  if (aggregation_ && is_of_tree(message)) {
    aggregation_->on_message(step, source, message);
  } else if (const std::optional<OpenMessage> open = open_probe(step, message)) {
    if (source == kUser) {
      on_command(step, *open);
    } else {
      on_answer(step, *open);
    }
  }
  finish(step);
}

void ProbeApplication::on_command(const Step& step, const OpenMessage& message) {
  const auto act = [&](const auto& command) { obey(step, command); };
  switch (static_cast<Kind>(message.kind.number)) {
    case Kind::kPut:
      return with<Put>(step, message, act);
    case Kind::kGet:
      return with<Get>(step, message, act);
    case Kind::kCast:
      return with<Cast>(step, message, act);
    case Kind::kAdd:
      return with<Add>(step, message, act);
    default:
      return step.effects.drop(DropReason::kNonsense);
  }
}

void ProbeApplication::on_answer(const Step& step, const OpenMessage& message) {
  const auto act = [&](const auto& answer) { hear(step, answer); };
  switch (static_cast<Kind>(message.kind.number)) {
    case Kind::kAcknowledge:
      return with<Acknowledge>(step, message, act);
    case Kind::kAnswer:
      return with<Answer>(step, message, act);
    default:
      return step.effects.drop(DropReason::kNonsense);
  }
}

void ProbeApplication::on_routed(const Step& step, const Routed& routed) {
  const std::optional<OpenMessage> open = open_probe(step, routed.message);
  if (!open) return;
  const auto act = [&](const auto& request) { on_home(step, routed, request); };
  switch (static_cast<Kind>(open->kind.number)) {
    case Kind::kStore:
      return with<Store>(step, *open, act);
    case Kind::kFetch:
      return with<Fetch>(step, *open, act);
    case Kind::kCast:
      return with<Cast>(step, *open, act);
    default:
      return step.effects.drop(DropReason::kNonsense);
  }
}

void ProbeApplication::on_wake(const Step& step) {
  retry_requests(step);
  if (aggregation_) aggregation_->on_wake(step);
  wake_asked_.reset();
  finish(step);
}

// Requests go by the new way when they are sent again.
void ProbeApplication::on_placement(const Step& step) {
  if (aggregation_) aggregation_->on_placement(step);
  finish(step);
}

void ProbeApplication::retry_requests(const Step& step) {
  next_retry_.reset();
  for (auto it = requests_.begin(); it != requests_.end();) {
    auto& [number, request] = *it;
    const bool is_due = request.retry_at <= step.now;
    if (is_due && request.try_count >= options_.try_count_max) {
      deliver(step, Failed{.key = request.key, .is_put = request.is_put});
      it = requests_.erase(it);
      continue;
    }
    if (is_due) try_again(step, number, request);
    next_retry_ = std::min(next_retry_.value_or(request.retry_at), request.retry_at);
    ++it;
  }
}

void ProbeApplication::obey(const Step& step, const Put& put) {
  begin(step, {.is_put = true, .key = put.key, .text = put.text, .retry_at = {}});
}

void ProbeApplication::obey(const Step& step, const Get& get) {
  begin(step, {.is_put = false, .key = get.key, .text = {}, .retry_at = {}});
}

void ProbeApplication::obey(const Step& step, const Cast& cast) {
  step.effects.add(Multicast{
      .destinations = cast.destinations, .kind = kind_of(Kind::kCast), .bytes = encode(cast)});
}

void ProbeApplication::obey(const Step& step, const Add& add) {
  if (!aggregation_) return step.effects.drop(DropReason::kUnknown);
  added_ = add_saturating(added_, add.amount);
  aggregation_->set_own(step, tree::SumSummary::of(added_));
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Store& store) {
  if (!is_addressed(routed, store.key)) return step.effects.drop(DropReason::kNonsense);
  const Version version{.number = store.number, .origin = routed.origin};
  if (!keep(step, store.key, {.version = version, .text = store.text})) return;
  send(step, routed.origin, Acknowledge{.key = store.key, .number = store.number});
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Fetch& fetch) {
  if (!is_addressed(routed, fetch.key)) return step.effects.drop(DropReason::kNonsense);
  Answer answer{.key = fetch.key, .number = fetch.number, .text = {}};
  if (const auto found = items_.find(fetch.key); found != items_.end()) {
    answer.text = found->second.text;
  }
  send(step, routed.origin, answer);
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Cast& cast) {
  if (routed.keys.size() > kCastKeysMax) return step.effects.drop(DropReason::kLimit);
  deliver(step, Arrived{.number = cast.number,
                        .origin = routed.origin,
                        .keys = {routed.keys.begin(), routed.keys.end()},
                        .hops = routed.hops});
}

void ProbeApplication::hear(const Step& step, const Acknowledge& acknowledge) {
  if (!end(step, true, acknowledge.key, acknowledge.number)) return;
  deliver(step, Stored{.key = acknowledge.key});
}

void ProbeApplication::hear(const Step& step, const Answer& answer) {
  if (!end(step, false, answer.key, answer.number)) return;
  deliver(step, Got{.key = answer.key, .text = answer.text});
}

// Numbers are of the clock, so that one who restarts without state does not use them again.
void ProbeApplication::begin(const Step& step, Request request) {
  if (requests_.size() >= options_.request_count_max) {
    return step.effects.drop(DropReason::kLimit);
  }
  const std::int64_t clock = std::max<std::int64_t>(step.now.nanoseconds, 0);
  last_number_ = std::max(last_number_ + 1, static_cast<std::uint64_t>(clock));
  const auto added = requests_.emplace(last_number_, std::move(request)).first;
  try_again(step, added->first, added->second);
  if (!next_retry_) next_retry_ = added->second.retry_at;
}

void ProbeApplication::try_again(const Step& step, std::uint64_t number, Request& request) {
  ++request.try_count;
  request.retry_at = step.now + options_.retry_interval;
  if (request.is_put) {
    route(step, Store{.key = request.key, .number = number, .text = request.text});
  } else {
    route(step, Fetch{.key = request.key, .number = number});
  }
}

bool ProbeApplication::end(const Step& step, bool is_put, Key key, std::uint64_t number) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) {
    step.effects.drop(DropReason::kStale);
    return false;
  }
  if (found->second.is_put != is_put || found->second.key != key) {
    step.effects.drop(DropReason::kNonsense);
    return false;
  }
  requests_.erase(found);
  return true;
}

// What is older than what is kept counts as kept.
bool ProbeApplication::keep(const Step& step, Key key, Item item) {
  const auto found = items_.find(key);
  if (found != items_.end()) {
    if (found->second.version < item.version) found->second = std::move(item);
    return true;
  }
  if (items_.size() >= options_.item_count_max) {
    step.effects.drop(DropReason::kLimit);
    return false;
  }
  items_.emplace(key, std::move(item));
  return true;
}

// After every input: a new sum is told, and the next wake asked for if it is another.
void ProbeApplication::finish(const Step& step) {
  if (aggregation_ && aggregation_->take_news()) {
    const tree::Aggregation::Merged& result = *aggregation_->result();
    deliver(step, Sum{.sum = tree::SumSummary::read(result.summary).sum,
                      .member_count = result.member_count,
                      .version = aggregation_->result_version().number});
  }
  const std::optional<base::Instant> next = next_wake();
  if (!next || next == wake_asked_) return;
  wake_asked_ = next;
  step.effects.wake_at(*next);
}

std::optional<base::Instant> ProbeApplication::next_wake() const {
  if (!aggregation_) return next_retry_;
  const base::Instant next = aggregation_->next_wake();
  return std::min(next_retry_.value_or(next), next);
}

// From the arc's first key on, round the ring if it must be.
void ProbeApplication::collect(const Ring& /*ring*/, KeyArc arc,
                               std::vector<KeyItem>& items) const {
  const auto copy = [&](auto from, auto to) {
    for (; from != to; ++from) {
      items.push_back({.key = from->first, .bytes = encode_item(from->second)});
    }
  };
  const auto first = items_.upper_bound(arc.after);
  const auto end = items_.upper_bound(arc.last);
  if (arc.after < arc.last) return copy(first, end);
  copy(first, items_.end());
  copy(items_.begin(), end);
}

void ProbeApplication::absorb(const Step& step, std::span<const KeyItem> items) {
  for (const KeyItem& item : items) {
    if (std::optional<Item> decoded = decode_item(item.bytes)) {
      keep(step, item.key, std::move(*decoded));
    } else {
      step.effects.drop(DropReason::kMalformed);
    }
  }
}

// A text that became newer after it was copied stays.
void ProbeApplication::forget(const Step& step, std::span<const KeyItem> items) {
  for (const KeyItem& item : items) {
    const std::optional<Item> copied = decode_item(item.bytes);
    if (!copied) {
      step.effects.drop(DropReason::kMalformed);
    } else if (const auto found = items_.find(item.key);
               found != items_.end() && found->second.version <= copied->version) {
      items_.erase(found);
    }
  }
}

}  // namespace weir::protocol::probe
