// SPDX-License-Identifier: Apache-2.0
#include "match/fired_events.h"

#include <algorithm>
#include <utility>

namespace weir::match {

void Firings::deliver(FiredEvents& fired) {
  std::vector<HeldEventPtr> shown;
  for (Firing& firing : std::exchange(all_, {})) {
    std::erase_if(firing.events, [&](const HeldEventPtr& held) {
      return held->event == nullptr || (held->delivered && !firing.is_composite);
    });
    const bool has_news = std::ranges::any_of(
        firing.events, [](const HeldEventPtr& held) { return !held->delivered; });
    if (!has_news) continue;
    fired.is_group = fired.is_group || firing.is_composite;
    shown.insert(shown.end(), firing.events.begin(), firing.events.end());
  }
  std::ranges::sort(shown, {}, [](const HeldEventPtr& held) { return held->order; });
  const auto twice = std::ranges::unique(shown);
  shown.erase(twice.begin(), twice.end());
  for (const HeldEventPtr& held : shown) {
    fired.events.push_back({held->event, std::exchange(held->delivered, true)});
  }
}

}  // namespace weir::match
