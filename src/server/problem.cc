// SPDX-License-Identifier: Apache-2.0
#include "server/problem.h"

#include <algorithm>
#include <array>

#include "event/json_writer.h"

namespace weir::server {
namespace {

using base::ErrorCode;
using base::ErrorId;

struct StatusOfId {
  ErrorId id;
  unsigned status;
};

// Limits on the shape of an input are answered as faults of the input (400), limits on its size as
// such (413): asking again later, as 429 suggests, does not help.
constexpr std::array kExceptions = {
    StatusOfId{ErrorId::kJsonTooDeep, 400},
    StatusOfId{ErrorId::kJsonTooLong, 413},
    StatusOfId{ErrorId::kEventBatchTooLong, 413},
    StatusOfId{ErrorId::kEventTooManyAttributes, 400},
    StatusOfId{ErrorId::kPathTooLong, 400},
    StatusOfId{ErrorId::kFilterTooLong, 400},
    StatusOfId{ErrorId::kFilterTooDeep, 400},
    StatusOfId{ErrorId::kFilterListTooLong, 400},
    StatusOfId{ErrorId::kFilterPatternTooLong, 400},
    StatusOfId{ErrorId::kFilterNormalFormTooLarge, 400},
    StatusOfId{ErrorId::kBrokerSubscriptionExists, 409},
    StatusOfId{ErrorId::kBrokerUnauthenticated, 401},
    StatusOfId{ErrorId::kBrokerForbidden, 403},
    StatusOfId{ErrorId::kBrokerTooManyEvents, 413},
    StatusOfId{ErrorId::kBrokerInUse, 409},
    StatusOfId{ErrorId::kBrokerDefinitionTooLarge, 400},
    StatusOfId{ErrorId::kBrokerOwned, 409},
    StatusOfId{ErrorId::kBrokerTokenExists, 409},
    StatusOfId{ErrorId::kHttpHeaderTooLarge, 431},
    StatusOfId{ErrorId::kHttpBodyTooLarge, 413},
    StatusOfId{ErrorId::kHttpTimeout, 408},
    StatusOfId{ErrorId::kHttpMethod, 405},
    StatusOfId{ErrorId::kHttpMediaType, 415},
    StatusOfId{ErrorId::kHttpEncoding, 415},
    StatusOfId{ErrorId::kHttpAccept, 406},
    StatusOfId{ErrorId::kHttpCrossSite, 403},
};

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kLimit:
      return 429;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCorrupt:
      break;
  }
  return 500;
}

}  // namespace

unsigned http_status(const base::Error& error) {
  const auto found = std::ranges::find(kExceptions, error.id, &StatusOfId::id);
  return found != kExceptions.end() ? found->status : status_of(error.code());
}

void append_position(const base::Position& position, std::string& out) {
  event::JsonObject object(out);
  object.member("line", position.line);
  object.member("column", position.column);
  object.member("offset", position.offset_bytes);
  object.close();
}

void append_problem(const base::Error& error, std::string& out) {
  const base::ErrorInfo& info = base::error_info(error.id);
  event::JsonObject object(out);
  object.member("type", "about:blank");
  object.member("title", info.meaning);
  object.member("status", http_status(error));
  object.member("detail", error.to_string());
  object.member("error", static_cast<unsigned>(error.id));
  object.member("name", info.name);
  if (error.position) {
    object.name("position");
    append_position(*error.position, out);
  }
  object.close();
}

Response problem_response(const base::Error& error) {
  Response response = {
      .status = http_status(error), .content_type = kProblemType, .error = error.id};
  append_problem(error, response.body);
  if (response.status == 401) response.fields.emplace_back("WWW-Authenticate", "Bearer");
  if (error.id == base::ErrorId::kHttpEncoding) {
    response.fields.emplace_back("Accept-Encoding", "identity");
  }
  if (response.status == 429 || response.status == 503) {
    response.fields.emplace_back("Retry-After", "1");
  }
  return response;
}

}  // namespace weir::server
