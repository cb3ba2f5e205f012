// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "cli/api_client.h"
#include "cli/event_clock.h"
#include "cli/event_file.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_loop.h"
#include "cli/filter_text.h"
#include "cli/text_output.h"
#include "engine/explanation_json.h"

namespace weir::cli {
namespace {

using engine::Outcome;

// Leaves decide; what is above them only passes their word on.
bool is_decisive(const filter::Explanation& part) { return part.decided && part.parts.empty(); }

void append_tree(const filter::Explanation& part, std::size_t depth, bool bold, std::string& out) {
  const bool decisive = is_decisive(part);
  out +=
      fmt::format("{}{:{}}{}{} {}", decisive ? "→ " : "  ", "", 2 * depth,
                  decisive && bold ? "\x1b[1m" : "", part.holds ? "✓" : "✗", printable(part.text));
  if (!part.detail.empty()) out += fmt::format("  [{}]", printable(part.detail));
  if (decisive && bold) out += "\x1b[0m";
  out += '\n';
  for (const filter::Explanation& inner : part.parts) append_tree(inner, depth + 1, bold, out);
}

std::string to_text(const engine::EventExplanation& explanation, bool bold) {
  std::string out = fmt::format("{}\n\n", reason(explanation));
  append_tree(explanation.filter, 0, bold, out);
  if (!explanation.distinct.empty()) {
    const bool duplicate = explanation.outcome == Outcome::kDuplicate;
    out += fmt::format("{}{} {}\n", duplicate ? "→ " : "  ", duplicate ? "✗" : "✓",
                       printable(explanation.distinct));
  }
  return out;
}

std::string to_json(const engine::EventExplanation& explanation) {
  std::string out;
  engine::append_json(explanation, out);
  return out + '\n';
}

// Publishes the events of the history; what they deliver is nobody's concern.
Attempt<void> replay(const std::string& path, engine::Engine& engine, EventClock& clock) {
  auto source = FileSource::open(path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  LineReader reader(*source);
  for (;;) {
    const auto more = reader.next();
    if (!more) return tl::unexpected(file_failure(more.error(), source->name()));
    if (!*more) return {};
    if (is_blank(reader.line())) continue;
    const auto event = decode_line(reader, {});
    if (!event) return tl::unexpected(file_failure(event.error(), source->name()));
    engine.publish(*event, clock.at(**event));
  }
}

// Of a filter, in an engine of its own.
Attempt<engine::EventExplanation> explain_filter(const ExplainOptions& options) {
  engine::Engine engine({.text = {.language = options.language}});
  const auto subscribed =
      subscribe(engine, {.text = options.filter}, options.dialect, options.initial);
  if (!subscribed) return tl::unexpected(subscribed.error());
  const auto event = read_event(options.event_path);
  if (!event) return tl::unexpected(event.error());
  EventClock clock(ClockKind::kEvent);
  if (!options.history_path.empty()) {
    if (auto replayed = replay(options.history_path, engine, clock); !replayed) {
      return tl::unexpected(std::move(replayed.error()));
    }
  }
  const base::Instant now = clock.at(**event);
  engine.advance(now);
  return engine.explain(subscribed->id, *event, now).value();
}

// Of a subscription, by its broker.
Attempt<engine::EventExplanation> explain_subscription(const ExplainOptions& options) {
  auto client = ApiClient::create(options.connection);
  if (!client) return tl::unexpected(std::move(client.error()));
  const auto event = read_event(options.event_path);
  if (!event) return tl::unexpected(event.error());
  auto answer = client->call("POST", subscription_target(options.id) + "/explain",
                             std::string((*event)->json()), "application/cloudevents+json");
  if (!answer) return tl::unexpected(Failure{.error = std::move(answer.error())});
  auto explanation = engine::read_explanation(answer->body);
  if (!explanation) return tl::unexpected(Failure{.error = strange_answer()});
  return *std::move(explanation);
}

}  // namespace

int run_explain(const ExplainOptions& options, Streams& streams) {
  const bool json = options.connection.json;
  const auto explanation =
      options.id.empty() ? explain_filter(options) : explain_subscription(options);
  if (!explanation) return report(explanation.error(), json, streams.err);
  const bool bold = ::isatty(STDOUT_FILENO) == 1;
  streams.out.append(json ? to_json(*explanation) : to_text(*explanation, bold));
  const bool delivered = explanation->outcome == Outcome::kPassed;
  return finish(delivered ? kExitOk : kExitNo, json, streams);
}

}  // namespace weir::cli
