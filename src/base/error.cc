// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace weir::base {
namespace {

using enum ErrorCode;
using enum ErrorId;

constexpr auto kTable = std::to_array<ErrorInfo>({
    {kJsonSyntax, "json.syntax", kInvalidInput, "the text is not JSON"},
    {kJsonTruncated, "json.truncated", kInvalidInput, "the text ends inside a JSON value"},
    {kJsonUtf8, "json.utf8", kInvalidInput, "a string is not valid UTF-8"},
    {kJsonSurrogate, "json.surrogate", kInvalidInput, "an escape is half of a surrogate pair"},
    {kJsonDuplicateMember, "json.duplicate_member", kInvalidInput,
     "an object has two members of one name"},
    {kJsonTrailingBytes, "json.trailing_bytes", kInvalidInput, "bytes follow the JSON value"},
    {kJsonTooDeep, "json.too_deep", kLimit, "arrays and objects are nested beyond the limit"},
    {kJsonTooLong, "json.too_long", kLimit, "the text is longer than the limit"},

    {kEventNotAnObject, "event.not_an_object", kInvalidInput, "an event is a JSON object"},
    {kEventMissingAttribute, "event.missing_attribute", kInvalidInput,
     "a required attribute (specversion, id, source, type) is absent"},
    {kEventEmptyAttribute, "event.empty_attribute", kInvalidInput,
     "an attribute that must not be empty is empty"},
    {kEventSpecversion, "event.specversion", kInvalidInput, "specversion is not 1.0"},
    {kEventAttributeName, "event.attribute_name", kInvalidInput,
     "an attribute's name has other characters than a-z and 0-9, or too many"},
    {kEventAttributeType, "event.attribute_type", kInvalidInput,
     "an attribute is an object, an array, a fraction, or not of its defined type"},
    {kEventIntegerRange, "event.integer_range", kInvalidInput,
     "an integer attribute does not fit 32 bits"},
    {kEventTime, "event.time", kInvalidInput, "time is not an RFC 3339 timestamp"},
    {kEventSource, "event.source", kInvalidInput, "source is not a URI reference"},
    {kEventDataschema, "event.dataschema", kInvalidInput, "dataschema is not an absolute URI"},
    {kEventDatacontenttype, "event.datacontenttype", kInvalidInput,
     "datacontenttype is not a media type"},
    {kEventCharacter, "event.character", kInvalidInput,
     "an attribute holds a control character or a noncharacter"},
    {kEventDataTwice, "event.data_twice", kInvalidInput, "both data and data_base64 are present"},
    {kEventBase64, "event.base64", kInvalidInput, "data_base64 is not base64"},
    {kEventBatchNotAnArray, "event.batch_not_an_array", kInvalidInput, "a batch is a JSON array"},
    {kEventBatchTooLong, "event.batch_too_long", kLimit, "a batch has more events than the limit"},
    {kEventTooManyAttributes, "event.too_many_attributes", kLimit,
     "an event has more attributes than the limit"},

    {kPathSyntax, "path.syntax", kInvalidInput, "the text is not a path into an event"},
    {kPathTooLong, "path.too_long", kLimit, "a path has more steps than the limit"},

    {kFilterSyntax, "filter.syntax", kInvalidInput, "the filter does not parse"},
    {kFilterLiteral, "filter.literal", kInvalidInput,
     "a number, string, timestamp or duration is malformed or out of range"},
    {kFilterType, "filter.type", kInvalidInput, "an operator was given a value of the wrong type"},
    {kFilterChangePlace, "filter.change_place", kInvalidInput,
     "change stands where it has no meaning, for example under not"},
    {kFilterChangeKeys, "filter.change_keys", kInvalidInput,
     "change terms combined by and have different keys"},
    {kFilterDistinctPlace, "filter.distinct_place", kInvalidInput,
     "distinct does not stand last, or stands twice"},
    {kFilterNoTerms, "filter.no_terms", kInvalidInput,
     "about has no word left after the analysis of its text"},
    {kFilterTooLong, "filter.too_long", kLimit, "the filter's text is longer than the limit"},
    {kFilterTooDeep, "filter.too_deep", kLimit, "the filter is nested beyond the limit"},
    {kFilterListTooLong, "filter.list_too_long", kLimit, "a list has more elements than the limit"},
    {kFilterPatternTooLong, "filter.pattern_too_long", kLimit,
     "a pattern is longer than the limit"},
    {kFilterNormalFormTooLarge, "filter.normal_form_too_large", kLimit,
     "the disjunctive normal form is larger than the limit"},
    {kFilterDialectUnknown, "filter.dialect_unknown", kInvalidInput,
     "a filter object names no dialect that is known here"},
    {kFilterDialectShape, "filter.dialect_shape", kInvalidInput,
     "a filter object does not have the shape its dialect requires"},
    {kFilterCesqlSyntax, "filter.cesql_syntax", kInvalidInput, "the CESQL text does not parse"},
    {kFilterCesqlFunction, "filter.cesql_function", kInvalidInput,
     "CESQL has no function of that name"},
    {kFilterCesqlArity, "filter.cesql_arity", kInvalidInput,
     "a CESQL function was given the wrong number of arguments"},

    {kEngineNoSuchSubscription, "engine.no_such_subscription", kNotFound,
     "there is no subscription of that id"},
    {kEngineTooManySubscriptions, "engine.too_many_subscriptions", kLimit,
     "the engine holds as many subscriptions as its limit allows"},
    {kEngineOption, "engine.option", kInvalidInput, "an option is out of its range"},
    {kEngineTextOptions, "engine.text_options", kUnavailable,
     "the text analysis for that language cannot be set up"},

    {kCliUsage, "cli.usage", kInvalidInput, "the command line cannot be understood"},
    {kCliFile, "cli.file", kUnavailable, "a file cannot be read or written"},
    {kCliLineTooLong, "cli.line_too_long", kLimit, "an input line is longer than the limit"},
});

static_assert(std::ranges::is_sorted(kTable, {}, &ErrorInfo::id));

}  // namespace

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case kInvalidInput:
      return "invalid_input";
    case kNotFound:
      return "not_found";
    case kLimit:
      return "limit";
    case kUnavailable:
      return "unavailable";
    case kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

std::span<const ErrorInfo> error_table() { return kTable; }

const ErrorInfo& error_info(ErrorId id) {
  const auto* found = std::ranges::lower_bound(kTable, id, {}, &ErrorInfo::id);
  WEIR_CHECK(found != kTable.end() && found->id == id);
  return *found;
}

Position position_at(std::string_view text, std::size_t offset_bytes) {
  return PositionFinder(text).at(offset_bytes);
}

Position PositionFinder::at(std::size_t offset_bytes) {
  const std::size_t end = std::min(offset_bytes, text_.size());
  if (end < last_.offset_bytes) last_ = {};
  for (const char c : text_.substr(last_.offset_bytes, end - last_.offset_bytes)) {
    if (c == '\n') {
      ++last_.line;
      last_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++last_.column;
    }
  }
  last_.offset_bytes = end;
  return last_;
}

std::string Error::to_string() const {
  if (!position) return message;
  return fmt::format("line {}, column {}: {}", position->line, position->column, message);
}

}  // namespace weir::base
