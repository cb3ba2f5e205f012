// SPDX-License-Identifier: Apache-2.0
// Subscriber: consumes the deliveries of a broker, writes them line by line, and acknowledges those
// of a durable subscription once they are written.
//
// A lost connection is opened again and goes on after the last delivery that was written: nothing
// is missing, and what was written but not yet acknowledged is not written twice. An ephemeral
// subscription misses what came meanwhile. Of a shared one each delivery is acknowledged by itself;
// what was not acknowledged when the connection was lost goes to another consumer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/delivery_id.h"
#include "cli/api_client.h"
#include "cli/backoff.h"
#include "cli/client_options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/sse_reader.h"

namespace weir::cli {

class Subscriber {
 public:
  Subscriber(const SubscribeOptions& options, bool shared, ApiClient& client, Streams& streams,
             Signals& signals);

  // Until it has what it wants, a signal comes or nobody reads; fails if it cannot go on.
  base::Result<void> run();

 private:
  enum class Next : std::uint8_t { kGoOn, kEnd, kConnectAgain };

  std::string target() const;
  base::Result<void> follow_until_end();
  base::Result<Next> follow(server::HttpStream& stream);
  base::Result<Next> take(const SseMessage& message);
  base::Result<Next> take_notice(const std::string& data);
  base::Result<Next> wait_to_connect(const base::Error& reason);
  // Writes out, acknowledges what is due, looks for signals.
  base::Result<Next> tick(base::Instant now);
  base::Result<void> acknowledge();

  const SubscribeOptions& options_;
  bool shared_;
  ApiClient& client_;
  Streams& streams_;
  Signals& signals_;
  Backoff backoff_;
  // Open until all is acknowledged: the deliveries of a consumer that has gone go to others.
  std::optional<server::HttpStream> stream_;
  bool told_lost_ = false;
  base::Instant ticked_at_;
  std::uint64_t taken_count_ = 0;
  std::uint64_t unacknowledged_count_ = 0;
  std::vector<std::string> unacknowledged_;    // shared: their ids, as JSON
  std::optional<broker::DeliveryId> written_;  // the last delivery
};

}  // namespace weir::cli
