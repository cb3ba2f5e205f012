// SPDX-License-Identifier: Apache-2.0
#include "cli/subscribe_command.h"

#include <string>
#include <utility>

#include "cli/api_client.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/subscriber.h"
#include "event/json_document.h"
#include "event/json_writer.h"
#include "filter/filter.h"

namespace weir::cli {
namespace {

std::string filters_of(const std::string& filter) {
  std::string out = "[";
  event::JsonObject object(out);
  object.member("weir", filter);
  object.close();
  return out + "]";
}

// Whether the answer describes a subscription with just these filters.
bool has_filters(const server::HttpAnswer& answer, const std::string& filters) {
  const auto document = event::JsonDocument::parse(answer.body);
  const event::JsonRef found = document ? document->root().member("filters") : event::JsonRef();
  if (!found) return false;
  std::string compact;
  event::append_compact(found, compact);
  return compact == filters;
}

// Makes the durable subscription, unless there is one with the same filter already: that one goes
// on where it was.
base::Result<void> ensure_subscription(ApiClient& client, const SubscribeOptions& options) {
  const std::string target = subscription_target(options.id);
  const std::string filters = filters_of(options.filter);
  const auto existing = client.call("GET", target);
  if (existing && has_filters(*existing, filters)) return {};
  if (!existing && existing.error().id != base::ErrorId::kBrokerNoSuchSubscription) {
    return existing.error();
  }
  const auto put = client.call("PUT", target, "{\"filters\":" + filters + "}");
  if (!put) return put.error();
  return {};
}

Failure failure_of(base::Error error, const SubscribeOptions& options) {
  // Those of a filter point into its text.
  const bool in_filter = error.position && !options.filter.empty();
  return {.error = std::move(error),
          .what = in_filter ? "filter" : "",
          .text = in_filter ? options.filter : ""};
}

}  // namespace

int run_subscribe(const SubscribeOptions& options, Streams& streams) {
  const bool json = options.connection.json;
  // Here its position is one in the text, not in a document.
  if (!options.filter.empty()) {
    if (const auto filter = filter::Filter::parse(options.filter); !filter) {
      return report(failure_of(filter.error(), options), json, streams.err);
    }
  }
  Signals signals({SIGTERM, SIGINT});
  auto client = ApiClient::create(options.connection);
  if (!client) return report(client.error(), json, streams.err);
  if (!options.id.empty() && !options.filter.empty()) {
    if (auto ensured = ensure_subscription(*client, options); !ensured) {
      return report({.error = std::move(ensured.error())}, json, streams.err);
    }
  }
  Subscriber subscriber(options, *client, streams, signals);
  if (auto done = subscriber.run(); !done) {
    streams.out.flush();
    return report(failure_of(std::move(done.error()), options), json, streams.err);
  }
  return finish(kExitOk, json, streams);
}

}  // namespace weir::cli
