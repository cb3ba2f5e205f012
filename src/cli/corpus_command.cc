// SPDX-License-Identifier: Apache-2.0
#include "cli/corpus_command.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "cli/byte_source.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_loop.h"
#include "event/event_builder.h"
#include "event/json_document.h"
#include "match/text_language.h"
#include "match/text_scorer.h"

namespace weir::cli {
namespace {

// Counts as a filter of this text does whose statistics are new.
class Counter {
 public:
  static Attempt<Counter> create(const CorpusOptions& options) {
    const bool has_events = !options.text.empty();
    const std::string text = has_events ? options.text : "text(data)";
    // What is looked for does not matter.
    auto filter = filter::Filter::parse(text + " about any 'x'");
    if (!filter) {
      // Without words that nobody has written.
      const auto alone = filter::Filter::parse(text);
      const base::Error& error = alone ? filter.error() : alone.error();
      return tl::unexpected(Failure{.error = error, .what = "--text", .text = text});
    }
    Counter counter(std::move(*filter), options.language, has_events);
    if (auto added = counter.scorer_.add(*counter.filter_); !added) {
      return tl::unexpected(Failure{.error = added.error()});
    }
    return counter;
  }

  // A document: an event, or a plain text.
  base::Result<void> add(std::string_view document) {
    auto event = has_events_ ? event::decode_event(document) : event_of(document);
    if (!event) return event.error();
    scorer_.begin(**event, {});
    return {};
  }

  match::CorpusCounts counts() const {
    const filter::TextSource& source = *filter_->text_sources()[0];
    const std::string& language = source.language.empty() ? language_ : source.language;
    return scorer_.corpus(source)->counts(*match::text_language(language));
  }

 private:
  Counter(filter::FilterPtr filter, const std::string& language, bool has_events)
      : filter_(std::move(filter)),
        language_(language),
        has_events_(has_events),
        scorer_({.language = language}, {}) {}

  static base::Result<event::EventPtr> event_of(std::string_view text) {
    std::string json;
    event::append_json_string(text, json);
    return event::EventBuilder().id("1").source("/weir").type("text").data_json(json).build();
  }

  filter::FilterPtr filter_;
  std::string language_;
  bool has_events_;
  match::TextScorer scorer_;
};

base::Error at_line(base::Error error, std::uint64_t line) {
  if (!error.position) error.position = base::Position();
  error.position->line = line;
  return error;
}

base::Result<void> add_lines(ByteSource& source, Counter& counter) {
  LineReader reader(source);
  for (;;) {
    const auto more = reader.next();
    if (!more) return more.error();
    if (!*more) return {};
    if (is_blank(reader.line())) continue;
    if (auto added = counter.add(reader.line()); !added) {
      return at_line(added.error(), reader.line_number());
    }
  }
}

base::Result<void> add_whole(ByteSource& source, Counter& counter) {
  const auto text = read_all(source, kLineBytesMaxDefault);
  if (!text) return text.error();
  return counter.add(*text);
}

Attempt<match::CorpusCounts> count(const CorpusOptions& options) {
  auto counter = Counter::create(options);
  if (!counter) return tl::unexpected(std::move(counter.error()));
  for (const std::string& path : options.paths) {
    auto source = FileSource::open(path);
    if (!source) return tl::unexpected(Failure{.error = source.error()});
    auto added = options.whole ? add_whole(*source, *counter) : add_lines(*source, *counter);
    if (!added) return tl::unexpected(file_failure(std::move(added.error()), source->name()));
  }
  match::CorpusCounts counts = counter->counts();
  if (counts.document_count > 0) return counts;
  return tl::unexpected(
      Failure{.error = {base::ErrorId::kCliUsage, "expected at least one document, found none",
                        std::nullopt}});
}

}  // namespace

int run_corpus(const CorpusOptions& options, Streams& streams) {
  const auto counts = count(options);
  if (!counts) return report(counts.error(), options.json, streams.err);
  streams.out.append(match::to_text(*counts));
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
