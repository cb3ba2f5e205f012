// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_command.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_loop.h"
#include "cli/filter_stats.h"
#include "cli/filter_text.h"

namespace weir::cli {
namespace {

constexpr double kTextScore = match::TextScorer::kScoreMin;

Attempt<std::vector<Subscribed>> subscribe_all(engine::Engine& engine,
                                               const FilterOptions& options) {
  auto texts = filter_texts(options);
  if (!texts) return tl::unexpected(std::move(texts.error()));
  std::vector<Subscribed> subscribed;
  for (const FilterText& text : *texts) {
    auto one = subscribe(engine, text, options.dialect, options.initial);
    if (!one) return tl::unexpected(std::move(one.error()));
    subscribed.push_back(std::move(*one));
  }
  return subscribed;
}

// A progress line would stand between the lines of the output.
bool shows_progress() { return ::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 0; }

bool holds_back(const std::vector<Subscribed>& subscribed) {
  return subscribed.size() > 1 && std::ranges::any_of(subscribed, [](const Subscribed& one) {
           return one.filter->has_change();
         });
}

FilterStats stats_of(const engine::Engine& engine, const std::vector<Subscribed>& subscribed,
                     const StreamCounts& counts) {
  FilterStats stats{.stream = counts,
                    .engine = engine.counters(),
                    .filters = {},
                    .cpu_seconds = process_cpu_seconds()};
  for (const Subscribed& one : subscribed) {
    stats.filters.push_back({one.filter->to_text(), engine.counters(one.id).value()});
  }
  return stats;
}

}  // namespace

int run_filter(const FilterOptions& options, Streams& streams) {
  engine::Engine engine({.dedup_window = options.dedup, .text = {.language = options.language}});
  const auto subscribed = subscribe_all(engine, options);
  if (!subscribed) return report(subscribed.error(), options.json, streams.err);
  auto source = FileSource::open(options.input_path);
  if (!source) return report({.error = source.error()}, options.json, streams.err);

  Progress progress(streams.err,
                    {.enabled = shows_progress(), .total_bytes = source->size_bytes()});
  match::TextAnalyzers analyzers({.language = options.language});
  std::vector<engine::TextAnnotator> annotators;
  for (const Subscribed& one : *subscribed) {
    annotators.emplace_back(one.filter, analyzers,
                            engine::TextAnnotator::Options{.score_min = kTextScore});
  }
  FilterLoop::Options loop_options{.clock = options.clock,
                                   .line_bytes_max = options.line_bytes_max,
                                   .writer = {.json = options.json,
                                              .events_return = holds_back(*subscribed),
                                              .annotators = annotators}};
  int code = kExitOk;
  const auto fail = [&](const base::Error& error) {
    progress.clear();
    return report(file_failure(error, source->name()), options.json, streams.err);
  };
  if (options.keep_going) {
    loop_options.on_bad_line = [&](const base::Error& error) {
      fail(error);
      code = exit_code(base::ErrorCode::kInvalidInput);
    };
  }

  std::vector<engine::SubscriptionId> ids;
  for (const Subscribed& one : *subscribed) ids.push_back(one.id);
  FilterLoop loop(engine, std::move(ids), std::move(loop_options));
  if (auto done = loop.run(*source, streams.out, progress); !done) code = fail(done.error());
  if (options.stats) {
    const FilterStats stats = stats_of(engine, *subscribed, loop.counts());
    streams.err.append(options.json ? to_json(stats) : to_text(stats));
  }
  return finish(code, options.json, streams);
}

}  // namespace weir::cli
