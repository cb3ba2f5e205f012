// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>

#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

Error unauthenticated(std::string message) {
  return {ErrorId::kBrokerUnauthenticated, std::move(message), std::nullopt};
}

constexpr std::array<std::string_view, 3> kProxyFields = {"forwarded", "via", "x-real-ip"};

bool came_by_proxy(const Request& request) {
  return std::ranges::any_of(request.fields, [](const Field& field) {
    const auto is_field = [&](std::string_view name) {
      return equals_in_any_case(field.name, name);
    };
    return starts_with_in_any_case(field.name, "x-forwarded-") ||
           std::ranges::any_of(kProxyFields, is_field);
  });
}

// `ce-` and the name of an attribute, in any case: a header of an event in binary mode.
bool is_event_field(std::string_view name) {
  constexpr std::string_view kPrefix = "ce-";
  if (!starts_with_in_any_case(name, kPrefix) || name.size() == kPrefix.size()) return false;
  return std::ranges::all_of(to_lower(name.substr(kPrefix.size())), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

// Extension attributes have any name, so the headers of events that are asked for are repeated.
std::string allowed_fields(const Request& preflight) {
  std::string allowed = "Authorization, Content-Type, Last-Event-ID";
  const auto asked = preflight.field("access-control-request-headers");
  for_each_in_list(asked.value_or(""), [&](std::string_view name) {
    if (is_event_field(name)) allowed.append(", ").append(name);
  });
  return allowed;
}

bool names_this_machine(std::string_view host, const ServerOptions& options) {
  const std::string_view name = host_name(host);
  const auto is_name = [&](std::string_view known) { return equals_in_any_case(name, known); };
  return is_name("localhost") || is_name("127.0.0.1") || is_name("[::1]") ||
         std::ranges::any_of(options.allowed_hosts, is_name);
}

// Whether no browser says that the request was made by a page of another origin. "none" is a person
// who typed the address. A program that is no browser sends no such field.
bool is_own_page(const Request& request) {
  return std::ranges::all_of(request.fields, [](const Field& field) {
    return !equals_in_any_case(field.name, "sec-fetch-site") ||
           equals_in_any_case(field.value, "same-origin") ||
           equals_in_any_case(field.value, "none");
  });
}

bool is_of_host(std::string_view origin, const Request& request) {
  const std::size_t scheme = origin.find("://");
  const auto host = request.field("host");
  return host && scheme != std::string_view::npos &&
         equals_in_any_case(origin.substr(scheme + 3), *host);
}

}  // namespace

std::string_view host_name(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  const std::size_t colon = host.find(':', std::min(bracket, host.size()));
  return host.substr(0, colon);
}

base::Result<std::optional<std::string>> token_of(const Request& request) {
  const auto field = request.field("authorization");
  if (field) {
    if (!starts_with_in_any_case(*field, "bearer ") || request.count("authorization") > 1) {
      return unauthenticated("expected one header 'Authorization: Bearer <token>'");
    }
    return std::optional<std::string>(trim(field->substr(7)));
  }
  return query_parameter(request.query, "access_token");
}

bool is_same_token(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

base::Result<void> check_proxy(const Request& request, const ServerOptions& options) {
  if (options.proxy_header.empty() || request.field(options.proxy_header)) return {};
  return unauthenticated(
      fmt::format("expected the header '{}', which the proxy in front of this broker must add to "
                  "every request",
                  options.proxy_header));
}

base::Result<void> check_anonymous(const Request& request, bool from_loopback,
                                   const ServerOptions& options) {
  constexpr std::string_view kAsk = "expected a token: 'Authorization: Bearer <token>'";
  if (options.anonymous == Anonymous::kOff) return unauthenticated(std::string(kAsk));
  if (options.anonymous == Anonymous::kLoopback) {
    if (!from_loopback) return unauthenticated(std::string(kAsk));
    if (came_by_proxy(request) || !options.proxy_header.empty()) {
      return unauthenticated(fmt::format("{}; a proxy stands between", kAsk));
    }
    if (!names_this_machine(request.field("host").value_or("localhost"), options)) {
      return unauthenticated(
          fmt::format("{}; or the header Host to be localhost, 127.0.0.1 or [::1]", kAsk));
    }
  }
  return check_site(request, options);
}

bool is_allowed_origin(std::string_view origin, const ServerOptions& options) {
  return std::ranges::any_of(options.allowed_origins, [&](std::string_view allowed) {
    return equals_in_any_case(origin, allowed);
  });
}

base::Result<void> check_site(const Request& request, const ServerOptions& options) {
  const auto origin = request.field("origin");
  if (origin && is_allowed_origin(*origin, options)) return {};
  if (is_own_page(request) && (!origin || is_of_host(*origin, request))) return {};
  return Error{ErrorId::kHttpCrossSite,
               "the request comes from a page of another site, which is not among the allowed "
               "origins",
               std::nullopt};
}

void add_cross_origin_fields(const Request& request, const ServerOptions& options,
                             Response& response) {
  const auto origin = request.field("origin");
  if (!origin || !is_allowed_origin(*origin, options)) return;
  response.fields.emplace_back("Access-Control-Allow-Origin", std::string(*origin));
  const bool is_preflight = request.method == "OPTIONS";
  response.fields.emplace_back("Vary",
                               is_preflight ? "Origin, Access-Control-Request-Headers" : "Origin");
  if (!is_preflight) return;
  response.fields.emplace_back("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  response.fields.emplace_back("Access-Control-Allow-Headers", allowed_fields(request));
}

}  // namespace weir::server
