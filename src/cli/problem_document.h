// SPDX-License-Identifier: Apache-2.0
// Problem: an error as a broker tells it (application/problem+json), read back.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "event/json_document.h"
#include "server/http_client_message.h"

namespace weir::cli {

struct Problem {
  base::Error error;
  int status = 0;

  // Whether the same request may well succeed a little later.
  bool is_passing() const { return status == 429 || status == 503; }
};

// Nothing if it is not a document of that kind, or has a number that is not known here.
std::optional<Problem> read_problem(const event::JsonRef& object);
std::optional<Problem> read_problem(std::string_view json);

// Of an answer that is no success; if it has no document, what its status says.
Problem problem_of(std::string_view method, std::string_view target,
                   const server::HttpAnswer& answer);
// Of the error of a stream that was refused, which quotes the answer.
Problem problem_of_refusal(const base::Error& error);

}  // namespace weir::cli
