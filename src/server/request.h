// SPDX-License-Identifier: Apache-2.0
// Request and Response: HTTP as handlers see it. A request's texts belong to the connection and
// are there until the request has been answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir::server {

struct Field {
  std::string_view name;
  std::string_view value;
};

struct QueryParameter {
  std::string name;
  std::string value;
};

struct Request {
  std::string_view method;
  std::string_view path;   // as it was sent, without the query
  std::string_view query;  // without the question mark
  unsigned minor_version = 1;
  bool keep_alive = true;
  bool upgrade = false;  // to WebSocket
  std::vector<Field> fields;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  std::string body;

  // The value of the first field of that name, in any case.
  std::optional<std::string_view> field(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// Reads a query. Every name must be among those allowed, or access_token, and come once at most.
class Query {
 public:
  static base::Result<Query> parse(std::string_view query,
                                   std::span<const std::string_view> allowed);

  std::optional<std::string_view> text(std::string_view name) const;
  base::Result<std::optional<std::uint64_t>> number(std::string_view name) const;
  // The number, or what it is if it is not given; must lie between 1 and `max`.
  base::Result<std::size_t> count(std::string_view name, std::size_t absent, std::size_t max) const;
  base::Result<bool> flag(std::string_view name) const;

 private:
  std::vector<QueryParameter> parameters_;
};

// The value of one parameter of a query, whatever else is in it.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

// A decimal number that fits, nothing else.
std::optional<std::uint64_t> parse_number(std::string_view text);

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProblemType = "application/problem+json";

struct Response {
  unsigned status = 200;
  std::string_view content_type = kJsonType;
  std::string body = {};
  std::vector<std::pair<std::string_view, std::string>> fields = {};
  bool close = false;
  bool sent = false;                        // a stream has written its own head and body
  bool hides_body = false;                  // the answer to HEAD
  bool is_secret = false;                   // wiped from memory once it is sent
  std::optional<base::ErrorId> error = {};  // that it tells
};

std::string_view reason_phrase(unsigned status);

// The status line and the fields, with the blank line. The date is of now.
std::string head_of(const Response& response, bool keep_alive);
// "Date: ...\r\n"
std::string date_field();

}  // namespace weir::server
