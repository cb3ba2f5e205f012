// SPDX-License-Identifier: Apache-2.0
// Error: what went wrong, under a stable number, with the place in the input where one is known.
//
// Callers act on the five codes; people and documents refer to the numbers (docs/errors.md lists
// them all and a test compares that list with the table in error.cc). A number is never reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir::base {

// What a caller can do about it: repair the input, look elsewhere, ask for less, retry, call for
// help.
enum class ErrorCode : std::uint8_t { kInvalidInput, kNotFound, kLimit, kUnavailable, kCorrupt };

std::string_view to_string(ErrorCode code);

enum class ErrorId : std::uint16_t {
  kJsonSyntax = 101,
  kJsonTruncated = 102,
  kJsonUtf8 = 103,
  kJsonSurrogate = 104,
  kJsonDuplicateMember = 105,
  kJsonTrailingBytes = 106,
  kJsonTooDeep = 107,
  kJsonTooLong = 108,

  kEventNotAnObject = 121,
  kEventMissingAttribute = 122,
  kEventEmptyAttribute = 123,
  kEventSpecversion = 124,
  kEventAttributeName = 125,
  kEventAttributeType = 126,
  kEventIntegerRange = 127,
  kEventTime = 128,
  kEventSource = 129,
  kEventDataschema = 130,
  kEventDatacontenttype = 131,
  kEventCharacter = 132,
  kEventDataTwice = 133,
  kEventBase64 = 134,
  kEventBatchNotAnArray = 135,
  kEventBatchTooLong = 136,
  kEventTooManyAttributes = 137,

  kPathSyntax = 151,
  kPathTooLong = 152,

  kFilterSyntax = 201,
  kFilterLiteral = 202,
  kFilterType = 203,
  kFilterChangePlace = 204,
  kFilterChangeKeys = 205,
  kFilterDistinctPlace = 206,
  kFilterNoTerms = 207,
  kFilterTooLong = 208,
  kFilterTooDeep = 209,
  kFilterListTooLong = 210,
  kFilterPatternTooLong = 211,
  kFilterNormalFormTooLarge = 212,
  kFilterLanguage = 213,
  kFilterDialectUnknown = 221,
  kFilterDialectShape = 222,
  kFilterCesqlSyntax = 231,
  kFilterCesqlFunction = 232,
  kFilterCesqlArity = 233,

  kEngineNoSuchSubscription = 301,
  kEngineTooManySubscriptions = 302,
  kEngineOption = 303,
  kEngineTextOptions = 304,
  kEngineTooManyForgotten = 305,
  kEngineKeys = 306,
  kEngineCorpus = 307,

  kCliUsage = 401,
  kCliFile = 402,
  kCliLineTooLong = 403,

  kStoreIo = 501,
  kStoreFull = 502,
  kStoreCorrupt = 503,
  kStoreVersion = 504,
  kStoreLocked = 505,
  kStoreDatabase = 507,
  kStoreTarget = 508,
  kStoreMismatch = 509,
  kStoreIncomplete = 510,

  kBrokerNoSuchSubscription = 601,
  kBrokerSubscriptionExists = 602,
  kBrokerDefinition = 603,
  kBrokerTooManySubscriptions = 604,
  kBrokerOutboxFull = 605,
  kBrokerBusy = 606,
  kBrokerUnauthenticated = 607,
  kBrokerForbidden = 608,
  kBrokerStopping = 609,
  kBrokerTooManyEvents = 610,
  kBrokerToken = 611,
  kBrokerSink = 612,
  kBrokerInUse = 613,
  kBrokerAcknowledge = 614,
  kBrokerTaken = 615,
  kBrokerEnded = 616,
  kBrokerOption = 617,
  kBrokerDefinitionTooLarge = 618,
  kBrokerOwned = 619,
  kBrokerNoSuchToken = 620,
  kBrokerTokenExists = 621,
  kBrokerNoSuchDeadLetter = 622,
  kBrokerNotShared = 623,
  kBrokerReplaying = 624,
  kBrokerMemory = 625,
  kBrokerQuota = 626,
  kBrokerWork = 627,

  kHttpMalformed = 701,
  kHttpHeaderTooLarge = 702,
  kHttpBodyTooLarge = 703,
  kHttpTimeout = 704,
  kHttpMethod = 705,
  kHttpNoRoute = 706,
  kHttpMediaType = 707,
  kHttpEventHeader = 708,
  kHttpParameter = 709,
  kHttpTooManyConnections = 710,
  kHttpListen = 711,
  kHttpTls = 712,
  kHttpConnect = 713,
  kHttpAnswer = 714,
  kHttpRefused = 715,
  kHttpEncoding = 716,
  kHttpAccept = 717,
  kHttpPlain = 718,
  kHttpCrossSite = 719,

  kWebsocketProtocol = 721,
  kWebsocketSubprotocol = 722,

  kConfigSyntax = 731,
  kConfigKey = 732,

  kNatsConnect = 741,
  kNatsOption = 742,
};

// One row of the table of errors.
struct ErrorInfo {
  ErrorId id;
  std::string_view name;  // "event.missing_attribute"
  ErrorCode code;
  std::string_view meaning;
};

// The whole table, ascending by number.
std::span<const ErrorInfo> error_table();
const ErrorInfo& error_info(ErrorId id);

// A place in a text: line and column count from 1, the column in code points; the offset in bytes.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t offset_bytes = 0;

  bool operator==(const Position&) const = default;
};

// The position of a byte offset in a text (clamped to its end). Costs a pass over the text before
// it.
Position position_at(std::string_view text, std::size_t offset_bytes);

// Finds several positions in one text. In ascending order, all of them together cost one pass.
class PositionFinder {
 public:
  explicit PositionFinder(std::string_view text) : text_(text) {}

  Position at(std::size_t offset_bytes);

 private:
  std::string_view text_;
  Position last_;
};

struct Error {
  ErrorId id;
  std::string message;
  std::optional<Position> position;

  ErrorCode code() const { return error_info(id).code; }
  // "line 1, column 7: expected ..." or the message alone where there is no place.
  std::string to_string() const;
};

}  // namespace weir::base
