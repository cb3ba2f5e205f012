// SPDX-License-Identifier: Apache-2.0
#include "event/event_decoder.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "event/base64.h"
#include "event/event_rules.h"

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

base::Result<EventPtr> EventDecoder::decode(JsonDocument document) {
  if (document.root().kind() != JsonKind::kObject) {
    fail(ErrorId::kEventNotAnObject, document.root(),
         fmt::format("expected an event as a JSON object, found {}",
                     describe(document.root().kind())));
    return std::move(*error_);
  }
  event_ = std::shared_ptr<Event>(new Event());
  const std::string_view text = document.text();
  event_->text_ = std::make_unique_for_overwrite<char[]>(text.size());
  std::memcpy(event_->text_.get(), text.data(), text.size());
  event_->document_ = std::move(document);
  event_->document_.attach({event_->text_.get(), text.size()});
  if (!members() || !required()) return std::move(*error_);
  return EventPtr(std::move(event_));
}

bool EventDecoder::members() {
  event_->attributes_.reserve(8);
  bool ok = true;
  event_->document_.root().for_each_member(
      [&](const JsonRef& name, const JsonRef& value) { ok = ok && member(name, value); });
  return ok;
}

bool EventDecoder::member(const JsonRef& name_ref, const JsonRef& value) {
  const std::string_view name = name_ref.string();
  if (name == "data") return data(false, name_ref, value);
  if (name == "data_base64") return data(true, name_ref, value);
  if (!is_attribute_name(name)) {
    return fail(ErrorId::kEventAttributeName, name_ref,
                fmt::format("expected an attribute name of a-z and 0-9, found {}", name_ref.raw()));
  }
  if (name.size() > limits_.attribute_name_bytes_max) {
    return fail(ErrorId::kEventAttributeName, name_ref,
                fmt::format("an attribute name has {} bytes, the limit is {}", name.size(),
                            limits_.attribute_name_bytes_max));
  }
  if (event_->attributes_.size() >= limits_.attribute_count_max) {
    return fail(ErrorId::kEventTooManyAttributes, name_ref,
                fmt::format("an event has at most {} attributes", limits_.attribute_count_max));
  }
  return attribute(name, value);
}

bool EventDecoder::data(bool base64, const JsonRef& name_ref, const JsonRef& value) {
  if (base64 && value.kind() == JsonKind::kNull) return true;
  if (event_->data_kind_ != DataKind::kNone) {
    return fail(ErrorId::kEventDataTwice, name_ref, "expected data or data_base64, found both");
  }
  event_->data_kind_ = base64 ? DataKind::kBinary : DataKind::kJson;
  if (!base64) {
    event_->data_ = value;
    return true;
  }
  if (value.kind() != JsonKind::kString) {
    return fail(
        ErrorId::kEventBase64, value,
        fmt::format("expected data_base64 to be a string, found {}", describe(value.kind())));
  }
  const auto wrong = base64_error_offset(value.string());
  if (!wrong) return true;
  return fail(
      ErrorId::kEventBase64, value,
      fmt::format("expected padded base64 in data_base64, which is wrong from character {} on",
                  *wrong + 1));
}

bool EventDecoder::attribute(std::string_view name, const JsonRef& value) {
  const CoreAttribute core = core_attribute(name);
  Attribute attribute{name, Value(), {}};
  switch (value.kind()) {
    case JsonKind::kNull:
      return true;
    case JsonKind::kString:
      if (!string_attribute(attribute, core, value)) return false;
      break;
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      attribute.value = value.value();
      attribute.text = value.raw();
      break;
    case JsonKind::kInteger:
      if (!integer_attribute(attribute, value)) return false;
      break;
    default:
      return fail(ErrorId::kEventAttributeType, value,
                  fmt::format("expected attribute '{}' to be a string, a boolean or an integer, "
                              "found {}",
                              name, describe(value.kind())));
  }
  if (core != CoreAttribute::kNone) {
    if (value.kind() != JsonKind::kString) {
      return fail(ErrorId::kEventAttributeType, value,
                  fmt::format("expected attribute '{}' to be a string, found {}", name,
                              describe(value.kind())));
    }
    event_->core_index_[static_cast<std::size_t>(core)] =
        static_cast<std::uint16_t>(event_->attributes_.size() + 1);
  }
  event_->attributes_.push_back(attribute);
  return true;
}

bool EventDecoder::string_attribute(Attribute& attribute, CoreAttribute core,
                                    const JsonRef& value) {
  attribute.text = value.string();
  attribute.value = Value::of(attribute.text);
  const std::size_t allowed = allowed_prefix_bytes(attribute.text);
  if (allowed != attribute.text.size()) {
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
                                  what, value.raw()));
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
  return fail(
      ErrorId::kEventIntegerRange, value,
      fmt::format("expected attribute '{}' to fit 32 bits, found {}", attribute.name, value.raw()));
}

bool EventDecoder::required() {
  constexpr std::array kRequired = {CoreAttribute::kSpecversion, CoreAttribute::kId,
                                    CoreAttribute::kSource, CoreAttribute::kType};
  for (const CoreAttribute attribute : kRequired) {
    if (event_->find(attribute) != nullptr) continue;
    return fail(
        ErrorId::kEventMissingAttribute, event_->document_.root(),
        fmt::format("expected attribute '{}', which every event has", to_string(attribute)));
  }
  return true;
}

bool EventDecoder::fail(ErrorId id, const JsonRef& at, std::string message) {
  error_ = base::Error{id, std::move(message),
                       base::position_at(whole_, offset_bytes_ + at.offset_bytes())};
  return false;
}

base::Result<EventPtr> decode_event(std::string_view text, const EventLimits& limits) {
  auto document = JsonDocument::parse(text, limits.json);
  if (!document) return document.error();
  const auto offset_bytes = static_cast<std::size_t>(document->text().data() - text.data());
  return EventDecoder(text, offset_bytes, limits).decode(std::move(*document));
}

}  // namespace weir::event
