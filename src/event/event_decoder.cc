// SPDX-License-Identifier: Apache-2.0
#include "event/event_decoder.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "event/base64.h"
#include "event/event_rules.h"
#include "event/json_parser.h"

namespace weir::event {
namespace {

using base::ErrorId;

std::string_view describe(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return "a boolean";
    case JsonKind::kInteger:
      return "an integer";
    case JsonKind::kFraction:
      return "a number with fraction or exponent";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "an array";
  }
  return "something else";
}

}  // namespace

bool EventDecoder::read(std::size_t offset_bytes) {
  JsonParser parser(text_, limits_.json.depth_max);
  if (!parser.parse(offset_bytes)) {
    error_ = parser.take_error(positions_);
    return false;
  }
  begin_bytes_ = parser.begin_bytes();
  end_bytes_ = parser.end_bytes();
  event_ = std::make_shared<Event>(Event::Key(), parser.document_with_copy());
  return true;
}

base::Result<EventPtr> EventDecoder::decode() {
  if (!members() || !required()) return take_error();
  return EventPtr(std::move(event_));
}

bool EventDecoder::members() {
  const JsonRef root = event_->document_.root();
  if (root.kind() != JsonKind::kObject) {
    return fail(ErrorId::kEventNotAnObject, root,
                fmt::format("expected an event as a JSON object, found {}", describe(root.kind())));
  }
  event_->attributes_.reserve(8);
  bool ok = true;
  root.for_each_member(
      [&](const JsonRef& name, const JsonRef& value) { ok = ok && member(name, value); });
  return ok;
}

inline bool EventDecoder::member(const JsonRef& name_ref, const JsonRef& value) {
  const std::string_view name = name_ref.string();
  const CoreAttribute core = core_attribute(name);
  if (core == CoreAttribute::kNone) {
    if (name == "data") return data(name_ref, value);
    if (name == "data_base64") return data_base64(name_ref, value);
    if (!extension_name(name_ref)) return false;
  }
  if (value.kind() == JsonKind::kNull) return true;
  if (event_->attributes_.size() >= limits_.attribute_count_max) {
    return fail(ErrorId::kEventTooManyAttributes, name_ref,
                fmt::format("an event has at most {} attributes", limits_.attribute_count_max));
  }
  Attribute& here = event_->attributes_.emplace_back();
  here.name = name;
  if (core != CoreAttribute::kNone) {
    event_->core_index_[static_cast<std::size_t>(core)] =
        static_cast<std::uint16_t>(event_->attributes_.size());
  }
  return attribute(here, core, value);
}

bool EventDecoder::data(const JsonRef& name, const JsonRef& value) {
  if (event_->data_kind_ != DataKind::kNone) {
    return fail(ErrorId::kEventDataTwice, name, "expected data or data_base64, found both");
  }
  event_->data_kind_ = DataKind::kJson;
  event_->data_ = value;
  return true;
}

bool EventDecoder::data_base64(const JsonRef& name, const JsonRef& value) {
  if (value.kind() == JsonKind::kNull) return true;
  if (event_->data_kind_ != DataKind::kNone) {
    return fail(ErrorId::kEventDataTwice, name, "expected data or data_base64, found both");
  }
  event_->data_kind_ = DataKind::kBinary;
  if (value.kind() != JsonKind::kString) {
    return fail(
        ErrorId::kEventBase64, value,
        fmt::format("expected data_base64 to be a string, found {}", describe(value.kind())));
  }
  const auto wrong = base64_error_offset(value.string());
  if (!wrong) return true;
  return fail(ErrorId::kEventBase64, value,
              fmt::format("expected padded base64 in data_base64, which is wrong from character {} "
                          "on",
                          *wrong + 1));
}

bool EventDecoder::extension_name(const JsonRef& name) {
  if (!is_attribute_name(name.string())) {
    return fail(
        ErrorId::kEventAttributeName, name,
        fmt::format("expected an attribute name of a-z and 0-9, found {}", excerpt(name.raw())));
  }
  const std::size_t bytes = name.string().size();
  if (bytes <= limits_.attribute_name_bytes_max) return true;
  return fail(ErrorId::kEventAttributeName, name,
              fmt::format("an attribute name has {} bytes, the limit is {}", bytes,
                          limits_.attribute_name_bytes_max));
}

inline bool EventDecoder::attribute(Attribute& attribute, CoreAttribute core,
                                    const JsonRef& value) {
  const JsonKind kind = value.kind();
  if (kind == JsonKind::kString) return string_attribute(attribute, core, value);
  if (core != CoreAttribute::kNone) {
    return fail(ErrorId::kEventAttributeType, value,
                fmt::format("expected attribute '{}' to be a string, found {}", attribute.name,
                            describe(kind)));
  }
  if (kind == JsonKind::kInteger) return integer_attribute(attribute, value);
  if (kind != JsonKind::kTrue && kind != JsonKind::kFalse) {
    return fail(ErrorId::kEventAttributeType, value,
                fmt::format("expected attribute '{}' to be a string, a boolean or an integer, "
                            "found {}",
                            attribute.name, describe(kind)));
  }
  attribute.value = value.value();
  attribute.text = value.raw();
  return true;
}

inline bool EventDecoder::string_attribute(Attribute& attribute, CoreAttribute core,
                                           const JsonRef& value) {
  attribute.text = value.string();
  attribute.value = Value::of(attribute.text);
  if (!value.is_plain_string() && allowed_prefix_bytes(attribute.text) != attribute.text.size()) {
    return fail(ErrorId::kEventCharacter, value,
                fmt::format("expected no control character or noncharacter in attribute '{}'",
                            attribute.name));
  }
  if (core == CoreAttribute::kNone) return true;
  if (attribute.text.empty()) {
    return fail(ErrorId::kEventEmptyAttribute, value,
                fmt::format("expected attribute '{}' not to be empty", attribute.name));
  }
  return well_formed(attribute, core, value);
}

bool EventDecoder::well_formed(Attribute& attribute, CoreAttribute core, const JsonRef& value) {
  const auto unless = [&](bool ok, ErrorId id, std::string_view what) {
    return ok || fail(id, value,
                      fmt::format("expected attribute '{}' to be {}, found {}", attribute.name,
                                  what, excerpt(value.raw())));
  };
  switch (core) {
    case CoreAttribute::kSpecversion:
      return unless(attribute.text == "1.0", ErrorId::kEventSpecversion, "\"1.0\"");
    case CoreAttribute::kSource:
      return unless(is_uri_reference(attribute.text), ErrorId::kEventSource, "a URI reference");
    case CoreAttribute::kDataschema:
      return unless(is_absolute_uri(attribute.text), ErrorId::kEventDataschema,
                    "a URI with a scheme");
    case CoreAttribute::kDatacontenttype:
      return unless(is_media_type(attribute.text), ErrorId::kEventDatacontenttype,
                    "a media type such as application/json");
    case CoreAttribute::kTime: {
      const auto timestamp = parse_timestamp(attribute.text);
      if (timestamp) attribute.value = Value::of(*timestamp);
      return unless(timestamp.has_value(), ErrorId::kEventTime,
                    "an RFC 3339 time such as 2026-01-31T12:00:00Z");
    }
    default:
      return true;
  }
}

bool EventDecoder::integer_attribute(Attribute& attribute, const JsonRef& value) {
  attribute.value = value.value();
  attribute.text = value.raw() == "-0" ? "0" : value.raw();
  const bool fits = attribute.value.kind() == ValueKind::kInt &&
                    attribute.value.as_int() >= std::numeric_limits<std::int32_t>::min() &&
                    attribute.value.as_int() <= std::numeric_limits<std::int32_t>::max();
  if (fits) return true;
  return fail(ErrorId::kEventIntegerRange, value,
              fmt::format("expected attribute '{}' to fit 32 bits, found {}", attribute.name,
                          excerpt(value.raw())));
}

bool EventDecoder::required() {
  constexpr std::array kRequired = {CoreAttribute::kSpecversion, CoreAttribute::kId,
                                    CoreAttribute::kSource, CoreAttribute::kType};
  for (const CoreAttribute attribute : kRequired) {
    if (event_->core_index_[static_cast<std::size_t>(attribute)] != 0) continue;
    return fail(
        ErrorId::kEventMissingAttribute, event_->document_.root(),
        fmt::format("expected attribute '{}', which every event has", to_string(attribute)));
  }
  return true;
}

bool EventDecoder::fail(ErrorId id, const JsonRef& at, std::string message) {
  error_ = base::Error{id, std::move(message), positions_.at(begin_bytes_ + at.offset_bytes())};
  return false;
}

base::Result<EventPtr> decode_event(std::string_view text, const EventLimits& limits) {
  if (auto fits = JsonParser::check_length(text, limits.json); !fits) return fits.error();
  const PaddedText padded(text);
  EventDecoder decoder(padded, limits);
  if (!decoder.read(0)) return decoder.take_error();
  if (auto end = JsonDocument::expect_end(text, decoder.end_bytes()); !end) return end.error();
  return decoder.decode();
}

}  // namespace weir::event
