// SPDX-License-Identifier: Apache-2.0
// UserRequests: a user's puts and gets that no home has answered, sent again until they fail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/instant.h"
#include "protocol/application.h"
#include "protocol/probe/messages.h"
#include "protocol/probe/options.h"

namespace weir::protocol::probe {

class UserRequests {
 public:
  using Step = Application::Step;

  explicit UserRequests(const ProbeOptions& options) : options_(options) {}

  void begin(const Step& step, const Put& put);
  void begin(const Step& step, const Get& get);
  // Ends a request. Returns false and drops the answer if it does not belong to one.
  bool end(const Step& step, const Acknowledge& acknowledge);
  bool end(const Step& step, const Answer& answer);

  // Sends due requests again, and tells the user of those that have failed.
  void retry_due(const Step& step);
  // The instant of the next retry, or an earlier one; nullopt if none is known.
  const std::optional<base::Instant>& next_retry() const { return next_retry_; }

 private:
  struct Request {
    bool is_put = false;
    Key key;
    std::string text;
    unsigned try_count = 0;
    base::Instant retry_at;
  };

  void begin(const Step& step, Request request);
  void send(const Step& step, std::uint64_t number, Request& request);
  bool end(const Step& step, bool is_put, Key key, std::uint64_t number);

  ProbeOptions options_;
  std::map<std::uint64_t, Request> requests_;  // by number
  std::uint64_t last_number_ = 0;
  std::optional<base::Instant> next_retry_;
};

}  // namespace weir::protocol::probe
