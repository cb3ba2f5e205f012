// SPDX-License-Identifier: Apache-2.0
// ChangeStream: one subscription with change terms, fed by hand; what it delivers is told by the
// events' ids, with an asterisk behind those that are repeated. A composite's delivery of one event
// is put into brackets.
//
//   ChangeStream stream("change(data.v) > 2");
//   EXPECT_EQ(stream.value(0, "a", 10), "a");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "event/event.h"
#include "match/change_filter.h"
#include "match/text_scorer.h"

namespace weir::match {

class ChangeStream {
 public:
  explicit ChangeStream(std::string_view text, ChangeOptions options = {});
  explicit ChangeStream(filter::FilterPtr filter, ChangeOptions options = {});

  static base::Instant at(double seconds) { return {static_cast<std::int64_t>(seconds * 1e9)}; }

  // Delivers what is due, then the event; `members` are those of its JSON text but for the id.
  std::string publish(double seconds, std::string_view id, std::string_view members);
  std::string publish(double seconds, const event::EventPtr& event);
  // The same with one number, data.v.
  std::string value(double seconds, std::string_view id, double number);
  std::string advance(double seconds);
  // An event from before the subscription.
  void learn(double seconds, std::string_view id, std::string_view members);
  // The deliveries that are made at once; `|` between two deliveries.
  std::string begin(double seconds);

  const ChangeFilter& change() const { return change_; }
  ChangeFilter& change() { return change_; }
  TextScorer& scorer() { return scorer_; }

  ChangeVerdict verdict = ChangeVerdict::kNoReading;  // of the last event

 private:
  filter::FilterPtr filter_;
  ChangeFilter change_;
  TextScorer scorer_;
};

}  // namespace weir::match
