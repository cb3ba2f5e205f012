// SPDX-License-Identifier: Apache-2.0
// ApiClient: a broker's HTTP interface, for commands. Answers that are no success become errors, as
// the broker tells them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/client_options.h"
#include "cli/failure.h"
#include "cli/problem_document.h"
#include "server/http_client.h"

namespace weir::cli {

class ApiClient {
 public:
  static Attempt<ApiClient> create(const ConnectionOptions& options);

  // The answer if it is a success.
  base::Result<server::HttpAnswer> call(std::string_view method, const std::string& target,
                                        std::string json_body = {},
                                        std::string_view media_type = "application/json");
  // Whatever the answer is.
  base::Result<server::HttpAnswer> request(std::string_view method, const std::string& target,
                                           std::vector<server::HttpField> fields,
                                           std::string body) {
    return client_.request(method, target, std::move(fields), std::move(body));
  }
  base::Result<server::HttpStream> open_stream(const std::string& target) {
    return client_.open_stream(target, {{"Accept", "text/event-stream"}});
  }

 private:
  explicit ApiClient(server::HttpClient client) : client_(std::move(client)) {}

  server::HttpClient client_;
};

// Whether the other side was not reached, or did not answer: the same may work later.
bool is_connection_error(const base::Error& error);

// Of an answer that a command cannot read.
base::Error strange_answer();

// As it may stand in a path or a query.
std::string percent_encoded(std::string_view text);
// "/subscriptions/ID"
std::string subscription_target(std::string_view id);

}  // namespace weir::cli
