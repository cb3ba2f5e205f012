// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/change_text.h"
#include "engine/subscription.h"
#include "filter/duration.h"
#include "filter/print.h"
#include "match/brute_force.h"

namespace weir::engine {
namespace {

// Reads an event as if it were published, without counting it in.
class PreviewReader final : public match::TextReader {
 public:
  PreviewReader(match::TextScorer& scorer, const event::Event& event)
      : scorer_(scorer), event_(event) {}

  std::optional<double> score(const filter::About& about, const event::Event& event) override {
    const auto preview = scorer_.preview(about, event);
    return preview ? std::optional(preview->total) : std::nullopt;
  }
  std::optional<match::TermCounts> document(const std::vector<event::Path>& fields,
                                            const event::Event& event) override {
    return scorer_.preview_document(fields, event);
  }
  double distance(const std::vector<event::Path>& fields, const match::TermCounts& left,
                  const match::TermCounts& right) override {
    return scorer_.preview_distance(fields, event_, left, right);
  }

 private:
  match::TextScorer& scorer_;
  const event::Event& event_;
};

class StateContext final : public filter::ExplainContext {
 public:
  StateContext(match::TextScorer& scorer, const match::ChangeFilter* change, base::Instant now)
      : scorer_(scorer), change_(change), now_(now) {}

  Verdict about(const filter::About& about, const event::Event& event) override {
    const auto preview = scorer_.preview(about, event);
    if (!preview) return {false, "no field has text"};
    std::string detail = fmt::format("the score is {:.4f}", preview->total);
    const char* separator = " = ";
    for (const auto& [term, share] : preview->shares) {
      detail += fmt::format("{}{} {:.4f}", std::exchange(separator, " + "), term, share);
    }
    return {preview->total >= about.score_min, detail};
  }

  Verdict change(const filter::Change& change, const event::Event& event) override {
    PreviewReader reader(scorer_, event);
    const match::ChangeReading reading = change_->reading(change, event, now_, reader);
    return {reading.satisfied && !reading.held, describe(change, reading)};
  }

 private:
  match::TextScorer& scorer_;
  const match::ChangeFilter* change_;
  base::Instant now_;
};

}  // namespace

Outcome Engine::foretell(Subscription& subscription, const event::EventPtr& event,
                         base::Instant now, match::TextReader& reader) const {
  const filter::Filter& filter = subscription.filter();
  const auto& all = filter.normal_form().conjunctions;
  std::vector<std::uint32_t> conjunctions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (match::holds(all[i], *event, reader)) conjunctions.push_back(i);
  }
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
  Subscription& subscription = *(*found)->second;
  const filter::Filter& filter = subscription.filter();
  now = std::max({now, now_, subscription.restored_at()});

  const auto change = subscription.change_for(event.get(), now);
  StateContext context(scorer_, change.get(), now);
  EventExplanation out;
  out.filter = filter::explain(*filter.expr(), *event, context);
  PreviewReader reader(scorer_, *event);
  out.outcome = foretell(subscription, event, now, reader);
  if (!subscription.admits(*event)) out.note = "the subscription does not admit this event";
  if (const auto& distinct = filter.distinct()) {
    out.distinct =
        fmt::format("{}: these keys were {} in the last {}", to_text(*distinct),
                    subscription.is_duplicate(*event, now) ? "delivered" : "not delivered",
                    filter::to_text(distinct->within));
  }
  return out;
}

}  // namespace weir::engine
