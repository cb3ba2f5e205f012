// SPDX-License-Identifier: Apache-2.0
#include "server/warning_json.h"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.h"
#include "event/json_writer.h"
#include "server/problem.h"

namespace weir::server {
namespace {

constexpr std::size_t kFieldBytesMax = 1024;

void append_warning(const broker::DefinitionWarning& placed, std::string_view message,
                    std::string& out) {
  event::JsonObject object(out);
  object.member("name", placed.warning.name());
  object.member("message", message);
  object.name("position");
  append_position(placed.warning.position, out);
  object.member("filter", placed.filter_index);
  object.close();
}

void append_escape(std::uint32_t unit, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

// The same JSON in visible ASCII.
std::string to_ascii(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const base::CodePoint point = base::decode_utf8(json);
    if (point.length_bytes == 1 && point.value < 0x7F) {
      out += json.front();
    } else if (point.value < 0x10000) {
      append_escape(point.length_bytes == 0 ? 0xFFFD : point.value, out);
    } else {
      append_escape(0xD800 + ((point.value - 0x10000) >> 10U), out);
      append_escape(0xDC00 + ((point.value - 0x10000) & 0x3FFU), out);
    }
    json.remove_prefix(std::max<std::size_t>(point.length_bytes, 1));
  }
  return out;
}

}  // namespace

void append_warnings(Warnings warnings, std::string& out) {
  out += '[';
  for (const broker::DefinitionWarning& warning : warnings) {
    if (&warning != &warnings.front()) out += ',';
    append_warning(warning, warning.warning.message, out);
  }
  out += ']';
}

std::vector<std::string> warning_fields(Warnings warnings) {
  std::vector<std::string> fields;
  for (const broker::DefinitionWarning& warning : warnings) {
    std::string json;
    if (fields.size() + 1 == kWarningFieldCountMax && warnings.size() > kWarningFieldCountMax) {
      event::JsonObject object(json);
      object.member("name", "more");
      object.member("message", fmt::format("{} more warnings; weir check shows all of them",
                                           warnings.size() - fields.size()));
      object.close();
      fields.push_back(std::move(json));
      break;
    }
    append_warning(warning, base::utf8_prefix(warning.warning.message, kFieldBytesMax), json);
    fields.push_back(to_ascii(json));
  }
  return fields;
}

}  // namespace weir::server
