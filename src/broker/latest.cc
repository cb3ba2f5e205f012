// SPDX-License-Identifier: Apache-2.0
#include "broker/latest.h"

#include <algorithm>
#include <set>
#include <variant>

#include "base/check.h"
#include "match/brute_force.h"
#include "match/change_memory.h"
#include "match/event_key.h"
#include "match/text_scorer.h"

namespace weir::broker {
namespace {

// Of each key the newest, oldest first.
std::vector<event::EventPtr> newest_readings(const filter::Conjunction& conjunction,
                                             const std::shared_ptr<const engine::Gate>& gate,
                                             const RecentEvents& recent) {
  const auto& change = std::get<filter::Change>(*conjunction.changes.front()->predicate());
  match::TextScorer reader({}, {});
  std::set<std::string> keys;
  std::vector<event::EventPtr> readings;
  recent.for_each_newest(kLatestEventCountMax, [&](const event::EventPtr& event) {
    const bool is_reading =
        match::holds(conjunction, *event, reader) && (!gate || (*gate)(*event)) &&
        (!change.condition || filter::evaluate(*change.condition, *event, reader)) &&
        match::sample_of(change, *event, reader);
    if (!is_reading) return;
    if (keys.insert(match::event_key(change.keys, *event)).second) readings.push_back(event);
  });
  std::ranges::reverse(readings);
  return readings;
}

}  // namespace

Latest latest_of(const filter::FilterPtr& filter, const std::shared_ptr<const engine::Gate>& gate,
                 const RecentEvents& recent, const engine::EngineOptions& options,
                 base::Instant now) {
  const auto& conjunctions = filter->normal_form().conjunctions;
  const bool is_one = conjunctions.size() == 1 && conjunctions[0].changes.size() == 1;
  if (!is_one || !filter->text_sources().empty()) return {};
  const auto readings = newest_readings(conjunctions[0], gate, recent);
  if (readings.empty()) return {};
  engine::Engine alone(options);
  const auto id = alone.subscribe(filter);
  WEIR_CHECK(id.has_value());
  Latest latest;
  for (const event::EventPtr& reading : readings) {
    for (const engine::Delivery& delivery : alone.publish(reading, now)) {
      latest.events.insert(latest.events.end(), delivery.events.begin(), delivery.events.end());
    }
  }
  latest.state = *alone.save(*id);
  return latest;
}

}  // namespace weir::broker
