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
    {kFilterLanguage, "filter.language", kInvalidInput,
     "a text predicate names a language that is not known"},
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
    {kEngineTooManyForgotten, "engine.too_many_forgotten", kLimit,
     "as many keys were forgotten within a window as the limit allows"},
    {kEngineKeys, "engine.keys", kInvalidInput,
     "the filter has no keys to forget: neither change nor distinct"},
    {kEngineCorpus, "engine.corpus", kInvalidInput,
     "a file of how many documents have each term is not one"},

    {kCliUsage, "cli.usage", kInvalidInput, "the command line cannot be understood"},
    {kCliFile, "cli.file", kUnavailable, "a file cannot be read or written"},
    {kCliLineTooLong, "cli.line_too_long", kLimit, "an input line is longer than the limit"},

    {kStoreIo, "store.io", kUnavailable, "a file of the store cannot be read or written"},
    {kStoreFull, "store.full", kUnavailable, "the disk is full"},
    {kStoreCorrupt, "store.corrupt", kCorrupt, "stored bytes fail their checksum or their format"},
    {kStoreVersion, "store.version", kCorrupt,
     "the store was written in a format that this program does not know"},
    {kStoreLocked, "store.locked", kUnavailable, "another process uses the store"},
    {kStoreDatabase, "store.database", kUnavailable, "the registry's database reports an error"},
    {kStoreTarget, "store.target", kInvalidInput,
     "a backup or restore was given a directory that it cannot use"},
    {kStoreMismatch, "store.mismatch", kCorrupt,
     "the log and the registry of a directory do not belong together"},
    {kStoreIncomplete, "store.incomplete", kCorrupt,
     "data that the broker had confirmed is missing"},

    {kBrokerNoSuchSubscription, "broker.no_such_subscription", kNotFound,
     "there is no subscription of that id"},
    {kBrokerSubscriptionExists, "broker.subscription_exists", kInvalidInput,
     "there is already a subscription of that id"},
    {kBrokerDefinition, "broker.definition", kInvalidInput,
     "the subscription's document does not have the required shape"},
    {kBrokerTooManySubscriptions, "broker.too_many_subscriptions", kLimit,
     "the limit of subscriptions is reached"},
    {kBrokerOutboxFull, "broker.outbox_full", kLimit,
     "a subscription that may block publishers has a full outbox"},
    {kBrokerBusy, "broker.busy", kLimit, "more waits to be done than the limit allows"},
    {kBrokerUnauthenticated, "broker.unauthenticated", kInvalidInput,
     "no valid token was presented"},
    {kBrokerForbidden, "broker.forbidden", kInvalidInput, "the token does not grant this"},
    {kBrokerStopping, "broker.stopping", kUnavailable, "the broker is stopping"},
    {kBrokerTooManyEvents, "broker.too_many_events", kLimit,
     "a request has more events than the limit"},
    {kBrokerToken, "broker.token", kInvalidInput, "a token's name, grant or lifetime is malformed"},
    {kBrokerSink, "broker.sink", kInvalidInput,
     "the sink is malformed or at an address that is not allowed"},
    {kBrokerInUse, "broker.in_use", kInvalidInput, "another connection consumes the subscription"},
    {kBrokerAcknowledge, "broker.acknowledge", kInvalidInput,
     "what was acknowledged has not been delivered"},
    {kBrokerTaken, "broker.taken", kUnavailable,
     "the subscription was taken over by another connection"},
    {kBrokerEnded, "broker.ended", kNotFound, "the subscription was deleted or its token revoked"},
    {kBrokerOption, "broker.option", kInvalidInput, "an option is out of its range"},
    {kBrokerDefinitionTooLarge, "broker.definition_too_large", kLimit,
     "a subscription asks for more than a limit allows"},
    {kBrokerOwned, "broker.owned", kInvalidInput,
     "the id belongs to a subscription of another owner"},
    {kBrokerNoSuchToken, "broker.no_such_token", kNotFound, "there is no token of that name"},
    {kBrokerTokenExists, "broker.token_exists", kInvalidInput,
     "there is already a token of that name"},
    {kBrokerNoSuchDeadLetter, "broker.no_such_dead_letter", kNotFound,
     "there is no dead letter of that number"},
    {kBrokerNotShared, "broker.not_shared", kInvalidInput,
     "only a subscription with shared consumers takes this"},
    {kBrokerReplaying, "broker.replaying", kUnavailable, "the subscription still reads old events"},
    {kBrokerMemory, "broker.memory", kLimit,
     "no memory is left in the budget of the broker or of the owner"},
    {kBrokerQuota, "broker.quota", kLimit, "the owner has used its share of the event log"},
    {kBrokerWork, "broker.work", kLimit, "an event costs a subscription more work than is allowed"},

    {kHttpMalformed, "http.malformed", kInvalidInput, "the request is not HTTP/1.1"},
    {kHttpHeaderTooLarge, "http.header_too_large", kLimit, "the header is longer than the limit"},
    {kHttpBodyTooLarge, "http.body_too_large", kLimit, "the body is longer than the limit"},
    {kHttpTimeout, "http.timeout", kLimit, "the request did not arrive in time"},
    {kHttpMethod, "http.method", kInvalidInput, "the resource does not know that method"},
    {kHttpNoRoute, "http.no_route", kNotFound, "there is no such resource"},
    {kHttpMediaType, "http.media_type", kInvalidInput,
     "the content type is none that the resource takes"},
    {kHttpEventHeader, "http.event_header", kInvalidInput, "a ce- header is malformed"},
    {kHttpParameter, "http.parameter", kInvalidInput,
     "a query parameter is unknown, missing or malformed"},
    {kHttpTooManyConnections, "http.too_many_connections", kLimit,
     "the limit of connections is reached"},
    {kHttpListen, "http.listen", kUnavailable, "the address cannot be listened on"},
    {kHttpTls, "http.tls", kInvalidInput, "the certificate or its key cannot be used"},
    {kHttpConnect, "http.connect", kUnavailable, "the other side cannot be reached"},
    {kHttpAnswer, "http.answer", kUnavailable, "the other side's answer cannot be understood"},
    {kHttpRefused, "http.refused", kInvalidInput, "the other side refused the request"},
    {kHttpEncoding, "http.encoding", kInvalidInput,
     "the body is encoded in a way that is not read"},
    {kHttpAccept, "http.accept", kInvalidInput,
     "the resource has no representation that the client accepts"},
    {kHttpPlain, "http.plain", kInvalidInput, "plain HTTP was spoken on a port for TLS"},
    {kHttpCrossSite, "http.cross_site", kInvalidInput, "a page of another site sent the request"},

    {kWebsocketProtocol, "websocket.protocol", kInvalidInput,
     "a message is none of the protocol weir.v1"},
    {kWebsocketSubprotocol, "websocket.subprotocol", kInvalidInput,
     "the client does not offer the subprotocol weir.v1"},

    {kConfigSyntax, "config.syntax", kInvalidInput, "the configuration file is not TOML"},
    {kConfigKey, "config.key", kInvalidInput,
     "the configuration has an unknown key or a value of the wrong type"},

    {kNatsConnect, "nats.connect", kUnavailable, "the NATS server cannot be reached"},
    {kNatsOption, "nats.option", kInvalidInput,
     "the name of a cluster or of a member is malformed"},
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
