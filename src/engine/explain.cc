// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/change_text.h"
#include "engine/subscription.h"
#include "engine/text_explanation.h"
#include "filter/duration.h"
#include "filter/print.h"
#include "match/brute_force.h"
#include "match/text_preview.h"

namespace weir::engine {
namespace {

class StateContext final : public filter::ExplainContext {
 public:
  StateContext(match::TextPreview& text, const match::ChangeFilter* change, base::Instant now)
      : text_(text), change_(change), now_(now) {}

  Verdict about(const filter::About& about, const event::Event&) override {
    const match::TextMatchInfo info = text_.match_info(about);
    return {info.verdict.holds, describe(info)};
  }

  Verdict change(const filter::Change& change, const event::Event& event) override {
    const match::ChangeReading reading = change_->reading(change, event, now_, text_);
    return {reading.satisfied && !reading.held, describe(change, reading)};
  }

 private:
  match::TextPreview& text_;
  const match::ChangeFilter* change_;
  base::Instant now_;
};

}  // namespace

Outcome Engine::foretell(Subscription& subscription, const event::EventPtr& event,
                         base::Instant now, match::TextReader& reader) const {
  const filter::Filter& filter = subscription.filter();
  const std::vector<std::uint32_t> conjunctions = match::holding(filter, *event, reader);
  Outcome outcome = Outcome::kPassed;
  if (!subscription.admits(*event)) return Outcome::kNoMatch;
  if (conjunctions.empty()) {
    const bool scored =
        !filter.abouts().empty() && match::holds_but_for_score(filter, *event, reader);
    return scored ? Outcome::kBelowScore : Outcome::kNoMatch;
  }
  if (const auto change = subscription.change_for(event.get(), now)) {
    outcome = outcome_of(change->preview(conjunctions, event, now, reader));
  }
  const bool duplicate = outcome == Outcome::kPassed && subscription.is_duplicate(*event, now);
  return duplicate ? Outcome::kDuplicate : outcome;
}

base::Result<EventExplanation> Engine::explain(SubscriptionId id, const event::EventPtr& event,
                                               base::Instant now) {
  const auto found = find(id);
  if (!found) return found.error();
  Subscription& subscription = **found;
  const filter::Filter& filter = subscription.filter();
  now = std::max({now, now_, subscription.restored_at()});

  if (subscription.budget() && match::evaluation_steps(filter, *event) > options_.work_steps_max) {
    EventExplanation out;
    out.note = "the event is too long to be explained for this filter; a shorter one can be";
    return out;
  }
  const auto change = subscription.change_for(event.get(), now);
  match::TextPreview text(*scorer_, *event, now);
  StateContext context(text, change.get(), now);
  EventExplanation out;
  out.filter = filter::explain(*filter.expr(), *event, context);
  out.outcome = foretell(subscription, event, now, text);
  out.is_hidden = !subscription.admits(*event);
  if (out.is_hidden) out.note = "the subscription does not admit this event";
  if (const auto& distinct = filter.distinct()) {
    out.distinct =
        fmt::format("{}: these keys were {} in the last {}", to_text(*distinct),
                    subscription.is_duplicate(*event, now) ? "delivered" : "not delivered",
                    filter::to_text(distinct->within));
  }
  return out;
}

}  // namespace weir::engine
