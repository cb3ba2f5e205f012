// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/aggregation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace weir::protocol::tree {

using base::Instant;

namespace {

Aggregation::Place place_of(const Placement& placement, Key key) {
  if (placement.is_home(key)) return {.is_root = true, .parent = {}, .distance = 0};
  std::optional<NodeId> parent = placement.towards(key);
  if (parent == placement.self()) parent.reset();
  return {.is_root = false, .parent = parent, .distance = placement.distance_to(key)};
}

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

Aggregation::Aggregation(const AggregationOptions& options, std::unique_ptr<const Summary> summary)
    : options_(options),
      summary_(std::move(summary)),
      own_(summary_->identity()),
      children_(options.child_count_max) {}

void Aggregation::on_message(const Step& step, NodeId source, std::string_view message) {
  const OpenMessage open = open_message(message);
  if (open.refused) return step.effects.drop(*open.refused);
  if (open.kind.protocol != ProtocolId::kTree) return step.effects.drop(DropReason::kUnknown);
  if (source == kUser || source == step.placement.self()) {
    return step.effects.drop(DropReason::kNonsense);
  }
  catch_up(step);
  const auto refused = dispatch<Way::kDirect>(Messages{}, open, [&](const auto& it) {
    if (it.tree != options_.root_key) return step.effects.drop(DropReason::kUnknown);
    on(step, source, it);
  });
  if (refused) step.effects.drop(*refused);
  flush(step);
}

void Aggregation::on_wake(const Step& step) {
  catch_up(step);
  flush(step);
  if (step.now < renew_at_) return;
  renew_at_ = step.now + options_.renewal_interval;
  if (!place_.parent || !reported_) return;
  step.effects.send(*place_.parent, Renew{.tree = options_.root_key,
                                          .session = session_,
                                          .number = report_number_,
                                          .distance = place_.distance,
                                          .held = result_version_});
}

void Aggregation::on_placement(const Step& step) {
  catch_up(step);
  flush(step);
}

void Aggregation::set_own(const Step& step, std::string summary) {
  WEIR_CHECK(summary_->is_valid(summary) && summary.size() <= options_.summary_bytes_max);
  own_ = std::move(summary);
  is_dirty_ = true;
  catch_up(step);
  flush(step);
}

Instant Aggregation::next_wake() const {
  Instant next = renew_at_;
  if (is_dirty_ && !is_held_back()) next = std::min(next, change_after_);
  if (const auto end = children_.next_end()) next = std::min(next, *end);
  return next;
}

bool Aggregation::take_news() { return std::exchange(has_news_, false); }

std::optional<DropReason> Aggregation::refusal(NodeId source, const Report& report) {
  if (report.distance <= place_.distance) return DropReason::kStale;
  if (const Child* known = children_.find(source)) {
    if (report.session < known->session) return DropReason::kStale;
    const bool is_same = report.session == known->session;
    if (is_same && (known->is_gone || report.number <= known->number)) return DropReason::kStale;
    if (is_same && report.distance != known->distance) return DropReason::kNonsense;
  }
  if (!is_summary(report.summary, report.member_count)) return DropReason::kNonsense;
  if (!children_.has_room_for(source)) return DropReason::kLimit;
  return {};
}

void Aggregation::on(const Step& step, NodeId source, const Report& report) {
  if (const auto reason = refusal(source, report)) return step.effects.drop(*reason);
  const Child* const known = children_.find(source);
  const bool is_listed = known && known->session == report.session;
  // A forgotten session is not resumed: its child may have heard a higher result sequence than this
  // member would use from now on.
  if (!is_listed && report.number != 1) {
    return step.effects.send(source, Again{.tree = options_.root_key, .session = report.session});
  }
  Child child{.session = report.session,
              .distance = report.distance,
              .number = report.number,
              .member_count = report.member_count,
              .summary = report.summary,
              .lease_until = step.now + options_.lease,
              .result_sent_at = {}};
  if (is_listed) child.result_sent_at = known->result_sent_at;
  is_dirty_ = true;
  offer_result(step, source, children_.put(source, std::move(child)), report.held);
}

void Aggregation::on(const Step& step, NodeId source, const Renew& renew) {
  if (renew.distance <= place_.distance) return step.effects.drop(DropReason::kStale);
  if (!children_.has_room_for(source)) return step.effects.drop(DropReason::kLimit);
  Child* const known = children_.find(source);
  if (known &&
      (renew.session < known->session || (renew.session == known->session && known->is_gone))) {
    return step.effects.drop(DropReason::kStale);
  }
  const bool is_listed = known && renew.session == known->session;
  if (is_listed) children_.renew(*known, step.now + options_.lease);
  if (is_listed && renew.number <= known->number) {
    offer_result(step, source, *known, renew.held);
  } else {
    step.effects.send(source, Again{.tree = options_.root_key, .session = renew.session});
  }
}

void Aggregation::on(const Step& step, NodeId source, const Leave& leave) {
  Child* const known = children_.find(source);
  if (!known || known->is_gone || leave.session < known->session) {
    return step.effects.drop(DropReason::kStale);
  }
  known->session = leave.session;
  known->is_gone = true;
  known->summary.clear();
  is_dirty_ = true;
}

void Aggregation::on(const Step& step, NodeId source, const Again& again) {
  if (source != place_.parent || again.session != session_) {
    return step.effects.drop(DropReason::kStale);
  }
  begin_session(step.now);
}

void Aggregation::on(const Step& step, NodeId source, const Result& result) {
  if (source != place_.parent || result.session != session_ ||
      result.sequence <= result_sequence_) {
    return step.effects.drop(DropReason::kStale);
  }
  if (result.version.root == kUser || !is_summary(result.summary, result.member_count)) {
    return step.effects.drop(DropReason::kNonsense);
  }
  result_sequence_ = result.sequence;
  if (result.version == result_version_) return;
  take_result(step, result.version,
              {.member_count = result.member_count, .summary = result.summary});
}

void Aggregation::catch_up(const Step& step) {
  is_dirty_ |= children_.end_leases(step.now);
  const Place place = place_of(step.placement, options_.root_key);
  if (place == place_) return;
  if (place_.parent && place_.parent != place.parent) {
    step.effects.send(*place_.parent, Leave{.tree = options_.root_key, .session = session_});
  }
  place_ = place;
  children_.end_up_to_distance(place_.distance);
  begin_session(step.now);
}

void Aggregation::begin_session(Instant now) {
  session_ = next_number(now);
  report_number_ = 0;
  result_sequence_ = 0;
  reported_.reset();
  is_dirty_ = true;
}

void Aggregation::flush(const Step& step) {
  if (!is_dirty_ || is_held_back() || step.now < change_after_) return;
  is_dirty_ = false;
  if (place_.is_root) {
    announce(step, merge_all(step));
  } else {
    report(step, merge_all(step));
  }
}

Aggregation::Merged Aggregation::merge_all(const Step& step) const {
  Merged merged{.member_count = 1, .summary = own_};
  for (const auto& [node, child] : children_.map()) {
    if (child.is_gone) continue;
    if (summary_->merge(merged.summary, child.summary, options_.summary_bytes_max)) {
      merged.member_count = add_saturating(merged.member_count, child.member_count);
    } else {
      step.effects.drop(DropReason::kLimit);
    }
  }
  return merged;
}

void Aggregation::report(const Step& step, Merged merged) {
  if (reported_ == merged) return;
  reported_ = std::move(merged);
  change_after_ = step.now + options_.change_interval;
  renew_at_ = step.now + options_.renewal_interval;
  step.effects.send(*place_.parent, Report{.tree = options_.root_key,
                                           .session = session_,
                                           .number = ++report_number_,
                                           .distance = place_.distance,
                                           .member_count = reported_->member_count,
                                           .held = result_version_,
                                           .summary = reported_->summary});
}

void Aggregation::announce(const Step& step, Merged merged) {
  if (result_ == merged) return;
  change_after_ = step.now + options_.change_interval;
  take_result(step, {.root = step.placement.self(), .number = next_number(step.now)},
              std::move(merged));
}

void Aggregation::take_result(const Step& step, ResultVersion version, Merged merged) {
  has_news_ |= result_ != merged;
  result_version_ = version;
  result_ = std::move(merged);
  for (auto& [node, child] : children_.map()) {
    if (!child.is_gone) send_result(step, node, child);
  }
}

void Aggregation::send_result(const Step& step, NodeId node, Child& child) {
  child.result_sent_at = step.now;
  step.effects.send(node, Result{.tree = options_.root_key,
                                 .session = child.session,
                                 .sequence = next_number(step.now),
                                 .version = result_version_,
                                 .member_count = result_->member_count,
                                 .summary = result_->summary});
}

// A result that was sent within one renewal interval may still be on its way.
void Aggregation::offer_result(const Step& step, NodeId node, Child& child, ResultVersion held) {
  if (!result_ || held == result_version_) return;
  if (child.result_sent_at && step.now < *child.result_sent_at + options_.renewal_interval) return;
  send_result(step, node, child);
}

bool Aggregation::is_summary(std::string_view summary, std::uint64_t member_count) const {
  return member_count > 0 && summary.size() <= options_.summary_bytes_max &&
         summary_->is_valid(summary);
}

// Numbers follow the clock, so a member that restarts without state does not use one again.
std::uint64_t Aggregation::next_number(Instant now) {
  const std::int64_t clock = std::max<std::int64_t>(now.nanoseconds, 0);
  last_number_ = std::max(last_number_ + 1, static_cast<std::uint64_t>(clock));
  return last_number_;
}

}  // namespace weir::protocol::tree
