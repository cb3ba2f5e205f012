// SPDX-License-Identifier: Apache-2.0
#include "match/content_matcher.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match {

using content::DoorChoice;
using content::kNoId;
using content::RecordRef;

void ContentMatcher::add(SubscriptionId id, filter::FilterPtr filter) {
  index_.add_work(id, *filter);
  batch_.clear();
  compile(id, filter, batch_);
  place(batch_);
}

// Everything is known before anything is placed.
void ContentMatcher::add_all(std::span<const Addition> additions) {
  content::SpecBatch batch;
  for (const Addition& addition : additions) {
    index_.add_work(addition.id, *addition.filter);
    compile(addition.id, addition.filter, batch);
  }
  place_in_bulk(batch);
}

void ContentMatcher::compile(SubscriptionId id, const filter::FilterPtr& filter,
                             content::SpecBatch& batch) {
  index_.compile(id, filter, batch);
}

void ContentMatcher::place_in_bulk(content::SpecBatch& batch) {
  index_.begin_bulk(batch.conjunctions.size());
  place(batch);
  index_.end_bulk();
}

void ContentMatcher::place(content::SpecBatch& batch) {
  for (const auto& subscription : batch.subscriptions) {
    WEIR_CHECK(subscriptions_.add(subscription.id, place_one(batch, subscription)) != nullptr);
  }
}

// Records are linked from the first conjunction to the last.
RecordRef ContentMatcher::place_one(content::SpecBatch& batch,
                                    const content::SpecBatch::Subscription& subscription) {
  RecordRef record = kNoId;
  for (std::size_t i = subscription.conjunction_count; i > 0; --i) {
    auto& conjunction = batch.conjunctions[subscription.conjunctions_begin + i - 1];
    const auto number = static_cast<std::uint32_t>(i - 1);
    record = index_.add({.match = {subscription.id, subscription.has_change ? number : 0},
                         .tests = batch.tests_of(conjunction),
                         .extra = std::move(conjunction.extra),
                         .next = record});
  }
  return record != kNoId ? record : index_.add_empty(subscription.id);
}

void ContentMatcher::remove_records(RecordRef first) {
  while (first != kNoId) first = index_.remove(first);
}

bool ContentMatcher::remove(SubscriptionId id) {
  const std::optional<RecordRef> record = subscriptions_.remove(id);
  if (record) remove_records(*record);
  index_.remove_work(id);
  return record.has_value();
}

// The new one is compiled before the old one goes, so that what both speak of stays.
bool ContentMatcher::update(SubscriptionId id, filter::FilterPtr filter) {
  const RecordRef* const place = subscriptions_.find(id);
  if (place == nullptr) return false;
  index_.records().prefetch(*place);
  batch_.clear();
  compile(id, filter, batch_);
  replace(batch_);
  index_.remove_work(id);
  index_.add_work(id, *filter);
  return true;
}

// What others of the batch need is asked for some steps ahead: where their records are, and then
// the records.
void ContentMatcher::replace(content::SpecBatch& batch) {
  constexpr std::size_t kAhead = 8;
  const auto& subscriptions = batch.subscriptions;
  for (std::size_t i = 0; i < subscriptions.size(); ++i) {
    if (i + 2 * kAhead < subscriptions.size()) {
      subscriptions_.prefetch(subscriptions[i + 2 * kAhead].id);
    }
    if (i + kAhead < subscriptions.size()) prefetch_record(subscriptions[i + kAhead].id);
    RecordRef* const place = subscriptions_.find(subscriptions[i].id);
    WEIR_CHECK(place != nullptr);
    remove_records(*place);
    *place = place_one(batch, subscriptions[i]);
  }
}

void ContentMatcher::prefetch_record(SubscriptionId id) {
  const RecordRef* const record = subscriptions_.find(id);
  if (record != nullptr) index_.records().prefetch(*record);
}

void ContentMatcher::match(const event::Event& event, filter::Scorer& scorer,
                           std::vector<Match>& matches) {
  const std::size_t first = matches.size();
  index_.match(event, scorer, matches);
  // A filter without change terms is reported once: all its conjunctions report the same.
  sort_.sort(matches, first);
}

MatchSizes ContentMatcher::sizes() const {
  using Kind = DoorChoice::Kind;
  return {.conjunctions = index_.records().size(),
          .by_point = index_.count_by_point(),
          .by_range = index_.count(Kind::kTest) - index_.count_by_point(),
          .by_door = index_.count(Kind::kExtra),
          .unindexed = index_.count(Kind::kUnindexed),
          .always = index_.count(Kind::kAlways),
          .never = index_.count(Kind::kNever),
          .operands = index_.vocabulary().operands().slot_count(),
          .points = index_.vocabulary().points().point_count()};
}

std::size_t ContentMatcher::memory_bytes() const {
  return sizeof *this + index_.memory_bytes() + subscriptions_.memory_bytes() +
         sort_.memory_bytes() + base::heap_bytes(batch_.tests) +
         base::heap_bytes(batch_.conjunctions) + base::heap_bytes(batch_.subscriptions);
}

}  // namespace weir::match
