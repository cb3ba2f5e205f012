// SPDX-License-Identifier: Apache-2.0
#include "server/event_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "event/event_builder.h"
#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::string_view kPrefix = "ce-";

Error header_error(std::string message) {
  return {ErrorId::kHttpEventHeader, std::move(message), std::nullopt};
}

Error media_error(std::string message) {
  return {ErrorId::kHttpMediaType, std::move(message), std::nullopt};
}

struct ContentType {
  bool given = false;
  std::string_view text;
  MediaType media;
};

base::Result<ContentType> content_type_of(std::span<const Field> fields) {
  ContentType result;
  for (const Field& field : fields) {
    if (!equals_in_any_case(field.name, "content-type")) continue;
    if (result.given) return media_error("the header Content-Type is given twice");
    auto media = parse_media_type(field.value);
    if (!media) return media_error("Content-Type is not a media type");
    result = {.given = true, .text = trim(field.value), .media = std::move(*media)};
  }
  return result;
}

// Takes away the quotes and the backslashes before quoted characters.
base::Result<std::string> unquote(std::string_view name, std::string_view value) {
  std::string result;
  value = value.substr(1, value.size() - 2);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '"') {
      return header_error(fmt::format("the header {} has a quote inside its quotes", name));
    }
    if (value[i] == '\\' && ++i == value.size()) {
      return header_error(fmt::format("the header {} ends in a backslash", name));
    }
    result += value[i];
  }
  return result;
}

struct NamedText {
  std::string name;
  std::string text;
};

base::Result<std::string> attribute_name(std::string_view header) {
  std::string name = to_lower(header.substr(kPrefix.size()));
  const bool plain = std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  if (name.empty() || !plain) {
    return header_error(
        fmt::format("the header {} does not name an attribute: letters and digits", header));
  }
  if (name == "datacontenttype") {
    return header_error(
        "expected no header ce-datacontenttype: that attribute is the header Content-Type");
  }
  if (name == "data") return header_error("the data of an event is the body, not a header");
  return name;
}

base::Result<std::vector<NamedText>> attributes_of(std::span<const Field> fields) {
  std::vector<NamedText> attributes;
  for (const Field& field : fields) {
    if (!starts_with_in_any_case(field.name, kPrefix)) continue;
    auto name = attribute_name(field.name);
    if (!name) return name.error();
    if (std::ranges::find(attributes, *name, &NamedText::name) != attributes.end()) {
      return header_error(fmt::format("the header {} is given twice", field.name));
    }
    auto text = decode_event_header(field.name, field.value);
    if (!text) return text.error();
    attributes.push_back({std::move(*name), std::move(*text)});
  }
  return attributes;
}

base::Result<void> check_specversion(const std::vector<NamedText>& attributes) {
  if (attributes.empty()) {
    return header_error(
        "expected an event: headers ce-specversion, ce-id, ce-source and ce-type, or the "
        "Content-Type application/cloudevents+json or application/cloudevents-batch+json");
  }
  const auto found = std::ranges::find(attributes, "specversion", &NamedText::name);
  if (found == attributes.end()) {
    return Error{ErrorId::kEventMissingAttribute, "expected the header ce-specversion", {}};
  }
  if (found->text != "1.0") {
    return Error{ErrorId::kEventSpecversion, "expected 1.0 in the header ce-specversion", {}};
  }
  return {};
}

bool is_utf8(std::string_view text) { return base::utf8_valid_prefix_bytes(text) == text.size(); }

void add_data(const ContentType& type, std::string_view body, event::EventBuilder& builder) {
  const std::string& charset = type.media.charset;
  const bool is_unicode = charset.empty() || charset == "utf-8" || charset == "us-ascii";
  if (type.given && type.media.is_json() && is_unicode) {
    builder.data_json(body);
  } else if (type.given && type.media.type == "text" && is_unicode && is_utf8(body)) {
    std::string text;
    event::append_json_string(body, text);
    builder.data_json(text);
  } else {
    builder.data_bytes(body);
  }
}

}  // namespace

base::Result<ContentMode> content_mode(std::span<const Field> fields) {
  const auto type = content_type_of(fields);
  if (!type) return type.error();
  const MediaType& media = type->media;
  if (media.type != "application" || !media.subtype.starts_with("cloudevents")) {
    return ContentMode::kBinary;
  }
  const bool is_batch = media.subtype == "cloudevents-batch+json";
  if (!is_batch && media.subtype != "cloudevents+json") {
    return media_error(
        fmt::format("events are read in the JSON format, not as {}/{}", media.type, media.subtype));
  }
  if (!media.charset.empty() && media.charset != "utf-8") {
    return media_error(fmt::format("events are read in utf-8, not in {}", media.charset));
  }
  return is_batch ? ContentMode::kBatch : ContentMode::kStructured;
}

base::Result<event::EventPtr> decode_binary_event(std::span<const Field> fields,
                                                  std::string_view body,
                                                  const event::EventLimits& limits) {
  const auto attributes = attributes_of(fields);
  if (!attributes) return attributes.error();
  if (auto checked = check_specversion(*attributes); !checked) return checked.error();
  const auto type = content_type_of(fields);
  if (!type) return type.error();

  event::EventBuilder builder;
  for (const NamedText& attribute : *attributes) {
    if (attribute.name != "specversion") builder.attribute(attribute.name, attribute.text);
  }
  if (type->given) builder.attribute("datacontenttype", type->text);
  if (!body.empty()) add_data(*type, body, builder);
  auto event = builder.build(limits);
  if (event) return event;
  // The text that was built is not the sender's: tell a place in the body, or none.
  if (type->given && type->media.is_json() && !body.empty()) {
    const auto data = event::JsonDocument::parse(body, limits.json);
    if (!data) return data.error();
  }
  event.error().position.reset();
  return event;
}

base::Result<std::string> decode_event_header(std::string_view name, std::string_view value) {
  value = trim(value);
  std::string unquoted(value);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    auto inside = unquote(name, value);
    if (!inside) return inside.error();
    unquoted = std::move(*inside);
  }
  auto decoded = percent_decode(unquoted);
  if (!decoded) {
    return header_error(
        fmt::format("in the header {} a '%' is not followed by two hexadecimal digits", name));
  }
  if (!is_utf8(*decoded)) {
    return header_error(fmt::format("the header {} is not UTF-8", name));
  }
  return *std::move(decoded);
}

std::string encode_event_header(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c > ' ' && c < '\x7f' && c != '"' && c != '%') {
      result += c;
    } else {
      fmt::format_to(std::back_inserter(result), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace weir::server
