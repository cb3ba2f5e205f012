// SPDX-License-Identifier: Apache-2.0
// SharedText: subscriptions with one text predicate, found by the terms of the event's text.
//
//   type = 'news' and text(data.body) about 'storm flood' score >= 1.2
//   `-- group --'     `------------- in the index of its fields -----'
//
// What stands beside the text predicate is a group: one entry in the matcher, whoever asks for it,
// through one gate. An event goes to those members whose text predicate holds (match::TextFinder
// finds them by their terms) and whose group is among its matches; groups that do not match cost
// nothing, and without one that does the index is not asked. So whom only the text kept back is
// known as a count: the events of the group without those that it matched. An event that is too
// costly for a group's owner (match::WorkBudget) does not count for the group.
//
// Finds what trying each of them would. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "match/text_finder.h"
#include "match/text_scorer.h"

namespace weir::engine {

class SharedText {
 public:
  // Ids of groups in the matcher, beyond those of subscriptions and of what change filters share.
  static constexpr std::uint64_t kMatcherIdMin = std::uint64_t{5} << 61U;

  using GroupNumber = std::uint32_t;
  struct Member {
    SubscriptionId id;
    GroupNumber group = 0;
    match::TextFinder::Place place = {};
    std::uint32_t number = 0;  // among members
    const filter::About* about = nullptr;
    bool is_to_be_judged = false;  // the index finds whatever may hold
    std::uint64_t passed_before = 0;
    std::uint64_t match_count = 0;
  };

  SharedText(match::Matcher* matcher, match::TextScorer* scorer, match::WorkMeter* meter)
      : matcher_(matcher), scorer_(scorer), meter_(meter), finder_(scorer) {}

  // Null if it must stand alone: several alternatives or text predicates, a negated one, or one
  // that is not found by its terms. The scorer must know the filter, which stays until leave().
  std::unique_ptr<Member> join(SubscriptionId id, const filter::Filter& filter,
                               const std::shared_ptr<const Gate>& gate,
                               const match::WorkBudgetPtr& budget = {});
  void leave(const Member& member);

  // Puts, in the place of the groups among the matches, the members that the event is for.
  void resolve(const event::Event& event, std::vector<match::Match>& matches);

  // Events since it came that only the text kept back.
  std::uint64_t below_score(const Member& member) const {
    return groups_[member.group].passed - member.passed_before - member.match_count;
  }
  match::text::TextCounters counters() const { return finder_.counters(); }
  std::size_t size() const { return members_.size() - free_members_.size(); }
  std::size_t group_count() const { return numbers_.size(); }
  std::size_t memory_bytes() const;

 private:
  struct GroupKey {
    std::string rest;  // of the filter, without the text predicate
    const Gate* gate;
    const match::WorkBudget* budget;

    auto operator<=>(const GroupKey&) const = default;
  };
  struct Group {
    std::shared_ptr<const Gate> gate;
    match::WorkBudgetPtr budget = {};  // null: nobody limits it
    std::map<GroupKey, GroupNumber>::iterator key = {};
    std::uint64_t passed = 0;      // events
    std::uint64_t event_seen = 0;  // number of the last one that did
    // What its members look at, and how many of them do.
    std::map<match::TextFinder::FieldsNumber, std::size_t> fields;
  };

  std::uint32_t take_number();
  // Nothing if the rest is beyond the limits of a filter.
  std::optional<GroupNumber> use_group(const filter::ExprPtr& rest,
                                       const std::shared_ptr<const Gate>& gate,
                                       const match::WorkBudgetPtr& budget);
  void drop_group_if_unused(GroupNumber number);
  void pass(GroupNumber number, const event::Event& event);
  bool holds(const Member& member, const event::Event& event);
  void unpass_unpaid();
  bool has_passed(const Member& member) const {
    return groups_[member.group].event_seen == event_count_;
  }

  match::Matcher* matcher_;
  match::TextScorer* scorer_;
  match::WorkMeter* meter_;
  match::TextFinder finder_;
  std::map<GroupKey, GroupNumber> numbers_;
  std::vector<Group> groups_;  // by number
  std::vector<GroupNumber> free_groups_;
  std::vector<Member*> members_;  // by number
  std::vector<std::uint32_t> free_members_;
  std::uint64_t event_count_ = 0;
  // Of the event at hand.
  std::vector<match::TextFinder::FieldsNumber> fields_;
  std::vector<GroupNumber> passed_;
  std::vector<std::uint32_t> found_;
};

}  // namespace weir::engine
