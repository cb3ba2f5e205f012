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
#include "event/padded_text.h"

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
  if (auto fits = JsonParser::check_length(text, limits); !fits) return fits.error();
  const PaddedText padded(text);
  JsonParser parser(padded, limits.depth_max);
  if (!parser.parse(offset_bytes)) return parser.take_error();
  return Prefix{parser.document_over(text), parser.begin_bytes(), parser.end_bytes()};
}

JsonDocument::JsonDocument(std::span<const JsonNode> nodes, std::string_view unescaped,
                           std::string_view text, Text text_use) {
  const std::size_t copied_bytes = text_use == Text::kCopy ? text.size() : 0;
  block_ = std::make_unique_for_overwrite<std::byte[]>(nodes.size_bytes() + unescaped.size() +
                                                       copied_bytes);
  std::byte* at = block_.get();
  const auto append = [&at](const void* bytes, std::size_t count) {
    if (count > 0) std::memcpy(at, bytes, count);
    return std::exchange(at, at + count);
  };
  nodes_ = reinterpret_cast<const JsonNode*>(append(nodes.data(), nodes.size_bytes()));
  unescaped_ = reinterpret_cast<const char*>(append(unescaped.data(), unescaped.size()));
  const auto* const copy = reinterpret_cast<const char*>(append(text.data(), copied_bytes));
  text_ = text_use == Text::kCopy ? std::string_view(copy, copied_bytes) : text;
}

JsonRef JsonDocument::root() const { return {this, nodes_}; }

std::string_view JsonDocument::unescaped_at(std::uint32_t place) const {
  return length_prefixed(unescaped_ + place);
}

Value JsonRef::other_value() const {
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
  const JsonNode* const end = next();
  for (const JsonNode* here = node_ + 1; here != end; here = at(here + 1).next()) {
    if (at(here).string() == name) return at(here + 1);
  }
  return {};
}

JsonRef JsonRef::element(std::size_t index) const {
  if (kind() != JsonKind::kArray) return {};
  const JsonNode* const end = next();
  for (const JsonNode* here = node_ + 1; here != end; here = at(here).next()) {
    if (index-- == 0) return at(here);
  }
  return {};
}

std::string_view length_prefixed(const char* at) {
  std::uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  return {at + sizeof length, length};
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kBytesMax = 60;
  if (text.size() <= kBytesMax) return std::string(text);
  return fmt::format("{}...", base::utf8_prefix(text, kBytesMax));
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
