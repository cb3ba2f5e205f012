// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/probe_application.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "protocol/tree/sum_summary.h"

namespace weir::protocol::probe {

namespace {

using Step = Application::Step;

// Opens a message of the probe; drops it and returns nullopt if it is none.
std::optional<OpenMessage> open_probe(const Step& step, std::string_view bytes) {
  OpenMessage open = open_message(bytes);
  if (open.refused) {
    step.effects.drop(*open.refused);
  } else if (open.kind.protocol != ProtocolId::kProbe) {
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

ProbeApplication::ProbeApplication(const ProbeOptions& options)
    : items_(options.item_count_max), requests_(options) {
  if (options.sum) aggregation_.emplace(*options.sum, std::make_unique<tree::SumSummary>());
}

void ProbeApplication::on_message(const Step& step, NodeId source, std::string_view message) {
  if (aggregation_ && is_of_tree(message)) {
    aggregation_->on_message(step, source, message);
  } else if (const std::optional<OpenMessage> open = open_probe(step, message)) {
    const auto refused =
        source == kUser
            ? dispatch<Way::kCommand>(Messages{}, *open, [&](const auto& it) { obey(step, it); })
            : dispatch<Way::kDirect>(Messages{}, *open, [&](const auto& it) { on(step, it); });
    if (refused) step.effects.drop(*refused);
  }
  end_turn(step);
}

void ProbeApplication::on_routed(const Step& step, const Routed& routed) {
  const std::optional<OpenMessage> open = open_probe(step, routed.message);
  if (!open) return;
  const auto refused = dispatch<Way::kRouted>(
      Messages{}, *open, [&](const auto& request) { on_home(step, routed, request); });
  if (refused) step.effects.drop(*refused);
}

void ProbeApplication::on_wake(const Step& step) {
  requests_.retry_due(step);
  if (aggregation_) aggregation_->on_wake(step);
  asked_wake_.reset();
  end_turn(step);
}

// Requests take the new way when they are sent again.
void ProbeApplication::on_placement(const Step& step) {
  if (aggregation_) aggregation_->on_placement(step);
  end_turn(step);
}

void ProbeApplication::obey(const Step& step, const Put& put) { requests_.begin(step, put); }

void ProbeApplication::obey(const Step& step, const Get& get) { requests_.begin(step, get); }

void ProbeApplication::obey(const Step& step, const Cast& cast) {
  step.effects.multicast(cast.destinations, cast);
}

void ProbeApplication::obey(const Step& step, const Add& add) {
  if (!aggregation_) return step.effects.drop(DropReason::kUnknown);
  added_ = add_saturating(added_, add.amount);
  aggregation_->set_own(step, tree::SumSummary::of(added_));
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Store& store) {
  if (!is_addressed(routed, store.key)) return step.effects.drop(DropReason::kNonsense);
  const Version version{.number = store.number, .origin = routed.origin};
  if (!items_.keep(step, store.key, {.version = version, .text = store.text})) return;
  step.effects.send(routed.origin, Acknowledge{.key = store.key, .number = store.number});
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Fetch& fetch) {
  if (!is_addressed(routed, fetch.key)) return step.effects.drop(DropReason::kNonsense);
  step.effects.send(
      routed.origin,
      Answer{.key = fetch.key, .number = fetch.number, .text = items_.text_of(fetch.key)});
}

void ProbeApplication::on_home(const Step& step, const Routed& routed, const Cast& cast) {
  if (routed.keys.size() > kDestinationKeysMax) return step.effects.drop(DropReason::kLimit);
  step.effects.deliver(Arrived{.number = cast.number,
                               .origin = routed.origin,
                               .keys = {routed.keys.begin(), routed.keys.end()},
                               .hops = routed.hops});
}

void ProbeApplication::on(const Step& step, const Acknowledge& acknowledge) {
  if (requests_.end(step, acknowledge)) step.effects.deliver(Stored{.key = acknowledge.key});
}

void ProbeApplication::on(const Step& step, const Answer& answer) {
  if (requests_.end(step, answer)) {
    step.effects.deliver(Got{.key = answer.key, .text = answer.text});
  }
}

void ProbeApplication::end_turn(const Step& step) {
  if (aggregation_ && aggregation_->take_news()) {
    const tree::Aggregation::Merged& result = *aggregation_->result();
    step.effects.deliver(Sum{.sum = tree::SumSummary::read(result.summary).sum,
                             .member_count = result.member_count,
                             .version = aggregation_->result_version().number});
  }
  const std::optional<base::Instant> next = next_wake();
  if (!next || next == asked_wake_) return;
  asked_wake_ = next;
  step.effects.wake_at(*next);
}

std::optional<base::Instant> ProbeApplication::next_wake() const {
  const std::optional<base::Instant>& retry = requests_.next_retry();
  if (!aggregation_) return retry;
  const base::Instant next = aggregation_->next_wake();
  return std::min(retry.value_or(next), next);
}

void ProbeApplication::collect(const Ring& /*ring*/, KeyArc arc,
                               std::vector<KeyItem>& items) const {
  items_.collect(arc, items);
}

void ProbeApplication::absorb(const Step& step, std::span<const KeyItem> items) {
  items_.absorb(step, items);
}

void ProbeApplication::forget(const Step& step, std::span<const KeyItem> items) {
  items_.forget(step, items);
}

}  // namespace weir::protocol::probe
