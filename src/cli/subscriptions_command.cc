// SPDX-License-Identifier: Apache-2.0
#include "cli/subscriptions_command.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "cli/api_client.h"
#include "cli/byte_source.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/table_output.h"
#include "cli/text_output.h"
#include "event/json_document.h"

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::size_t kDocumentBytesMax = std::size_t{16} << 20U;
constexpr std::size_t kPageCount = 500;

// A member as people read it: a text without quotes, anything else as JSON.
std::string text_of(const JsonRef& object, std::string_view name) {
  const JsonRef value =
      object && object.kind() == JsonKind::kObject ? object.member(name) : JsonRef();
  if (!value) return {};
  if (value.kind() == JsonKind::kString) return std::string(value.string());
  std::string text;
  event::append_compact(value, text);
  return text;
}

// Calls visit for each element of the list of that name, page by page.
base::Result<void> for_each(ApiClient& client, const std::string& target, std::string_view list,
                            const std::function<void(const JsonRef&)>& visit) {
  std::string after;
  for (;;) {
    const std::string page = fmt::format("{}?limit={}{}{}", target, kPageCount,
                                         after.empty() ? "" : "&after=", percent_encoded(after));
    const auto answer = client.call("GET", page);
    if (!answer) return answer.error();
    const auto document = event::JsonDocument::parse(answer->body);
    const JsonRef elements = document ? document->root().member(list) : JsonRef();
    if (!elements || elements.kind() != JsonKind::kArray) return strange_answer();
    elements.for_each_element(visit);
    after = text_of(document->root(), "next");
    if (after.empty()) return {};
  }
}

// Of a distinct clause; nothing if there is none.
JsonRef window_of(const JsonRef& status) {
  return status && status.kind() == JsonKind::kObject ? status.member("window") : JsonRef();
}

base::Result<void> list(ApiClient& client, const SubscriptionsOptions& options, Streams& streams) {
  Table table({"ID", "OWNER", "PENDING", "DELIVERED", "ACKED", "DROPPED", "KEYS", "CONNECTED",
               "SINK", "FILTERS"});
  auto done = for_each(client, "/subscriptions", "subscriptions", [&](const JsonRef& one) {
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

base::Result<void> list_dead_letters(ApiClient& client, const SubscriptionsOptions& options,
                                     Streams& streams) {
  Table table({"NUMBER", "AT", "REASON", "EVENTS"});
  auto done = for_each(client, subscription_target(options.id) + "/dead-letters", "dead_letters",
                       [&](const JsonRef& one) {
                         if (options.connection.json) {
                           streams.out.append(std::string(one.raw()) + '\n');
                           return;
                         }
                         table.add({text_of(one, "number"), text_of(one, "at"),
                                    text_of(one, "reason"), text_of(one, "events")});
                       });
  if (done && !options.connection.json) streams.out.append(table.to_text());
  return done;
}

void append_members(const JsonRef& object, std::string_view indent, std::string& out) {
  object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
    const std::string key = printable(name.string());
    if (value.kind() == JsonKind::kObject) {
      fmt::format_to(std::back_inserter(out), "{}{}\n", indent, key);
      append_members(value, std::string(indent) + "  ", out);
    } else {
      fmt::format_to(std::back_inserter(out), "{}{:<14} {}\n", indent, key,
                     printable(text_of(object, name.string()), kDocumentBytesMax));
    }
  });
}

base::Result<void> show(const server::HttpAnswer& answer, bool json, Streams& streams) {
  const auto document = event::JsonDocument::parse(answer.body);
  if (!document || document->root().kind() != JsonKind::kObject) return strange_answer();
  std::string out;
  if (json) {
    out = answer.body + '\n';
  } else {
    append_members(document->root(), "", out);
  }
  streams.out.append(out);
  return {};
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
                        std::string body = {}) {
  const auto answer = client.call(call.method, call.target, std::move(body), call.media_type);
  if (!answer) return answer.error();
  if (answer->status == 204) return {};
  return show(*answer, json, streams);
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
    case SubscriptionsVerb::kDeadLetters:
      return outcome(list_dead_letters(client, options, streams));
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
