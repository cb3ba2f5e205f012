// SPDX-License-Identifier: Apache-2.0
// Any text either does not parse, with a position, or has a canonical text that parses to the same
// expression, and evaluates without harm to a value of its static type.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "event/event_testing.h"
#include "filter/cesql/cesql.h"

namespace weir::filter::cesql {
namespace {

void check_evaluation(const Expression& expression, const event::Event& event) {
  const Evaluation evaluation = evaluate(expression, event);
  WEIR_CHECK(evaluation.errors.size() <= 1);
  if (const auto type = expression.static_type()) {
    WEIR_CHECK(type_of(evaluation.value) == *type);
  } else if (!evaluation.errors.empty()) {
    WEIR_CHECK(evaluation.value == CesqlValue(false));
  }
  const bool passed = evaluation.errors.empty() && evaluation.value == CesqlValue(true);
  WEIR_CHECK(passes(expression, event) == passed);
}

void check_text(std::string_view text) {
  static const event::EventPtr kPlain = event::event_of("{}");
  static const event::EventPtr kFull = event::event_of(
      R"({"subject":"潮位","time":"2024-02-29T23:59:59Z","a":"7","b":-1,"c":true,"d":"true"})");
  const auto parsed = parse(text);
  if (!parsed) {
    WEIR_CHECK(parsed.error().position.has_value());
    return;
  }
  const Expression& expression = **parsed;
  const std::string canonical = to_text(expression);
  WEIR_CHECK(canonical.size() <= 3 * text.size());
  const auto again = parse(canonical, {.text_bytes_max = 3 * CesqlLimits().text_bytes_max});
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(**again == expression);
  WEIR_CHECK(to_text(**again) == canonical);
  static_cast<void>(check_filter(expression).has_value());
  static_cast<void>(attributes_used(expression));
  check_evaluation(expression, *kPlain);
  check_evaluation(expression, *kFull);
}

}  // namespace
}  // namespace weir::filter::cesql

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::filter::cesql::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
