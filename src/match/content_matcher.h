// SPDX-License-Identifier: Apache-2.0
// ContentMatcher: reaches each conjunction through its rarest predicate, checks the rest.
//
//   filter -> conjunctions -> tests of codes, and what is not that simple     (spec_compiler)
//   event  -> codes and points                                               (event_values)
//          -> rows by the doors they lead to -> signatures -> records -> matches
//
//   content/vocabulary     what filters speak of     content/placement     doors, buckets, rows
//   content/codes          values as small numbers   content/row_store     rows and signatures
//   content/record_store   the conjunctions          content/content_index all of it together
//
// Costs what the event's values reach. A conjunction of two to five comparisons takes about 60
// bytes, besides the filter itself, which only those keep that need it: for text, CESQL, like,
// lists and the like. Adding, removing and replacing take one or two microseconds and nothing stops
// for them. A conjunction of negations, text or CESQL functions alone is unindexed: it is tried on
// every event. A filter that is always true costs one append.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloom/isa.h"
#include "match/content/content_index.h"
#include "match/content/match_sort.h"
#include "match/matcher.h"
#include "match/subscription_map.h"

namespace weir::match {

class ContentMatcher final : public Matcher {
 public:
  // Costly filters are paid for by whom the meter names; without one no work is counted.
  explicit ContentMatcher(bloom::Isa isa = bloom::best_isa(), const WorkMeter* meter = nullptr)
      : index_(isa, meter) {}
  ContentMatcher(const ContentMatcher&) = delete;
  ContentMatcher& operator=(const ContentMatcher&) = delete;
  ~ContentMatcher() override = default;

  void add(SubscriptionId id, filter::FilterPtr filter) override;
  void add_all(std::span<const Addition> additions) override;
  bool remove(SubscriptionId id) override;
  bool update(SubscriptionId id, filter::FilterPtr filter) override;
  std::size_t size() const override { return subscriptions_.size(); }
  void match(const event::Event& event, filter::Scorer& scorer,
             std::vector<Match>& matches) override;
  std::size_t memory_bytes() const override;

  // The two halves of adding: first compile all, then place them.
  void compile(SubscriptionId id, const filter::FilterPtr& filter, content::SpecBatch& batch);
  // Requires ids that are not in use. Takes the extras of the batch.
  void place(content::SpecBatch& batch);
  void place_in_bulk(content::SpecBatch& batch);
  // The same in place of what the subscriptions were. Requires ids that are in use.
  void replace(content::SpecBatch& batch);

  const MatchCounters& counters() const override { return index_.counters(); }
  MatchSizes sizes() const override;

 private:
  content::RecordRef place_one(content::SpecBatch& batch,
                               const content::SpecBatch::Subscription& subscription);
  void remove_records(content::RecordRef first);
  void prefetch_record(SubscriptionId id);

  content::ContentIndex index_;
  SubscriptionMap<content::RecordRef> subscriptions_;  // the first record of each
  content::MatchSort sort_;
  content::SpecBatch batch_;  // of the filter at hand
};

}  // namespace weir::match
