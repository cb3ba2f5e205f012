// SPDX-License-Identifier: Apache-2.0
// JsonBody: the body of a request that is a JSON object with members of known names.
//
//   const auto body = JsonBody::parse(request, kMembers);
//   if (!body) return body.error();
//   const auto owner = body->text("owner");
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/json_document.h"
#include "server/request.h"

namespace weir::server {

// kHttpMediaType unless the body is JSON, or nothing is said of it.
base::Result<void> check_json(const Request& request);

class JsonBody {
 public:
  // The request must outlive it. No body is as good as {}. A member of another name is an error.
  static base::Result<JsonBody> parse(const Request& request,
                                      std::span<const std::string_view> members);

  // A string that must be there.
  base::Result<std::string> text(std::string_view name) const;
  // A string; nothing if there is none, or null.
  base::Result<std::optional<std::string>> optional_text(std::string_view name) const;
  // An empty reference if there is none. Valid until this is moved.
  event::JsonRef member(std::string_view name) const { return document_.root().member(name); }

  // kHttpParameter with the place of a member, or of the body's start if there is none.
  base::Error error(std::string_view name, std::string message) const;
  // Where a byte of a member's text stands in the body.
  base::Position position(std::string_view name, std::size_t offset_bytes) const;

 private:
  JsonBody(std::string_view text, event::JsonDocument document)
      : text_(text), document_(std::move(document)) {}

  std::string_view text_;
  event::JsonDocument document_;
};

}  // namespace weir::server
