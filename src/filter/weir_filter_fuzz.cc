// SPDX-License-Identifier: Apache-2.0
// Any text parses or fails with a place inside it. What parses has a canonical text that parses to
// an equal filter, and a normal form that says of an event what the tree says.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "event/event_testing.h"
#include "filter/evaluate.h"
#include "filter/filter_testing.h"
#include "filter/normal_form.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

namespace {

using weir::event::EventPtr;
using weir::filter::FilterLimits;
using weir::filter::Parsed;

const std::vector<EventPtr>& events() {
  static const std::vector<EventPtr> kEvents = {
      weir::event::event_of("{}"),
      weir::event::event_of(
          R"({"type":"quote","source":"/nyse","subject":"INTC","time":"2026-01-01T00:00:00Z",
              "a":1,"b":true,"in":"x","data":{"price":20.5,"symbol":"INTC","x":5,"s":"größe",
              "n":null,"o":{"y":[1,2]},"list":[1,"a",null]}})"),
      weir::event::event_of(R"({"data_base64":"AAEC"})")};
  return kEvents;
}

// Canonical texts have blanks and nots that the original may lack.
FilterLimits generous() { return {.text_bytes_max = std::size_t{1} << 24U, .depth_max = 1000}; }

void check_canonical(const Parsed& parsed) {
  const std::string text = to_text(*parsed.expr, parsed.distinct);
  const auto again = weir::filter::parse_weir(text, generous());
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(equal(again->expr, parsed.expr));
  WEIR_CHECK(again->distinct == parsed.distinct);
  WEIR_CHECK(to_text(*again->expr, again->distinct) == text);
}

void check_normal_form(const Parsed& parsed) {
  const auto form = weir::filter::normalize(parsed.expr);
  // A change term has no value of its own, so what looks like one is left alone.
  if (!form || to_text(*parsed.expr).find("change(") != std::string::npos) return;
  const auto normal = to_expr(*form);
  weir::filter::FixedScorer scorer(1.5);
  for (const EventPtr& event : events()) {
    WEIR_CHECK(evaluate(*parsed.expr, *event, scorer) == evaluate(*normal, *event, scorer));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto parsed = weir::filter::parse_weir(text);
  if (!parsed) {
    const weir::base::Error& error = parsed.error();
    WEIR_CHECK(!error.message.empty());
    WEIR_CHECK(!error.position || error.position->offset_bytes <= size);
    return 0;
  }
  check_canonical(*parsed);
  check_normal_form(*parsed);
  return 0;
}
