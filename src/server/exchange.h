// SPDX-License-Identifier: Apache-2.0
// Exchange: one request on its way through its handler, with all that the handler may use.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/broker.h"
#include "server/authenticator.h"
#include "server/body_budget.h"
#include "server/deadline.h"
#include "server/decode_threads.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/net.h"
#include "server/request.h"
#include "server/router.h"
#include "server/server_options.h"
#include "server/slow_calls.h"
#include "server/transport.h"

namespace weir::server {

// What all connections share.
struct Services {
  Services(broker::Broker& the_broker, ServerOptions the_options)
      : broker(the_broker),
        options(std::move(the_options)),
        bodies({.bytes_max = options.bodies_bytes_max, .body_bytes_max = options.body_bytes_max}),
        slow_calls(metrics, options),
        decode_threads(options.decode_thread_count),
        authenticator(broker, metrics, slow_calls),
        anonymous(std::make_shared<broker::Principal>(broker::Principal{
            .name = "", .grants = broker.options().anonymous_grants.value_or(broker::Grants{})})) {}

  broker::Broker& broker;
  const ServerOptions options;
  BodyBudget bodies;
  Metrics metrics;
  SlowCalls slow_calls;
  DecodeThreads decode_threads;
  Authenticator authenticator;
  const broker::PrincipalPtr anonymous;
};

// That a connection is to end soon.
struct StopSignal {
  bool stopping = false;
  std::function<void()> notify = {};  // called when it begins to
};

struct Exchange {
  Services& services;
  Request& request;
  Transport& transport;
  Deadline& deadline;
  StopSignal& stop;
  bool has_bytes_after = false;  // more than the request has arrived
  std::string id = {};           // of the path: a subscription's, or the name of a token
  std::string delivery = {};     // likewise; empty: the path has none
  Query query = {};              // has the parameters of the route only
  broker::PrincipalPtr principal = {};
};

using Handler = Task<Response> (*)(Exchange& exchange);

Handler handler_of(Action action);

}  // namespace weir::server
