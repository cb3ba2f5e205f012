// SPDX-License-Identifier: Apache-2.0
#include "cli/dead_letters_command.h"

#include <string>
#include <utility>

#include "cli/api_client.h"
#include "cli/api_list.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/table_output.h"

namespace weir::cli {
namespace {

using event::JsonRef;

base::Result<void> list(ApiClient& client, const DeadLettersOptions& options, Streams& streams) {
  Table table({"NUMBER", "AT", "REASON", "EVENTS"});
  auto done = for_each_listed(client, subscription_target(options.id) + "/dead-letters",
                              "dead_letters", [&](const JsonRef& one) {
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

base::Result<void> change(ApiClient& client, const DeadLettersOptions& options, Streams& streams) {
  const bool resends = options.verb == DeadLettersVerb::kResend;
  std::string target = subscription_target(options.id) + "/dead-letters";
  if (options.delivery) target += "/" + std::to_string(*options.delivery);
  if (resends) target += "/resend";
  const auto answer = client.call(resends ? "POST" : "DELETE", target);
  if (!answer) return answer.error();
  return show_object(*answer, options.connection.json, streams);
}

}  // namespace

int run_dead_letters(const DeadLettersOptions& options, Streams& streams) {
  const bool json = options.connection.json;
  auto client = ApiClient::create(options.connection);
  if (!client) return report(client.error(), json, streams.err);
  auto done = options.verb == DeadLettersVerb::kList ? list(*client, options, streams)
                                                     : change(*client, options, streams);
  if (!done) return report(Failure{.error = std::move(done.error())}, json, streams.err);
  return finish(kExitOk, json, streams);
}

}  // namespace weir::cli
