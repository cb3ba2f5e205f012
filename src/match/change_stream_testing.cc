// SPDX-License-Identifier: Apache-2.0
#include "match/change_stream_testing.h"

#include <fmt/format.h>

#include "base/check.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"

namespace weir::match {
namespace {

std::string ids(const FiredEvents& fired) {
  std::string out;
  for (const FiredEvent& one : fired.events) {
    out += (out.empty() ? "" : " ") + std::string(one.event->id()) + (one.repeated ? "*" : "");
  }
  return fired.is_group && fired.events.size() == 1 ? '[' + out + ']' : out;
}

}  // namespace

ChangeStream::ChangeStream(std::string_view text, ChangeOptions options)
    : ChangeStream(filter::filter_of(text), options) {}

ChangeStream::ChangeStream(filter::FilterPtr filter, ChangeOptions options)
    : filter_(std::move(filter)), change_(filter_, options), scorer_({}, {}) {
  const bool ready = scorer_.add(*filter_).has_value();
  WEIR_CHECK(ready);
}

std::string ChangeStream::publish(double seconds, std::string_view id, std::string_view members) {
  return publish(seconds, event::event_of(fmt::format(R"({{"id":"{}",{}}})", id, members)));
}

std::string ChangeStream::publish(double seconds, const event::EventPtr& event) {
  std::string late = advance(seconds);
  scorer_.begin(*event, at(seconds));
  FiredEvents fired;
  verdict = change_.update(holding(*filter_, *event, scorer_), event, at(seconds), scorer_, fired);
  const std::string now = ids(fired);
  return late.empty() || now.empty() ? late + now : late + ' ' + now;
}

void ChangeStream::learn(double seconds, std::string_view id, std::string_view members) {
  const auto event = event::event_of(fmt::format(R"({{"id":"{}",{}}})", id, members));
  change_.learn(holding(*filter_, *event, scorer_), event, at(seconds), scorer_);
}

std::string ChangeStream::begin(double seconds) {
  std::string out;
  for (const FiredEvents& fired : change_.begin(at(seconds), scorer_)) {
    out += (out.empty() ? "" : " | ") + ids(fired);
  }
  return out;
}

std::string ChangeStream::value(double seconds, std::string_view id, double number) {
  return publish(seconds, id, fmt::format(R"("data":{{"v":{}}})", number));
}

std::string ChangeStream::advance(double seconds) {
  FiredEvents fired;
  change_.advance(at(seconds), scorer_, fired);
  return ids(fired);
}

}  // namespace weir::match
