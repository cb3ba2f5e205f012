// SPDX-License-Identifier: Apache-2.0
#include "cli/subscriptions_command.h"

#include <string>
#include <string_view>
#include <utility>

#include "cli/api_client.h"
#include "cli/api_list.h"
#include "cli/byte_source.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/table_output.h"
#include "event/json_document.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::size_t kDocumentBytesMax = std::size_t{16} << 20U;

// Of a distinct clause; nothing if there is none.
JsonRef window_of(const JsonRef& status) {
  return status && status.kind() == JsonKind::kObject ? status.member("window") : JsonRef();
}

base::Result<void> list(ApiClient& client, const SubscriptionsOptions& options, Streams& streams) {
  Table table({"ID", "OWNER", "PENDING", "DELIVERED", "ACKED", "DROPPED", "KEYS", "CONNECTED",
               "SINK", "FILTERS"});
  auto done = for_each_listed(client, "/subscriptions", "subscriptions", [&](const JsonRef& one) {
    if (options.connection.json) {
      streams.out.append(std::string(one.raw()) + '\n');
      return;
    }
    const JsonRef status = one.member("status");
    table.add({text_of(one, "id"), text_of(one, "owner"), text_of(status, "pending"),
               text_of(status, "delivered"), text_of(status, "acknowledged"),
               text_of(status, "dropped"), text_of(window_of(status), "keys"),
               text_of(status, "connected"), text_of(one, "sink"), text_of(one, "filters")});
  });
  if (done && !options.connection.json) streams.out.append(table.to_text());
  return done;
}

// What is asked of the broker.
struct Call {
  std::string_view method;
  std::string target;
  std::string_view media_type = "application/json";  // of the body, if there is one
};

// The verbs that send a file.
Call call_of(const SubscriptionsOptions& options) {
  const std::string target = subscription_target(options.id);
  if (options.verb == SubscriptionsVerb::kCreate) return {"POST", "/subscriptions"};
  if (options.verb == SubscriptionsVerb::kReplace) return {"PUT", target};
  return {"POST", target + "/forget", "application/cloudevents+json"};
}

base::Result<void> make(const Call& call, ApiClient& client, bool json, Streams& streams,
                        const std::string& body = {}) {
  const auto answer = client.call(call.method, call.target, body, call.media_type);
  if (!answer) return answer.error();
  if (answer->status == 204) return {};
  return show_object(*answer, json, streams, body);
}

base::Result<void> transfer(ApiClient& client, const SubscriptionsOptions& options,
                            Streams& streams) {
  const bool all = !options.all_of.empty();
  std::string body;
  event::JsonObject object(body);
  object.member(all ? "to" : "owner", options.owner);
  object.close();
  const std::string target =
      all ? fmt::format("/tokens/{}/transfer", percent_encoded(options.all_of))
          : subscription_target(options.id) + "/owner";
  return make({"POST", target}, client, options.connection.json, streams, body);
}

Attempt<void> send_file(ApiClient& client, const SubscriptionsOptions& options, Streams& streams) {
  auto source = FileSource::open(options.input_path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  const auto text = read_all(*source, kDocumentBytesMax);
  if (!text) return tl::unexpected(file_failure(text.error(), source->name()));
  auto sent = make(call_of(options), client, options.connection.json, streams, *text);
  if (sent) return {};
  // A position is one in the document.
  const bool placed = sent.error().position.has_value();
  return tl::unexpected(Failure{.error = std::move(sent.error()),
                                .what = placed ? source->name() : "",
                                .text = placed ? *text : ""});
}

Attempt<void> perform(ApiClient& client, const SubscriptionsOptions& options, Streams& streams) {
  const auto outcome = [](base::Result<void> done) -> Attempt<void> {
    if (!done) return tl::unexpected(Failure{.error = std::move(done.error())});
    return {};
  };
  const bool json = options.connection.json;
  const std::string target = subscription_target(options.id);
  switch (options.verb) {
    case SubscriptionsVerb::kList:
      return outcome(list(client, options, streams));
    case SubscriptionsVerb::kShow:
      return outcome(make({"GET", target}, client, json, streams));
    case SubscriptionsVerb::kDelete:
      return outcome(make({"DELETE", target}, client, json, streams));
    case SubscriptionsVerb::kTransfer:
      return outcome(transfer(client, options, streams));
    case SubscriptionsVerb::kCreate:
    case SubscriptionsVerb::kReplace:
    case SubscriptionsVerb::kForget:
      break;
  }
  return send_file(client, options, streams);
}

}  // namespace

int run_subscriptions(const SubscriptionsOptions& options, Streams& streams) {
  const bool json = options.connection.json;
  auto client = ApiClient::create(options.connection);
  if (!client) return report(client.error(), json, streams.err);
  if (auto done = perform(*client, options, streams); !done) {
    return report(done.error(), json, streams.err);
  }
  return finish(kExitOk, json, streams);
}

}  // namespace weir::cli
