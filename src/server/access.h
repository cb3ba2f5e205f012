// SPDX-License-Identifier: Apache-2.0
// Who a request comes from, as far as its header tells: its token, or whether it may do without.
//
// A page in a browser can send requests to this machine in its user's name. So a request without a
// token must not come from a page of another origin (Sec-Fetch-Site, Origin), and on this machine
// must call it by a name of this machine (Host), else a foreign name that leads here would do. A
// token is proof enough: a foreign page has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/request.h"
#include "server/server_options.h"

namespace weir::server {

// Of the header Authorization, or the query parameter access_token. Nothing if there is none.
base::Result<std::optional<std::string>> token_of(const Request& request);

// Takes the same time wherever they differ.
bool is_same_token(std::string_view left, std::string_view right);

// kBrokerUnauthenticated if the request lacks the header that the proxy in front is to add. Then
// the proxy adds none, and nobody can tell who is behind it.
base::Result<void> check_proxy(const Request& request, const ServerOptions& options);

// Whether a request without a token is let in.
base::Result<void> check_anonymous(const Request& request, bool from_loopback,
                                   const ServerOptions& options);

// kHttpCrossSite if a browser says that a page of another origin asks, unless that is allowed.
// Sec-Fetch-Site tells it also where a browser sends no Origin: for images, scripts and frames.
base::Result<void> check_site(const Request& request, const ServerOptions& options);
bool is_allowed_origin(std::string_view origin, const ServerOptions& options);

// Adds what a browser wants to know before it gives an answer to a page of an allowed origin.
void add_cross_origin_fields(const Request& request, const ServerOptions& options,
                             Response& response);

// Without port; in brackets if it is of IPv6.
std::string_view host_name(std::string_view host);

}  // namespace weir::server
