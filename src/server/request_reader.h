// SPDX-License-Identifier: Apache-2.0
// RequestReader: takes requests from a transport, within the limits of header, body and time.
//
//   read_header() -> checks that need no body -> read_body() -> answer -> read_header() ...
//
// Bytes that came with a request and belong to the next are kept. Never more than a header's or 64
// KiB are held besides the body. Used from one io thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/body_budget.h"
#include "server/deadline.h"
#include "server/metrics.h"
#include "server/net.h"
#include "server/request.h"
#include "server/server_options.h"
#include "server/transport.h"

namespace weir::server {

class RequestReader {
 public:
  RequestReader(Transport& transport, Deadline& deadline, Metrics& metrics, BodyBudget& bodies,
                const ServerOptions& options);
  ~RequestReader();

  // True: request() is there, without its body. False: the peer has ended, or sent nothing for too
  // long. An error is to be answered, and nothing more can be read.
  Task<base::Result<bool>> read_header();
  // Fails before reading if the length that was announced is beyond the limit.
  base::Result<void> check_body() const;
  // The body counts as the owner's until the next request is read.
  Task<base::Result<void>> read_body(std::string_view owner);

  Request& request() { return request_; }
  bool has_bytes() const { return begin_ < end_; }
  // Whether the request has been read to its end.
  bool is_done() const;

 private:
  struct Parser;

  Task<bool> fill(std::size_t capacity_bytes_max);
  base::Result<bool> parse();
  base::Error header_too_long();
  base::Result<void> take_request();
  void set_body_deadline(Clock::time_point begin);
  std::string_view unread() const {
    return std::string_view(buffer_).substr(begin_, end_ - begin_);
  }

  Transport& transport_;
  Deadline& deadline_;
  Metrics& metrics_;
  const ServerOptions& options_;
  std::unique_ptr<Parser> parser_;
  std::string buffer_;            // what has been read and not yet parsed stands
  std::size_t begin_ = 0;         // from here
  std::size_t end_ = 0;           // to there
  std::size_t header_bytes_ = 0;  // parsed so far
  BodyBudget::Share body_share_;
  Request request_;
  bool is_first_ = true;
};

}  // namespace weir::server
