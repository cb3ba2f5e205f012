// SPDX-License-Identifier: Apache-2.0
#include "match/change_stream_testing.h"

#include <fmt/format.h>

#include "base/check.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"

namespace weir::match {
namespace {

std::string ids(const std::vector<event::EventPtr>& events) {
  std::string out;
  for (const auto& event : events) out += (out.empty() ? "" : " ") + std::string(event->id());
  return out;
}

}  // namespace

ChangeStream::ChangeStream(std::string_view text, ChangeOptions options)
    : filter_(filter::filter_of(text)), change_(filter_, options), scorer_({}, {}) {
  const bool ready = scorer_.add(*filter_).has_value();
  WEIR_CHECK(ready);
}

std::string ChangeStream::publish(double seconds, std::string_view id, std::string_view members) {
  return publish(seconds, event::event_of(fmt::format(R"({{"id":"{}",{}}})", id, members)));
}

std::string ChangeStream::publish(double seconds, const event::EventPtr& event) {
  std::vector<event::EventPtr> delivered;
  change_.advance(at(seconds), scorer_, delivered);
  scorer_.begin(*event, at(seconds));
  std::vector<std::uint32_t> conjunctions;
  const auto& all = filter_->normal_form().conjunctions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (holds(all[i], *event, scorer_)) conjunctions.push_back(i);
  }
  verdict = change_.update(conjunctions, event, at(seconds), scorer_, delivered);
  return ids(delivered);
}

std::string ChangeStream::value(double seconds, std::string_view id, double number) {
  return publish(seconds, id, fmt::format(R"("data":{{"v":{}}})", number));
}

std::string ChangeStream::advance(double seconds) {
  std::vector<event::EventPtr> delivered;
  change_.advance(at(seconds), scorer_, delivered);
  return ids(delivered);
}

}  // namespace weir::match
