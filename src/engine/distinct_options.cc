// SPDX-License-Identifier: Apache-2.0
#include "engine/distinct_options.h"

#include <string_view>

#include "match/event_key.h"

namespace weir::engine {

match::DistinctWindowOptions distinct_window_options(const filter::FilterPtr& filter,
                                                     const EngineOptions& limits) {
  const filter::Distinct& distinct = *filter->distinct();
  const double false_positives =
      distinct.false_positives_max.value_or(limits.distinct_false_positives);
  match::DistinctWindowOptions options = {.within = distinct.within,
                                          .refresh = distinct.refresh,
                                          .key_count_max = limits.distinct_key_count_max,
                                          .false_positives_max = false_positives,
                                          .seed = limits.hash_seed};
  if (distinct.verify && limits.find_event) {
    options.mode = match::DistinctMode::kVerified;
    options.confirm = [filter, find = limits.find_event](std::uint64_t sequence,
                                                         std::string_view key) {
      const event::EventPtr event = find(sequence);
      return event != nullptr && match::event_key(filter->distinct()->keys, *event) == key;
    };
  } else if (!distinct.exact && !distinct.verify && false_positives > 0) {
    options.mode = match::DistinctMode::kApproximate;
  }
  return options;
}

}  // namespace weir::engine
