// SPDX-License-Identifier: Apache-2.0
#include "cli/eval_command.h"

#include <fmt/format.h>

#include <utility>

#include "cli/event_file.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_text.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "filter/cesql/cesql.h"

namespace weir::cli {
namespace {

namespace cesql = filter::cesql;

// An expression that does not parse gives no evaluation.
Attempt<cesql::Evaluation> evaluate_cesql(const FilterText& text, const event::Event& event) {
  const auto expression = cesql::parse(text.text);
  if (!expression) return tl::unexpected(filter_failure(text, expression.error()));
  return cesql::evaluate(**expression, event);
}

Attempt<cesql::Evaluation> evaluate_filter(const FilterText& text, Dialect dialect,
                                           const event::EventPtr& event) {
  engine::Engine engine;
  auto subscribed = subscribe(engine, text, dialect, match::Initial::kDeliver);
  if (!subscribed) return tl::unexpected(std::move(subscribed.error()));
  const bool delivered = !engine.publish(event, base::Instant()).empty();
  return cesql::Evaluation{.value = delivered, .errors = {}};
}

void append_value(const cesql::CesqlValue& value, std::string& out) {
  if (const auto* boolean = std::get_if<bool>(&value)) {
    event::append_json(*boolean, out);
  } else if (const auto* integer = std::get_if<std::int32_t>(&value)) {
    event::append_json(std::int64_t{*integer}, out);
  } else {
    event::append_json(std::string_view(std::get<std::string>(value)), out);
  }
}

std::string to_json(const std::string& value, const std::vector<std::string>& errors,
                    const std::vector<std::string>& messages) {
  std::string out;
  event::JsonObject object(out);
  object.name("value");
  out += value;
  object.member("errors", errors);
  object.member("messages", messages);
  object.close();
  return out + '\n';
}

std::string to_json(const cesql::Evaluation& evaluation) {
  std::string value;
  append_value(evaluation.value, value);
  std::vector<std::string> errors;
  std::vector<std::string> messages;
  for (const cesql::EvaluationError& error : evaluation.errors) {
    errors.emplace_back(to_string(error.kind));
    messages.push_back(error.message);
  }
  return to_json(value, errors, messages);
}

std::string to_text(const cesql::Evaluation& evaluation) {
  std::string out;
  if (const auto* text = std::get_if<std::string>(&evaluation.value)) {
    out = fmt::format("'{}'", printable(*text, text->size()));
  } else {
    append_value(evaluation.value, out);
  }
  for (const cesql::EvaluationError& error : evaluation.errors) {
    out += fmt::format("  ({}: {})", to_string(error.kind), printable(error.message));
  }
  return out + '\n';
}

}  // namespace

int run_eval(const EvalOptions& options, Streams& streams) {
  const Attempt<event::EventPtr> event =
      options.event_path.empty() ? minimal_event() : read_event(options.event_path);
  if (!event) return report(event.error(), options.json, streams.err);
  const FilterText text{.text = options.expression, .what = "expression"};
  const auto evaluation = options.dialect == Dialect::kCesql
                              ? evaluate_cesql(text, **event)
                              : evaluate_filter(text, options.dialect, *event);
  if (evaluation) {
    streams.out.append(options.json ? to_json(*evaluation) : to_text(*evaluation));
    return finish(kExitOk, options.json, streams);
  }
  if (!options.json) return report(evaluation.error(), false, streams.err);
  const base::Error& error = evaluation.error().error;
  streams.out.append(to_json("null", {"parse"}, {error.to_string()}));
  return finish(exit_code(error.code()), options.json, streams);
}

}  // namespace weir::cli
