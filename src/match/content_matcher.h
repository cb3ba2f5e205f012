// SPDX-License-Identifier: Apache-2.0
// ContentMatcher: reaches each conjunction through its most selective predicate, checks the rest.
//
//   event -> values in slots -> candidates by access -> checks, cheap and selective first ->
//   matches
//
//   content/operand_table   which places of events filters look at      content/access   how a
//   content/event_values    what one event has there                    predicate is reached
//   content/point_index     the values that filters compare with        content/check    the other
//   content/interval_index  the ranges                                  terms, compiled
//   content/access_index    from the event to the candidates
//
// Costs what the event's values reach: with 10 000 filters on quotes, `type = 'quote' and
// data.symbol = 'S123' and data.price > 20.5`, about a microsecond per event. A conjunction of
// negations, text or CESQL alone is unindexed: it is checked on every event. Adding and removing
// take one to three microseconds. About 250 bytes per conjunction, besides the filter itself.
//
// The access is chosen when a subscription is added, by what the filters so far ask for.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "match/content/access_index.h"
#include "match/content/check.h"
#include "match/content/event_values.h"
#include "match/content/ids.h"
#include "match/content/operand_table.h"
#include "match/content/point_index.h"
#include "match/matcher.h"

namespace weir::match {

// Since the matcher was made.
struct ContentCounters {
  std::uint64_t events = 0;
  std::uint64_t candidates = 0;  // conjunctions that were reached
  std::uint64_t checks = 0;      // terms that were checked on them
  std::uint64_t matches = 0;     // conjunctions that hold
};

// What is there now.
struct ContentSizes {
  std::size_t conjunctions = 0;
  std::size_t by_point = 0;  // conjunctions by their access
  std::size_t by_prefix = 0;
  std::size_t by_range = 0;
  std::size_t by_presence = 0;
  std::size_t unindexed = 0;
  std::size_t operands = 0;
  std::size_t points = 0;

  bool operator==(const ContentSizes&) const = default;
};

class ContentMatcher final : public Matcher {
 public:
  ContentMatcher() : values_(operands_, points_), index_(operands_, points_) {}
  ContentMatcher(const ContentMatcher&) = delete;
  ContentMatcher& operator=(const ContentMatcher&) = delete;
  ~ContentMatcher() override = default;

  void add(SubscriptionId id, filter::FilterPtr filter) override;
  bool remove(SubscriptionId id) override;
  std::size_t size() const override { return subscriptions_.size(); }
  void match(const event::Event& event, filter::Scorer& scorer,
             std::vector<Match>& matches) override;

  const ContentCounters& counters() const { return counters_; }
  ContentSizes sizes() const;

 private:
  // One cache line. The first check lies inline: most candidates fail there.
  struct alignas(64) Conjunction {
    Match match = {};
    std::uint32_t rest_count = 0;
    content::Check first = {};
    std::unique_ptr<content::Check[]> rest = {};
  };
  struct Place {
    content::ConjunctionId id;
    std::uint32_t access_term;  // which term it is reached through; kNoId: none
  };
  struct Subscription {
    filter::FilterPtr filter;
    std::vector<Place> places;  // of its conjunctions, in order
  };
  struct IdHash {
    using is_avalanching = void;
    std::size_t operator()(SubscriptionId id) const {
      return static_cast<std::size_t>(base::Prng(id.value).next());
    }
  };
  struct CompiledTerm;

  Place add_conjunction(const filter::Conjunction& conjunction, Match match);
  void remove_conjunction(const filter::Conjunction& conjunction, const Place& place);
  CompiledTerm compile(const filter::Term& term);
  void release(const filter::Term& term);
  content::Access access_of(const filter::Term& term) const;
  void store(content::ConjunctionId id, Match match, std::vector<CompiledTerm> terms);
  bool holds(const Conjunction& conjunction, filter::Scorer& scorer);

  content::OperandTable operands_;
  content::PointIndex points_;
  content::EventValues values_;
  content::AccessIndex index_;
  std::vector<Conjunction> conjunctions_;
  std::vector<content::ConjunctionId> free_;
  boost::unordered_flat_map<SubscriptionId, Subscription, IdHash> subscriptions_;
  std::vector<content::ConjunctionId> candidates_;  // of the event at hand
  ContentCounters counters_;
};

}  // namespace weir::match
