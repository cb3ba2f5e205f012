// SPDX-License-Identifier: Apache-2.0
#include "cli/api_list.h"

#include <fmt/format.h>

#include <iterator>

#include "cli/failure.h"
#include "cli/text_output.h"
#include "cli/warning_output.h"

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::size_t kShownBytesMax = std::size_t{16} << 20U;
constexpr std::size_t kPageCount = 500;

void append_members(const JsonRef& object, std::string_view indent, std::string& out) {
  object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
    const std::string key = printable(name.string());
    if (key == "warnings") return;  // told on stderr
    if (value.kind() == JsonKind::kObject) {
      fmt::format_to(std::back_inserter(out), "{}{}\n", indent, key);
      append_members(value, std::string(indent) + "  ", out);
    } else {
      fmt::format_to(std::back_inserter(out), "{}{:<14} {}\n", indent, key,
                     printable(text_of(object, name.string()), kShownBytesMax));
    }
  });
}

}  // namespace

std::string text_of(const JsonRef& object, std::string_view name) {
  const JsonRef value =
      object && object.kind() == JsonKind::kObject ? object.member(name) : JsonRef();
  if (!value) return {};
  if (value.kind() == JsonKind::kString) return std::string(value.string());
  std::string text;
  event::append_compact(value, text);
  return text;
}

base::Result<void> for_each_listed(ApiClient& client, const std::string& target,
                                   std::string_view list,
                                   const std::function<void(const JsonRef&)>& visit) {
  std::string after;
  for (;;) {
    const std::string page = fmt::format("{}?limit={}{}{}", target, kPageCount,
                                         after.empty() ? "" : "&after=", percent_encoded(after));
    const auto answer = client.call("GET", page);
    if (!answer) return answer.error();
    const auto document = event::JsonDocument::parse(answer->body);
    const JsonRef elements = document ? document->root().member(list) : JsonRef();
    if (!elements || elements.kind() != JsonKind::kArray) return strange_answer();
    elements.for_each_element(visit);
    after = text_of(document->root(), "next");
    if (after.empty()) return {};
  }
}

base::Result<void> show_object(const server::HttpAnswer& answer, bool json, Streams& streams,
                               std::string_view sent) {
  const auto document = event::JsonDocument::parse(answer.body);
  if (!document || document->root().kind() != JsonKind::kObject) return strange_answer();
  std::string out;
  if (json) {
    out = answer.body + '\n';
  } else {
    tell_warnings(document->root(), sent, streams.err);
    append_members(document->root(), "", out);
  }
  streams.out.append(out);
  return {};
}

}  // namespace weir::cli
