// SPDX-License-Identifier: Apache-2.0
#include "server/json_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/near_name.h"
#include "server/http_text.h"

namespace weir::server {

using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

base::Result<void> check_json(const Request& request) {
  const auto type = request.field("content-type");
  if (!type) return {};
  const auto media = parse_media_type(*type);
  if (media && media->is_json() && (media->charset.empty() || media->charset == "utf-8")) return {};
  return Error{ErrorId::kHttpMediaType, "expected the Content-Type application/json", {}};
}

base::Result<JsonBody> JsonBody::parse(const Request& request,
                                       std::span<const std::string_view> members) {
  if (auto checked = check_json(request); !checked) return checked.error();
  const std::string_view text = request.body.empty() ? std::string_view("{}") : request.body;
  auto document = event::JsonDocument::parse(text);
  if (!document) return document.error();
  JsonBody body(text, std::move(*document));
  const JsonRef root = body.document_.root();
  if (root.kind() != JsonKind::kObject) return body.error("", "expected an object");
  std::optional<Error> failed;
  root.for_each_member([&](const JsonRef& name, const JsonRef&) {
    if (failed || std::ranges::find(members, name.string()) != members.end()) return;
    failed = body.error(
        name.string(),
        fmt::format("there is no member '{}'{}; expected {}", event::excerpt(name.string()),
                    base::did_you_mean(name.string(), members), fmt::join(members, ", ")));
  });
  if (failed) return *std::move(failed);
  return body;
}

base::Result<std::string> JsonBody::text(std::string_view name) const {
  const JsonRef value = member(name);
  if (value && value.kind() == JsonKind::kString) return std::string(value.string());
  return error(name, fmt::format("expected {} to be a string", name));
}

base::Result<std::optional<std::string>> JsonBody::optional_text(std::string_view name) const {
  const JsonRef value = member(name);
  if (!value || value.kind() == JsonKind::kNull) return std::nullopt;
  auto found = text(name);
  if (!found) return found.error();
  return *std::move(found);
}

Error JsonBody::error(std::string_view name, std::string message) const {
  return {ErrorId::kHttpParameter, std::move(message), position(name, 0)};
}

base::Position JsonBody::position(std::string_view name, std::size_t offset_bytes) const {
  const auto begin = static_cast<std::size_t>(document_.text().data() - text_.data());
  const JsonRef value = member(name);
  return base::position_at(text_, begin + (value ? value.offset_bytes() + offset_bytes : 0));
}

}  // namespace weir::server
