// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <string>
#include <utility>

#include "base/check.h"

namespace weir::match {

base::Result<void> TextScorer::add(const filter::Filter& filter) {
  if (filter.abouts().empty()) return {};
  if (!analyzer_) {
    auto made = TextAnalyzer::create(analysis_);
    if (!made) return made.error();
    analyzer_ = std::move(*made);
  }
  std::vector<TextQuery> compiled;
  for (const filter::About* about : filter.abouts()) {
    auto query = compile_text_query(about->words, about->score_min, *analyzer_);
    if (!query) return query.error();
    compiled.push_back(std::move(*query));
  }
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const filter::About* const about = filter.abouts()[i];
    const auto field =
        fields_.try_emplace(about->fields, Field{take_corpus(about->fields), std::nullopt});
    ++field.first->second.user_count;
    queries_.emplace(about, Query{std::move(compiled[i]), &field.first->second});
  }
  return {};
}

TextCorpus TextScorer::take_corpus(const std::vector<event::Path>& fields) {
  auto waiting = waiting_.extract(fields);
  return waiting.empty() ? TextCorpus(corpus_options_) : std::move(waiting.mapped());
}

void TextScorer::remove(const filter::Filter& filter) {
  for (const filter::About* about : filter.abouts()) release(*about);
}

void TextScorer::release(const filter::About& about) {
  if (queries_.erase(&about) == 0) return;
  const auto field = fields_.find(about.fields);
  if (--field->second.user_count == 0) fields_.erase(field);
}

void TextScorer::begin(const event::Event& event) {
  for (auto& [paths, field] : fields_) {
    field.document = analyze(paths, event);
    if (field.document) field.corpus.add(*field.document);
  }
}

std::optional<double> TextScorer::score(const filter::About& about, const event::Event&) {
  const auto found = queries_.find(&about);
  WEIR_CHECK(found != queries_.end());
  const Field& field = *found->second.field;
  if (!field.document) return std::nullopt;
  return match::score(found->second.query.terms, *field.document, field.corpus).total;
}

std::optional<TextScore> TextScorer::preview(const filter::About& about,
                                             const event::Event& event) {
  const auto found = queries_.find(&about);
  WEIR_CHECK(found != queries_.end());
  const auto document = analyze(about.fields, event);
  if (!document) return std::nullopt;
  TextCorpus corpus = found->second.field->corpus;
  corpus.add(*document);
  return match::score(found->second.query.terms, *document, corpus);
}

const TextCorpus* TextScorer::corpus(const std::vector<event::Path>& fields) const {
  const auto found = fields_.find(fields);
  return found == fields_.end() ? nullptr : &found->second.corpus;
}

std::optional<TermCounts> TextScorer::analyze(const std::vector<event::Path>& fields,
                                              const event::Event& event) {
  std::vector<std::string> terms;
  bool any = false;
  const auto take = [&](const event::Value& value) {
    if (value.kind() != event::ValueKind::kString) return;
    any = true;
    analyzer_->analyze(value.as_string(), terms);
  };
  for (const event::Path& path : fields) {
    const event::JsonRef json = event.json_at(path);
    if (json && json.kind() == event::JsonKind::kArray) {
      json.for_each_element([&](const event::JsonRef& element) { take(element.value()); });
    } else {
      take(event.at(path));
    }
  }
  if (!any) return std::nullopt;
  return count_terms(std::move(terms));
}

}  // namespace weir::match
