// SPDX-License-Identifier: Apache-2.0
#include "cli/warning_output.h"

#include <fmt/format.h>

#include <string>

#include "cli/text_output.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

struct Told {
  std::string_view name;
  std::string_view message;
  std::size_t line = 0;
  std::size_t column = 0;
};

std::string to_text(const Told& told, std::string_view what, std::string_view text) {
  return fmt::format("weir: warning: {}: line {}, column {}: {} ({})\n{}", what, told.line,
                     told.column, printable(told.message), printable(told.name),
                     excerpt(text, told.line, told.column));
}

std::string to_json(const Told& told) {
  std::string out = R"({"warning":)";
  event::JsonObject object(out);
  object.member("name", told.name);
  object.member("message", told.message);
  object.member("line", told.line);
  object.member("column", told.column);
  object.close();
  return out + "}\n";
}

std::string_view string_of(const JsonRef& value) {
  return value && value.kind() == JsonKind::kString ? value.string() : "";
}

// The member if it is a number that is not negative, else what it is if it is absent.
std::size_t number_of(const JsonRef& object, std::string_view name, std::size_t absent) {
  const JsonRef value = object ? object.member(name) : JsonRef();
  if (!value || value.kind() != JsonKind::kInteger) return absent;
  const event::Value number = value.value();
  const bool fits = number.kind() == event::ValueKind::kInt && number.as_int() >= 0;
  return fits ? static_cast<std::size_t>(number.as_int()) : absent;
}

}  // namespace

void tell_warnings(std::span<const filter::Warning> warnings, std::string_view text, bool json,
                   Output& err) {
  for (const filter::Warning& warning : warnings) {
    const Told told{.name = warning.name(),
                    .message = warning.message,
                    .line = warning.position.line,
                    .column = warning.position.column};
    err.append(json ? to_json(told) : to_text(told, "filter", text));
  }
  err.flush();
}

void tell_warnings(const JsonRef& answer, std::string_view document, Output& err) {
  const JsonRef warnings = answer.member("warnings");
  if (!warnings || warnings.kind() != JsonKind::kArray) return;
  warnings.for_each_element([&](const JsonRef& one) {
    const JsonRef position = one.member("position");
    const Told told{.name = string_of(one.member("name")),
                    .message = string_of(one.member("message")),
                    .line = number_of(position, "line", 1),
                    .column = number_of(position, "column", 1)};
    const std::string what = fmt::format("filters[{}]", number_of(one, "filter", 0));
    err.append(to_text(told, what, document));
  });
  err.flush();
}

}  // namespace weir::cli
