// SPDX-License-Identifier: Apache-2.0
#include "003/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "match/text_analyzer.h"
#include "shared/parse.h"
#include "shared/text_file.h"

namespace weir::lab {
namespace {

base::Result<match::TextAnalyzer> make_analyzer() {
  return match::TextAnalyzer::create({.language = "porter"});
}

Filter distinct(std::vector<std::string> terms) {
  std::ranges::sort(terms);
  const auto repeated = std::ranges::unique(terms);
  terms.erase(repeated.begin(), repeated.end());
  return terms;
}

}  // namespace

base::Result<QueryLog> parse_queries(std::string_view name, std::string_view text) {
  auto analyzer = make_analyzer();
  if (!analyzer) return analyzer.error();
  QueryLog log{.name = std::string(name)};
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    std::vector<std::string> words;
    analyzer->split(line, words);
    log.word_counts.push_back(words.size());
    std::vector<std::string> terms;
    analyzer->analyze(line, terms);
    if (!terms.empty()) log.filters.push_back(distinct(std::move(terms)));
  }
  if (log.filters.empty()) return file_error(fmt::format("{}: no query has a term", name));
  return log;
}

base::Result<Documents> parse_documents(std::string_view name, std::string_view text) {
  auto analyzer = make_analyzer();
  if (!analyzer) return analyzer.error();
  Documents documents{.name = std::string(name)};
  while (!text.empty()) {
    std::vector<std::string> terms;
    analyzer->analyze(take_until(text, '\n'), terms);
    documents.documents.push_back(match::count_terms(std::move(terms)));
    documents.corpus.add(documents.documents.back(), {});
  }
  if (documents.corpus.term_count() == 0) {
    return file_error(fmt::format("{}: no document has a term", name));
  }
  return documents;
}

base::Result<QueryLog> read_queries(std::string_view name, const std::string& file_name) {
  const auto text = read_text(file_name);
  if (!text) return text.error();
  return parse_queries(name, *text);
}

base::Result<Documents> read_documents(std::string_view name, const std::string& file_name) {
  const auto text = read_text(file_name);
  if (!text) return text.error();
  return parse_documents(name, *text);
}

}  // namespace weir::lab
