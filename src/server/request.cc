// SPDX-License-Identifier: Apache-2.0
#include "server/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <iterator>

#include "base/near_name.h"
#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::string_view kTokenParameter = "access_token";

Error parameter_error(std::string message) {
  return {ErrorId::kHttpParameter, std::move(message), std::nullopt};
}

std::optional<std::string> decode_query_text(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, '+', ' ');
  return percent_decode(blanks);
}

// Calls visit(name, value), both encoded, until it returns false.
template <typename Visit>
void for_each_parameter(std::string_view query, Visit&& visit) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size() < query.size() ? pair.size() + 1 : query.size());
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    if (!visit(pair.substr(0, equals), value)) return;
  }
}

std::optional<Error> check_name(std::string_view name, std::span<const std::string_view> allowed) {
  if (name == kTokenParameter || std::ranges::find(allowed, name) != allowed.end()) return {};
  return parameter_error(
      fmt::format("there is no query parameter '{}'{}", name, base::did_you_mean(name, allowed)));
}

struct Phrase {
  unsigned status;
  std::string_view text;
};

constexpr std::array kPhrases = {
    Phrase{101, "Switching Protocols"},
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{204, "No Content"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{413, "Content Too Large"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{417, "Expectation Failed"},
    Phrase{426, "Upgrade Required"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{500, "Internal Server Error"},
    Phrase{503, "Service Unavailable"},
};

}  // namespace

std::optional<std::string_view> Request::field(std::string_view name) const {
  for (const Field& field : fields) {
    if (equals_in_any_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      fields, [&](const Field& field) { return equals_in_any_case(field.name, name); }));
}

base::Result<Query> Query::parse(std::string_view query,
                                 std::span<const std::string_view> allowed) {
  Query result;
  std::optional<Error> error;
  for_each_parameter(query, [&](std::string_view raw_name, std::string_view raw_value) {
    auto name = decode_query_text(raw_name);
    auto value = decode_query_text(raw_value);
    if (!name || !value) {
      error = parameter_error("in the query a '%' is not followed by two hexadecimal digits");
    } else if (result.text(*name)) {
      error = parameter_error(fmt::format("the query parameter '{}' is given twice", *name));
    } else {
      error = check_name(*name, allowed);
      result.parameters_.push_back({std::move(*name), std::move(*value)});
    }
    return !error;
  });
  if (error) return *std::move(error);
  return result;
}

std::optional<std::string_view> Query::text(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &QueryParameter::name);
  if (found == parameters_.end()) return std::nullopt;
  return found->value;
}

base::Result<std::optional<std::uint64_t>> Query::number(std::string_view name) const {
  const auto given = text(name);
  if (!given) return std::optional<std::uint64_t>();
  const auto number = parse_number(*given);
  if (!number) {
    return parameter_error(fmt::format("expected a number as query parameter '{}'", name));
  }
  return number;
}

base::Result<std::size_t> Query::count(std::string_view name, std::size_t absent,
                                       std::size_t max) const {
  const auto given = number(name);
  if (!given) return given.error();
  const std::uint64_t value = given->value_or(absent);
  if (value < 1 || value > max) {
    return parameter_error(
        fmt::format("expected a number from 1 to {} as query parameter '{}'", max, name));
  }
  return static_cast<std::size_t>(value);
}

base::Result<bool> Query::flag(std::string_view name) const {
  const std::string_view given = text(name).value_or("false");
  if (given == "true" || given == "false") return given == "true";
  return parameter_error(fmt::format("expected true or false as query parameter '{}'", name));
}

std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  for_each_parameter(query, [&](std::string_view raw_name, std::string_view raw_value) {
    if (raw_name == name) found = decode_query_text(raw_value);
    return !found;
  });
  return found;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view reason_phrase(unsigned status) {
  const auto found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == kPhrases.end() ? "Unknown" : found->text;
}

std::string date_field() {
  thread_local std::time_t last = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != last || text.empty()) {
    std::tm utc = {};
    gmtime_r(&now, &utc);
    std::array<char, 64> buffer = {};
    const std::size_t size =
        std::strftime(buffer.data(), buffer.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    text.assign(buffer.data(), size);
    last = now;
  }
  return text;
}

std::string head_of(const Response& response, bool keep_alive) {
  std::string head;
  head.reserve(256);
  fmt::format_to(std::back_inserter(head), "HTTP/1.1 {} {}\r\n", response.status,
                 reason_phrase(response.status));
  head += date_field();
  if (response.status != 204) {
    fmt::format_to(std::back_inserter(head), "Content-Type: {}\r\nContent-Length: {}\r\n",
                   response.content_type, response.body.size());
  }
  for (const auto& [name, value] : response.fields) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace weir::server
