// SPDX-License-Identifier: Apache-2.0
#include "cli/check_command.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_text.h"
#include "cli/option_values.h"
#include "cli/state_estimate.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "filter/print.h"

namespace weir::cli {
namespace {

std::vector<std::string> kinds_of(const filter::Filter& filter) {
  const filter::Kinds& kinds = filter.kinds();
  std::vector<std::string> names;
  if (kinds.topic) names.emplace_back("topic");
  if (kinds.content) names.emplace_back("content");
  if (kinds.text) names.emplace_back("text");
  if (kinds.change) names.emplace_back("change");
  if (kinds.distinct) names.emplace_back("distinct");
  return names;
}

std::vector<std::string> conjunctions_of(const filter::Filter& filter) {
  std::vector<std::string> texts;
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    texts.push_back(filter::to_text(*filter::to_expr(conjunction)));
  }
  return texts;
}

// What to know about how events find the filter; empty if there is nothing.
std::string index_note(const match::MatchSizes& sizes) {
  if (sizes.unindexed == 0) return {};
  return fmt::format("note: {} tried on every event, since nothing in it leads there (unindexed)\n",
                     sizes.unindexed == sizes.conjunctions ? "it is" : "a part of it is");
}

std::string to_text(const filter::FilterPtr& shared, const match::MatchSizes& sizes) {
  const filter::Filter& filter = *shared;
  const auto kinds = kinds_of(filter);
  const auto conjunctions = conjunctions_of(filter);
  std::string out = fmt::format("filter\n  {}\n", printable(filter.to_text(), std::string::npos));
  out += fmt::format("kinds\n  {}\n",
                     kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, ", ")));
  out += conjunctions.size() > 1 ? "normal form: one of\n" : "normal form\n";
  for (const std::string& conjunction : conjunctions) {
    out += fmt::format("  {}\n", printable(conjunction, std::string::npos));
  }
  if (conjunctions.empty()) out += "  never true\n";
  out += index_note(sizes);
  out += "state\n" + cli::to_text(estimate_state(shared));
  if (!filter.warnings().empty()) out += "warnings\n";
  for (const filter::Warning& warning : filter.warnings()) {
    out += fmt::format("  line {}, column {}: {} ({})\n", warning.position.line,
                       warning.position.column, printable(warning.message), warning.name());
  }
  return out;
}

std::string to_json(const filter::FilterPtr& shared, Dialect dialect,
                    const match::MatchSizes& sizes) {
  const filter::Filter& filter = *shared;
  std::string out;
  event::JsonObject object(out);
  object.member("dialect", to_string(dialect));
  object.member("filter", filter.to_text());
  object.member("kinds", kinds_of(filter));
  object.member("normal_form", conjunctions_of(filter));
  object.member("unindexed", sizes.unindexed);
  object.name("state");
  out += cli::to_json(estimate_state(shared));
  object.name("warnings");
  out += '[';
  for (const filter::Warning& warning : filter.warnings()) {
    if (&warning != &filter.warnings().front()) out += ',';
    event::JsonObject one(out);
    one.member("name", warning.name());
    one.member("line", warning.position.line);
    one.member("column", warning.position.column);
    one.member("message", warning.message);
    one.close();
  }
  out += ']';
  object.close();
  return out + '\n';
}

}  // namespace

int run_check(const CheckOptions& options, Streams& streams) {
  // Only an engine knows whether the words of a text predicate leave something to look for, and
  // how events find the filter.
  engine::Engine engine({.text = {.language = options.language}});
  const auto subscribed =
      subscribe(engine, {.text = options.expression}, options.dialect, match::Initial::kDeliver);
  if (!subscribed) return report(subscribed.error(), options.json, streams.err);
  const filter::FilterPtr& filter = subscribed->filter;
  const match::MatchSizes sizes = engine.match_sizes();
  streams.out.append(options.json ? to_json(filter, options.dialect, sizes)
                                  : to_text(filter, sizes));
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
