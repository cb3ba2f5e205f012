// SPDX-License-Identifier: Apache-2.0
#include "cli/subscribe_command.h"

#include <string>
#include <utility>

#include "broker/start.h"
#include "cli/api_client.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/subscriber.h"
#include "cli/warning_output.h"
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

// Whether the document of a subscription has just these filters.
bool has_filters(const event::JsonRef& document, const std::string& filters) {
  const event::JsonRef found = document.member("filters");
  if (!found) return false;
  std::string compact;
  event::append_compact(found, compact);
  return compact == filters;
}

std::string document_of(const std::string& filters, const SubscribeOptions& options) {
  std::string config;
  if (const auto start = broker::parse_start(options.from)) {
    config = "\"start\":" + broker::to_json(*start);
  }
  if (options.shared) config += std::string(config.empty() ? "" : ",") + R"("consumers":"shared")";
  std::string out;
  event::JsonObject object(out);
  object.raw("filters", filters);
  if (!config.empty()) object.raw("config", "{" + config + "}");
  object.close();
  return out;
}

// "consumers" is a word, or an object that only shared ones have.
bool is_shared(const event::JsonRef& document) {
  const event::JsonRef config = document.member("config");
  const event::JsonRef consumers = config ? config.member("consumers") : event::JsonRef();
  if (!consumers) return false;
  return consumers.kind() != event::JsonKind::kString || consumers.string() == "shared";
}

// Makes the durable subscription, unless there is one with the same filter already: that one goes
// on where it was. Returns whether consumers share it.
base::Result<bool> ensure_subscription(ApiClient& client, const SubscribeOptions& options) {
  const std::string target = subscription_target(options.id);
  const std::string filters = filters_of(options.filter);
  const auto existing = client.call("GET", target);
  if (existing) {
    const auto document = event::JsonDocument::parse(existing->body);
    if (!document) return document.error();
    const bool shared = is_shared(document->root());
    if (options.filter.empty()) return shared;
    if (has_filters(document->root(), filters) && (shared || !options.shared)) return shared;
  } else if (existing.error().id != base::ErrorId::kBrokerNoSuchSubscription ||
             options.filter.empty()) {
    return existing.error();
  }
  const auto put = client.call("PUT", target, document_of(filters, options));
  if (!put) return put.error();
  return options.shared;
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
    const auto filter = filter::Filter::parse(options.filter);
    if (!filter) return report(failure_of(filter.error(), options), json, streams.err);
    tell_warnings((*filter)->warnings(), options.filter, json, streams.err);
  }
  Signals signals({SIGTERM, SIGINT});
  auto client = ApiClient::create(options.connection);
  if (!client) return report(client.error(), json, streams.err);
  bool shared = false;
  if (!options.id.empty()) {
    auto ensured = ensure_subscription(*client, options);
    if (!ensured) return report({.error = std::move(ensured.error())}, json, streams.err);
    shared = *ensured;
  }
  Subscriber subscriber(options, shared, *client, streams, signals);
  if (auto done = subscriber.run(); !done) {
    streams.out.flush();
    return report(failure_of(std::move(done.error()), options), json, streams.err);
  }
  return finish(kExitOk, json, streams);
}

}  // namespace weir::cli
