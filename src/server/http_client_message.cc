// SPDX-License-Identifier: Apache-2.0
#include "server/http_client_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "base/utf8.h"

namespace weir::server {
namespace {

constexpr std::size_t kQuotedBodyBytesMax = 500;

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool is_target(std::string_view text) {
  return text.starts_with('/') &&
         std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

base::Error malformed(std::string message) {
  return base::Error{base::ErrorId::kHttpMalformed, std::move(message), std::nullopt};
}

}  // namespace

const std::string* HttpAnswer::find(std::string_view name) const {
  const auto found = std::ranges::find_if(fields, [&](const HttpField& field) {
    return std::ranges::equal(field.name, name, {}, to_lower, to_lower);
  });
  return found == fields.end() ? nullptr : &found->value;
}

base::Result<std::string> serialize(const HttpCall& call, std::string_view authority) {
  if (!is_token(call.method)) return malformed("the method is not a word");
  if (!is_target(call.target)) {
    return malformed(
        "the target does not begin with '/' or has characters other than visible "
        "ASCII");
  }
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: weir\r\n", call.method, call.target,
                 authority);
  for (const HttpField& field : call.fields) {
    if (!is_token(field.name) || !is_field_value(field.value)) {
      return malformed(fmt::format("the header field '{}' has characters that are not allowed",
                                   is_token(field.name) ? field.name : "?"));
    }
    fmt::format_to(to, "{}: {}\r\n", field.name, field.value);
  }
  if (!call.body.empty() || call.method == "POST" || call.method == "PUT") {
    fmt::format_to(to, "Content-Length: {}\r\n", call.body.size());
  }
  out += "\r\n";
  out += call.body;
  return out;
}

base::Error refusal(std::string_view method, std::string_view target, const HttpAnswer& answer) {
  std::string message = fmt::format("{} {}: {} {}", method, target, answer.status, answer.reason);
  std::string_view body = base::utf8_prefix(answer.body, kQuotedBodyBytesMax);
  body = body.substr(0, body.find_last_not_of(" \r\n\t") + 1);
  if (!body.empty()) fmt::format_to(std::back_inserter(message), ": {}", body);
  return base::Error{base::ErrorId::kHttpRefused, std::move(message), std::nullopt};
}

}  // namespace weir::server
