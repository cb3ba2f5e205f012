// SPDX-License-Identifier: Apache-2.0
#include "broker/known_readings.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <variant>

#include "match/brute_force.h"
#include "match/change_memory.h"
#include "match/event_key.h"
#include "match/text_scorer.h"
#include "match/work_budget.h"

namespace weir::broker {
namespace {

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

// Looks at events, the newest first.
class Search {
 public:
  explicit Search(const filter::Filter& filter) : filter_(filter) {
    for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
      source_count_ += conjunction.changes.size();
      for (const filter::ExprPtr& change : conjunction.changes) {
        has_keys_ = has_keys_ || !change_of(change).keys.empty();
      }
    }
  }

  // Whether older events cannot tell more.
  bool is_done() const { return !has_keys_ && found_.size() == source_count_; }

  // Whether the event has the newest reading of something.
  bool look_at(const event::Event& event) {
    const std::size_t before = found_.size();
    for (const std::uint32_t conjunction : match::holding(filter_, event, reader_)) {
      const auto& changes = filter_.normal_form().conjunctions[conjunction].changes;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        const filter::Change& change = change_of(changes[i]);
        const bool is_reading =
            (!change.condition || filter::evaluate(*change.condition, event, reader_)) &&
            match::sample_of(change, event, reader_);
        if (is_reading) found_.emplace(conjunction, i, match::event_key(change.keys, event));
      }
    }
    return found_.size() > before;
  }

 private:
  const filter::Filter& filter_;
  std::size_t source_count_ = 0;  // without keys
  bool has_keys_ = false;
  match::TextScorer reader_{{}, {}};
  std::set<std::tuple<std::uint32_t, std::size_t, std::string>> found_;  // and its key
};

}  // namespace

bool is_composite(const filter::Filter& filter) {
  return std::ranges::any_of(
      filter.normal_form().conjunctions,
      [](const filter::Conjunction& conjunction) { return conjunction.changes.size() > 1; });
}

std::vector<event::EventPtr> known_readings(const filter::Filter& filter,
                                            const std::shared_ptr<const engine::Gate>& gate,
                                            const RecentEvents& recent, std::uint64_t steps_max) {
  std::vector<event::EventPtr> readings;
  if (!filter.has_change() || !filter.text_sources().empty()) return readings;
  Search search(filter);
  std::uint64_t steps = 0;
  recent.for_each_newest(kKnownEventCountMax, [&](const event::EventPtr& event) {
    if (search.is_done() || (gate && !(*gate)(*event))) return;
    steps += match::evaluation_steps(filter, *event);
    if (steps_max > 0 && steps > steps_max) return;
    if (search.look_at(*event)) readings.push_back(event);
  });
  std::ranges::reverse(readings);
  return readings;
}

}  // namespace weir::broker
