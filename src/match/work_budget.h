// SPDX-License-Identifier: Apache-2.0
// WorkBudget: how much work one event may cause because of one owner's filters.
//
// Work is counted in steps: about what it takes to look at one byte, a nanosecond or less. Only
// work is counted that grows with the event, or with what one filter asks for: texts, like, CESQL,
// paths with [*], long keys. The steps follow from the event and the filters alone, never from a
// clock. They are counted before the work is done, and what would go beyond the budget is not done.
//
// Whether an owner is over its budget does not depend on the order in which its filters are looked
// at: it is iff the steps of all of them are more than the budget. An event that is too costly for
// an owner matches none of its costly filters (is_costly()), and is counted.
//
// WorkMeter knows the budgets of one engine, which must not outlive it, and which filter draws on
// which. Single-threaded.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "event/event.h"
#include "filter/filter.h"
#include "match/matcher.h"

namespace weir::match {

// What things cost, in steps.
namespace steps {
inline constexpr std::uint64_t kFree = 256;      // less than that is not counted
inline constexpr std::uint64_t kTextField = 16;  // to look for a field, for each choice of fields
inline constexpr std::uint64_t kPathByte = 4;    // of the event, for a field with [*]
inline constexpr std::uint64_t kTextByte = 12;   // to find the words of a text
inline constexpr std::uint64_t kTerm = 300;      // of a text, for each choice of fields that has it
inline constexpr std::uint64_t kQueryTerm = 80;  // of a text predicate that may hold
inline constexpr std::uint64_t kPhraseByte = 2;  // of the text, for each phrase
inline constexpr std::uint64_t kDistanceTerm = 200;  // of the text, for a change of it
inline constexpr std::uint64_t kCesqlByte = 2;
inline constexpr std::uint64_t kElement = 12;    // on the way of a path with [*]
inline constexpr std::uint64_t kValue = 48;      // at its end
inline constexpr std::uint64_t kValueCheck = 8;  // for a filter that looks at all of them
inline constexpr std::uint64_t kKeyByte = 4;
inline constexpr std::uint64_t kEventByte = 4;      // for a term that may look at all of it
inline constexpr std::size_t kLongKeyBytes = 1024;  // shorter keys are not counted
}  // namespace steps

class WorkMeter;

class WorkBudget {
 public:
  WorkBudget(std::string owner, std::uint64_t steps_max, WorkMeter* meter)
      : owner_(std::move(owner)), steps_max_(steps_max), meter_(meter) {}
  ~WorkBudget();
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Counts steps for the event at hand; false if that is beyond the budget, now or before.
  bool charge(std::uint64_t steps);
  bool is_over() const { return is_over_; }
  // Steps that may still be charged.
  std::uint64_t left() const { return is_over_ ? 0 : steps_max_ - steps_; }

  const std::string& owner() const { return owner_; }
  // Events that were too costly, and those among them that had long keys.
  std::uint64_t cut_count() const { return cut_count_; }
  std::uint64_t long_key_cut_count() const { return long_key_cut_count_; }
  // The event at hand, which is too costly, had long keys for the owner's filters.
  void note_long_keys() {
    long_key_cut_count_ += has_long_keys_ ? 0 : 1;
    has_long_keys_ = true;
  }

 private:
  friend class WorkMeter;

  std::string owner_;
  std::uint64_t steps_max_;
  WorkMeter* meter_;
  std::uint64_t steps_ = 0;  // of the event at hand
  bool is_over_ = false;
  bool has_long_keys_ = false;
  std::uint64_t cut_count_ = 0;
  std::uint64_t long_key_cut_count_ = 0;
};
using WorkBudgetPtr = std::shared_ptr<WorkBudget>;

struct WorkCounters {
  std::uint64_t steps = 0;      // in all
  std::uint64_t cut_count = 0;  // events, for each owner that they were too costly for
};

class WorkMeter {
 public:
  // 0 steps: no budgets.
  explicit WorkMeter(std::uint64_t steps_max) : steps_max_(steps_max) {}

  // The budget of an owner, as long as somebody has it; null for an owner without a name.
  WorkBudgetPtr budget(const std::string& owner);

  // Another event comes.
  void begin();
  // Whether the event at hand is too costly for anybody.
  bool is_anybody_over() const { return over_count_ > 0; }
  const WorkCounters& counters() const { return counters_; }

  // Costly filters by their number in the matcher.
  void add(SubscriptionId id, WorkBudgetPtr budget) {
    payers_.emplace(id.value, std::move(budget));
  }
  void remove(SubscriptionId id) { payers_.erase(id.value); }
  // Null if the filter is not costly, or nobody limits it.
  WorkBudget* payer(SubscriptionId id) const {
    const auto found = payers_.find(id.value);
    return found == payers_.end() ? nullptr : found->second.get();
  }

 private:
  friend class WorkBudget;

  std::uint64_t steps_max_;
  std::map<std::string, std::weak_ptr<WorkBudget>> budgets_;  // by owner
  std::size_t sweep_at_ = 64;                                 // then budgets that are gone go
  // For the event at hand. Outlives payers_: a budget that ends takes itself off.
  std::vector<WorkBudget*> charged_;
  boost::unordered_flat_map<std::uint64_t, WorkBudgetPtr> payers_;
  std::size_t over_count_ = 0;
  WorkCounters counters_;
};

// Whether the work of a filter may grow with the event: it has text, like, CESQL, a comparison of
// two places, or a path with [*].
bool is_costly(const filter::Filter& filter);
// The same without its text predicates and changes of texts.
bool is_costly_beside_text(const filter::Filter& filter);

// What the keys of a filter's changes and of its distinct clause cost, if they are long in this
// event; 0 if not.
std::uint64_t long_key_steps(const filter::Filter& filter, const event::Event& event);
std::uint64_t long_key_steps(const std::vector<filter::Operand>& keys, const event::Event& event);
// What it may cost to look at the conditions of a filter's changes.
std::uint64_t condition_steps(const filter::Filter& filter, const event::Event& event);
// What it may cost to evaluate a filter by definition.
std::uint64_t evaluation_steps(const filter::Filter& filter, const event::Event& event);

// Paths with [*] that the stateless part of a filter looks at.
std::vector<filter::Operand> array_operands(const filter::Filter& filter);

}  // namespace weir::match
