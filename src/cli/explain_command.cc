// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/event_clock.h"
#include "cli/event_file.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_loop.h"
#include "cli/filter_text.h"
#include "cli/text_output.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

using engine::Outcome;

std::string_view reason(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "Delivered: the filter holds.";
    case Outcome::kNoMatch:
      return "Not delivered: the filter is about other events.";
    case Outcome::kBelowScore:
      return "Not delivered: the text is not what is asked for, all else holds.";
    case Outcome::kNoValue:
      return "Not delivered: change finds no value in the event that it can judge.";
    case Outcome::kWithinThreshold:
      return "Not delivered: the value has not changed enough since the last delivery.";
    case Outcome::kHeld:
      return "Not delivered yet: too early; when the interval is over the newest value counts.";
    case Outcome::kDuplicate:
      return "Not delivered: an event with the same keys was delivered within the window.";
  }
  return "Not delivered.";
}

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
  std::string out = fmt::format("{}\n\n", reason(explanation.outcome));
  append_tree(explanation.filter, 0, bold, out);
  if (!explanation.distinct.empty()) {
    const bool duplicate = explanation.outcome == Outcome::kDuplicate;
    out += fmt::format("{}{} {}\n", duplicate ? "→ " : "  ", duplicate ? "✗" : "✓",
                       printable(explanation.distinct));
  }
  return out;
}

void append_part(const filter::Explanation& part, std::string& out) {
  event::JsonObject object(out);
  object.member("text", part.text);
  object.member("holds", part.holds);
  object.member("decided", part.decided);
  object.member("detail", part.detail);
  object.name("parts");
  out += '[';
  for (const filter::Explanation& inner : part.parts) {
    if (&inner != &part.parts.front()) out += ',';
    append_part(inner, out);
  }
  out += ']';
  object.close();
}

std::string to_json(const engine::EventExplanation& explanation) {
  std::string outcome(to_string(explanation.outcome));
  std::ranges::replace(outcome, ' ', '_');
  std::string out;
  event::JsonObject object(out);
  object.member("delivered", explanation.outcome == Outcome::kPassed);
  object.member("outcome", outcome);
  object.member("reason", reason(explanation.outcome));
  object.name("filter");
  append_part(explanation.filter, out);
  if (!explanation.distinct.empty()) object.member("distinct", explanation.distinct);
  object.close();
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

Attempt<engine::EventExplanation> explain(const ExplainOptions& options) {
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

}  // namespace

int run_explain(const ExplainOptions& options, Streams& streams) {
  const auto explanation = explain(options);
  if (!explanation) return report(explanation.error(), options.json, streams.err);
  const bool bold = ::isatty(STDOUT_FILENO) == 1;
  streams.out.append(options.json ? to_json(*explanation) : to_text(*explanation, bold));
  const bool delivered = explanation->outcome == Outcome::kPassed;
  return finish(delivered ? kExitOk : kExitNo, options.json, streams);
}

}  // namespace weir::cli
