// SPDX-License-Identifier: Apache-2.0
// Any bytes are filters of a subscription or fail with a place inside them. What parses has a
// canonical text in the weir language that parses to an equal filter.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "event/event_testing.h"
#include "filter/dialects.h"
#include "filter/evaluate.h"
#include "filter/filter_testing.h"
#include "filter/normal_form.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string json(data, data + size);
  const auto parsed = weir::filter::parse_dialects(json);
  if (!parsed) {
    const weir::base::Error& error = parsed.error();
    WEIR_CHECK(!error.message.empty());
    WEIR_CHECK(!error.position || error.position->offset_bytes <= size);
    return 0;
  }
  const std::string text = to_text(*parsed->expr, parsed->distinct);
  // The canonical text of many filters, each within the limits, may be beyond them.
  const auto again =
      weir::filter::parse_weir(text, {.text_bytes_max = std::size_t{1} << 24U, .depth_max = 1000});
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(equal(again->expr, parsed->expr));
  WEIR_CHECK(again->distinct == parsed->distinct);

  const auto form = weir::filter::normalize(parsed->expr);
  if (!form || text.find("change(") != std::string::npos) return 0;
  static const weir::event::EventPtr kEvent = weir::event::event_of(
      R"({"type":"a","subject":"x","ext":7,"flag":true,"time":"2026-01-01T00:00:00Z",
          "data":{"x":1}})");
  weir::filter::FixedScorer scorer(1.5);
  WEIR_CHECK(evaluate(*parsed->expr, *kEvent, scorer) ==
             evaluate(*to_expr(*form), *kEvent, scorer));
  return 0;
}
