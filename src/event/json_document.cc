// SPDX-License-Identifier: Apache-2.0
#include "event/json_document.h"

#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "event/json_parser.h"

namespace weir::event {
namespace {

// A number too large or too small for a double becomes infinite or zero, as in every other reader.
Value number_value(std::string_view text, JsonKind kind) {
  const char* const end = text.data() + text.size();
  if (kind == JsonKind::kInteger) {
    std::int64_t integer = 0;
    if (std::from_chars(text.data(), end, integer).ec == std::errc()) return Value::of(integer);
  }
  double number = 0;
  if (std::from_chars(text.data(), end, number).ec == std::errc()) return Value::of(number);
  static const locale_t kNoLocale = newlocale(LC_ALL_MASK, "C", nullptr);
  return Value::of(strtod_l(std::string(text).c_str(), nullptr, kNoLocale));
}

}  // namespace

base::Result<JsonDocument> JsonDocument::parse(std::string_view text, const JsonLimits& limits) {
  auto prefix = parse_prefix(text, 0, limits);
  if (!prefix) return prefix.error();
  if (auto rest = expect_end(text, prefix->end_bytes); !rest) return rest.error();
  return std::move(prefix->document);
}

base::Result<void> JsonDocument::expect_end(std::string_view text, std::size_t offset_bytes) {
  const auto* const rest = std::find_if_not(text.begin() + offset_bytes, text.end(), is_json_space);
  if (rest == text.end()) return {};
  return base::Error{base::ErrorId::kJsonTrailingBytes,
                     "expected nothing after the value, found more bytes",
                     base::position_at(text, static_cast<std::size_t>(rest - text.begin()))};
}

base::Result<JsonDocument::Prefix> JsonDocument::parse_prefix(std::string_view text,
                                                              std::size_t offset_bytes,
                                                              const JsonLimits& limits) {
  Prefix prefix{};
  JsonParser parser(text, offset_bytes, limits, prefix.document);
  if (!parser.parse()) return parser.take_error();
  prefix.begin_bytes = parser.begin_bytes();
  prefix.end_bytes = parser.end_bytes();
  return prefix;
}

JsonRef JsonDocument::root() const { return {this, 0}; }

std::string JsonRef::excerpt() const {
  constexpr std::size_t kBytesMax = 60;
  const std::string_view all = raw();
  if (all.size() <= kBytesMax) return std::string(all);
  return fmt::format("{}...",
                     all.substr(0, base::utf8_valid_prefix_bytes(all.substr(0, kBytesMax))));
}

std::string_view JsonRef::unescaped() const {
  std::uint32_t length = 0;
  const char* const place = document_->unescaped_.data() + node().extra;
  std::memcpy(&length, place, sizeof length);
  return {place + sizeof length, length};
}

Value JsonRef::value() const {
  switch (kind()) {
    case JsonKind::kNull:
      return Value::of_kind(ValueKind::kNull);
    case JsonKind::kTrue:
      return Value::of(true);
    case JsonKind::kFalse:
      return Value::of(false);
    case JsonKind::kInteger:
    case JsonKind::kFraction:
      return number_value(raw(), kind());
    case JsonKind::kString:
      return Value::of(string());
    case JsonKind::kObject:
      return Value::of_kind(ValueKind::kObject);
    case JsonKind::kArray:
      return Value::of_kind(ValueKind::kArray);
  }
  return {};
}

JsonRef JsonRef::member(std::string_view name) const {
  if (kind() != JsonKind::kObject) return {};
  for (std::uint32_t i = index_ + 1; i < next(); i = at(i + 1).next()) {
    if (at(i).string() == name) return at(i + 1);
  }
  return {};
}

JsonRef JsonRef::element(std::size_t index) const {
  if (kind() != JsonKind::kArray) return {};
  for (std::uint32_t i = index_ + 1; i < next(); i = at(i).next()) {
    if (index-- == 0) return at(i);
  }
  return {};
}

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_compact(const JsonRef& value, std::string& out) {
  const char* separator = "";
  switch (value.kind()) {
    case JsonKind::kObject:
      out.push_back('{');
      value.for_each_member([&](const JsonRef& name, const JsonRef& member) {
        out += std::exchange(separator, ",");
        append_json_string(name.string(), out);
        out.push_back(':');
        append_compact(member, out);
      });
      out.push_back('}');
      break;
    case JsonKind::kArray:
      out.push_back('[');
      value.for_each_element([&](const JsonRef& element) {
        out += std::exchange(separator, ",");
        append_compact(element, out);
      });
      out.push_back(']');
      break;
    case JsonKind::kString:
      append_json_string(value.string(), out);
      break;
    default:
      out += value.raw();
  }
}

}  // namespace weir::event
