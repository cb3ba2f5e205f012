// SPDX-License-Identifier: Apache-2.0
#include "server/token_json.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "broker/tokens.h"
#include "event/json_writer.h"
#include "event/timestamp.h"
#include "filter/duration.h"
#include "server/json_body.h"
#include "server/subscription_json.h"

namespace weir::server {
namespace {

constexpr std::array<std::string_view, 3> kTokenMembers = {"name", "grants", "expires"};
constexpr std::array<std::string_view, 1> kRotationMembers = {"overlap"};

std::optional<base::Instant> instant_of(std::string_view text) {
  const auto time = event::parse_timestamp(text);
  base::Instant instant;
  if (!time ||
      __builtin_mul_overflow(time->seconds, std::int64_t{1'000'000'000}, &instant.nanoseconds)) {
    return std::nullopt;
  }
  return instant + base::Duration{time->nanoseconds};
}

base::Result<broker::Grants> grants_of(const JsonBody& body) {
  const event::JsonRef value = body.member("grants");
  if (!value) return body.error("grants", "expected grants: what the token may do");
  auto grants = broker::Grants::parse_json(value.raw());
  if (grants) return grants;
  base::Error error = std::move(grants.error());
  if (error.position) error.position = body.position("grants", error.position->offset_bytes);
  return error;
}

}  // namespace

void append_token(const broker::TokenInfo& info, std::string& out) {
  event::JsonObject object(out);
  object.member("name", info.name);
  object.raw("grants", info.grants ? info.grants->to_json() : "null");
  object.member("created", time_text(info.created));
  if (info.expires) object.member("expires", time_text(*info.expires));
  object.member("revoked", info.revoked);
  std::vector<std::string> ends;
  for (const base::Instant until : info.former_until) ends.push_back(time_text(until));
  object.member("former_until", ends);
  object.close();
}

base::Result<broker::TokenRequest> read_token_request(const Request& request) {
  const auto body = JsonBody::parse(request, kTokenMembers);
  if (!body) return body.error();
  auto name = body->text("name");
  if (!name) return name.error();
  auto grants = grants_of(*body);
  if (!grants) return grants.error();
  const auto expires = body->optional_text("expires");
  if (!expires) return expires.error();
  broker::TokenRequest wanted{.name = *std::move(name), .grants = *std::move(grants)};
  if (!*expires) return wanted;
  wanted.expires = instant_of(**expires);
  if (!wanted.expires) {
    return body->error("expires", "expected expires to be a time such as 2027-01-02T03:04:05Z");
  }
  return wanted;
}

base::Result<base::Duration> read_overlap(const Request& request) {
  const auto body = JsonBody::parse(request, kRotationMembers);
  if (!body) return body.error();
  const auto text = body->optional_text("overlap");
  if (!text) return text.error();
  if (!*text) return broker::kOverlapDefault;
  const auto overlap = filter::parse_duration_prefix(**text);
  if (overlap && overlap->length_bytes == (*text)->size()) return overlap->duration;
  return body->error("overlap", "expected overlap to be a duration such as 24h, 10m or 0s");
}

}  // namespace weir::server
