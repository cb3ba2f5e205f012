// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_text.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/composite_streams.h"
#include "filter/print.h"

namespace weir::engine {
namespace {

constexpr std::uint32_t kNobody = static_cast<std::uint32_t>(-1);

const filter::About* about_of(const filter::Term& term) {
  return std::get_if<filter::About>(term.predicate->predicate());
}

// What stands beside the text predicate.
filter::ExprPtr rest_of(const filter::Conjunction& conjunction) {
  filter::Conjunction rest;
  std::ranges::copy_if(conjunction.terms, std::back_inserter(rest.terms),
                       [](const filter::Term& term) { return about_of(term) == nullptr; });
  return rest.terms.empty() ? filter::make_and({}) : filter::to_expr(rest);
}

// The only one, if it is in the only conjunction and not negated.
const filter::About* only_about(const filter::Filter& filter) {
  const auto& conjunctions = filter.normal_form().conjunctions;
  if (filter.abouts().size() != 1 || conjunctions.size() != 1) return nullptr;
  const auto& terms = conjunctions.front().terms;
  const auto found = std::ranges::find_if(
      terms, [](const filter::Term& term) { return about_of(term) != nullptr; });
  return found == terms.end() || found->negated ? nullptr : filter.abouts().front();
}

SubscriptionId matcher_id(SharedText::GroupNumber number) {
  return {SharedText::kMatcherIdMin + number};
}

}  // namespace

std::unique_ptr<SharedText::Member> SharedText::join(SubscriptionId id,
                                                     const filter::Filter& filter,
                                                     const std::shared_ptr<const Gate>& gate,
                                                     const match::WorkBudgetPtr& budget) {
  const filter::About* const about = only_about(filter);
  if (about == nullptr) return nullptr;
  const match::TextQuery& query = scorer_->query(*about);
  if (!match::TextFinder::can_find(query)) return nullptr;
  const auto group = use_group(rest_of(filter.normal_form().conjunctions.front()), gate, budget);
  if (!group) return nullptr;
  const std::uint32_t number = take_number();
  auto member =
      std::make_unique<Member>(Member{.id = id,
                                      .group = *group,
                                      .place = finder_.add(*about, number),
                                      .number = number,
                                      .about = about,
                                      .is_to_be_judged = !match::TextFinder::is_exact(query),
                                      .passed_before = groups_[*group].passed});
  members_[number] = member.get();
  ++groups_[*group].fields[member->place.fields];
  return member;
}

std::uint32_t SharedText::take_number() {
  if (free_members_.empty()) {
    members_.push_back(nullptr);
    return static_cast<std::uint32_t>(members_.size() - 1);
  }
  const std::uint32_t number = free_members_.back();
  free_members_.pop_back();
  return number;
}

void SharedText::leave(const Member& member) {
  finder_.remove(member.place);
  members_[member.number] = nullptr;
  free_members_.push_back(member.number);
  auto& fields = groups_[member.group].fields;
  const auto used = fields.find(member.place.fields);
  if (--used->second == 0) fields.erase(used);
  drop_group_if_unused(member.group);
}

std::optional<SharedText::GroupNumber> SharedText::use_group(
    const filter::ExprPtr& rest, const std::shared_ptr<const Gate>& gate,
    const match::WorkBudgetPtr& budget) {
  const auto [key, is_new] =
      numbers_.emplace(GroupKey{filter::to_text(*rest), gate.get(), budget.get()}, 0);
  if (!is_new) return key->second;
  auto filter = filter::Filter::create({.expr = rest, .distinct = {}, .warnings = {}});
  if (!filter) {
    numbers_.erase(key);
    return std::nullopt;
  }
  if (free_groups_.empty()) {
    free_groups_.push_back(static_cast<GroupNumber>(groups_.size()));
    groups_.emplace_back();
  }
  key->second = free_groups_.back();
  free_groups_.pop_back();
  Group& group = groups_[key->second];
  group.gate = gate;
  group.key = key;
  group.budget = budget;
  if (budget && match::is_costly(**filter)) meter_->add(matcher_id(key->second), budget);
  matcher_->add(matcher_id(key->second), std::move(*filter));
  return key->second;
}

void SharedText::drop_group_if_unused(GroupNumber number) {
  Group& group = groups_[number];
  if (!group.fields.empty()) return;
  matcher_->remove(matcher_id(number));
  meter_->remove(matcher_id(number));
  numbers_.erase(group.key);
  group = {};
  free_groups_.push_back(number);
}

void SharedText::resolve(const event::Event& event, std::vector<match::Match>& matches) {
  const auto first = std::ranges::lower_bound(matches, SubscriptionId{kMatcherIdMin}, {},
                                              &match::Match::subscription);
  const auto last = std::ranges::lower_bound(
      matches, SubscriptionId{CompositeStreams::kMatcherIdMin}, {}, &match::Match::subscription);
  if (first == last) return;
  ++event_count_;
  fields_.clear();
  passed_.clear();
  for (auto match = first; match != last; ++match) {
    pass(static_cast<GroupNumber>(match->subscription.value - kMatcherIdMin), event);
  }
  matches.erase(first, last);
  std::ranges::sort(fields_);
  const auto repeated = std::ranges::unique(fields_);
  fields_.erase(repeated.begin(), repeated.end());
  found_.clear();
  for (const match::TextFinder::FieldsNumber fields : fields_) finder_.find(fields, found_);
  for (std::uint32_t& number : found_) {
    if (!holds(*members_[number], event)) number = kNobody;
  }
  unpass_unpaid();
  for (const std::uint32_t number : found_) {
    if (number == kNobody || !has_passed(*members_[number])) continue;
    ++members_[number]->match_count;
    matches.push_back({members_[number]->id, 0});
  }
  std::ranges::sort(matches);
}

// Whoever has become over budget by judging.
void SharedText::unpass_unpaid() {
  for (const GroupNumber number : passed_) {
    Group& group = groups_[number];
    if (!group.budget || !group.budget->is_over()) continue;
    --group.passed;
    group.event_seen = 0;
  }
}

void SharedText::pass(GroupNumber number, const event::Event& event) {
  Group& group = groups_[number];
  if (group.gate && !(*group.gate)(event)) return;
  if (group.budget && group.budget->is_over()) return;
  passed_.push_back(number);
  ++group.passed;
  group.event_seen = event_count_;
  for (const auto& [fields, member_count] : group.fields) fields_.push_back(fields);
}

bool SharedText::holds(const Member& member, const event::Event& event) {
  if (!has_passed(member)) return false;
  return member.is_to_be_judged ? scorer_->judge(*member.about, event).holds
                                : scorer_->charge(*member.about);
}

std::size_t SharedText::memory_bytes() const {
  std::size_t bytes = finder_.memory_bytes() + groups_.capacity() * sizeof(Group) +
                      members_.size() * sizeof(Member) + members_.capacity() * sizeof(Member*) +
                      free_groups_.capacity() * sizeof(GroupNumber) +
                      free_members_.capacity() * sizeof(std::uint32_t);
  for (const auto& [key, number] : numbers_) bytes += sizeof(key) + key.rest.capacity();
  return bytes;
}

}  // namespace weir::engine
