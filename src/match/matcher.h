// SPDX-License-Identifier: Apache-2.0
// Matcher: which subscriptions an event concerns, by the stateless parts of their filters.
//
// Every implementation reports exactly what brute_force reports. Single-threaded.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/strong_id.h"
#include "event/event.h"
#include "filter/evaluate.h"
#include "filter/filter.h"

namespace weir::match {

using SubscriptionId = base::StrongId<struct SubscriptionTag>;

struct Match {
  SubscriptionId subscription;
  // Index of the conjunction in the filter's normal form; 0 for a filter without change terms,
  // which is reported once, however many of its conjunctions hold.
  std::uint32_t conjunction = 0;

  auto operator<=>(const Match&) const = default;
};

class Matcher {
 public:
  virtual ~Matcher() = default;

  // Requires an id that is not in use.
  virtual void add(SubscriptionId id, filter::FilterPtr filter) = 0;
  // False if there is no such subscription.
  virtual bool remove(SubscriptionId id) = 0;
  virtual std::size_t size() const = 0;

  // Appends the matches, ascending. For a filter with change terms: each conjunction whose
  // stateless part holds. The scorer answers for the text predicates.
  virtual void match(const event::Event& event, filter::Scorer& scorer,
                     std::vector<Match>& matches) = 0;
};

}  // namespace weir::match
