// SPDX-License-Identifier: Apache-2.0
// Publisher: sends events to a broker in batches, and tells which of them it refused.
//
// A broker that is busy, or was reached before and is gone, is tried again, for as long as the
// options say. That is safe: an event that it has already taken is told by its source and id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "cli/api_client.h"
#include "cli/backoff.h"

namespace weir::cli {

class Publisher {
 public:
  struct Options {
    std::size_t batch_count = 100;
    std::size_t batch_bytes = std::size_t{1} << 20U;
    base::Duration retry = base::Duration::seconds(30);
    // An event that the broker refused, by the line it came with.
    std::function<void(std::uint64_t line, const base::Error& error)> on_rejected = {};
  };
  struct Counts {
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t rejected = 0;
    std::uint64_t retries = 0;  // requests that were sent again
  };

  Publisher(ApiClient& client, Options options);

  // Takes an event's JSON text; sends what has come together if that is enough for a request.
  base::Result<void> add(std::uint64_t line, std::string_view json);
  // Sends what is left.
  base::Result<void> flush();

  const Counts& counts() const { return counts_; }

 private:
  struct Item {
    std::uint64_t line;
    std::string json;
  };
  // What came of one request: what is to be sent again, and why.
  struct Round {
    std::vector<Item> left;
    base::Error error;
    base::Duration wait = {};  // at least, before the next
  };

  base::Result<Round> send(std::vector<Item> items);
  base::Result<Round> read_answer(std::vector<Item> items, const server::HttpAnswer& answer);
  void count(const event::JsonRef& result, Item& item, Round& round);

  ApiClient& client_;
  Options options_;
  Backoff backoff_;
  std::vector<Item> items_;
  std::size_t bytes_ = 0;
  bool reached_ = false;
  Counts counts_;
};

}  // namespace weir::cli
