// SPDX-License-Identifier: Apache-2.0
#include "cli/analyze_command.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/byte_source.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "match/text_analyzer.h"

namespace weir::cli {
namespace {

Attempt<std::string> read_text(const AnalyzeOptions& options) {
  if (options.input_path.empty()) return options.text;
  auto source = FileSource::open(options.input_path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  auto text = read_all(*source, kAnalyzeBytesMax);
  if (!text) return tl::unexpected(file_failure(std::move(text.error()), source->name()));
  return std::move(*text);
}

struct Counts {
  std::size_t words = 0;
  std::size_t terms = 0;
  std::set<std::string, std::less<>> distinct;

  void add(const match::TextWord& word) {
    ++words;
    if (word.term.empty()) return;
    ++terms;
    if (!distinct.contains(word.term)) distinct.emplace(word.term);
  }
};

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

void write_text(match::TextAnalyzer& analyzer, std::string_view text, Output& out) {
  constexpr std::size_t kWordWidth = 24;
  Counts counts;
  analyzer.for_each_word(text, [&](const match::TextToken& token, const match::TextWord& word) {
    counts.add(word);
    out.append(fmt::format("{:>8} {:<8} {:<{}} {}\n", token.begin, token.end,
                           printable(word.folded), kWordWidth,
                           word.term.empty() ? "stop word" : printable(word.term)));
  });
  out.append(fmt::format("{}, {}, {} distinct\n", count_of(counts.words, "word"),
                         count_of(counts.terms, "term"), grouped(counts.distinct.size())));
}

void append_json(const match::TextToken& token, const match::TextWord& word, std::string& json) {
  event::JsonObject object(json);
  object.member("begin", token.begin);
  object.member("end", token.end);
  object.member("word", word.folded);
  if (word.term.empty()) {
    object.raw("term", "null");
  } else {
    object.member("term", word.term);
  }
  object.close();
}

void write_json(match::TextAnalyzer& analyzer, std::string_view text, Output& out) {
  Counts counts;
  std::string json;
  event::JsonObject object(json);
  object.member("language", analyzer.options().language);
  object.name("words");
  json += '[';
  analyzer.for_each_word(text, [&](const match::TextToken& token, const match::TextWord& word) {
    if (counts.words > 0) json += ',';
    counts.add(word);
    append_json(token, word, json);
    out.append(std::exchange(json, {}));
  });
  json += ']';
  object.member("word_count", counts.words);
  object.member("term_count", counts.terms);
  object.member("distinct_term_count", counts.distinct.size());
  object.close();
  out.append(json + '\n');
}

}  // namespace

int run_analyze(const AnalyzeOptions& options, Streams& streams) {
  auto analyzer = match::TextAnalyzer::create({.language = options.language});
  if (!analyzer) return report({.error = analyzer.error()}, options.json, streams.err);
  const Attempt<std::string> text = read_text(options);
  if (!text) return report(text.error(), options.json, streams.err);
  if (options.json) {
    write_json(*analyzer, *text, streams.out);
  } else {
    write_text(*analyzer, *text, streams.out);
  }
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
