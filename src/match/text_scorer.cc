// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "match/text_distance.h"

namespace weir::match {

base::Result<void> TextScorer::add(const filter::Filter& filter) {
  if (filter.text_fields().empty()) return {};
  if (auto ready = prepare_analyzer(); !ready) return ready;
  std::vector<TextQuery> compiled;
  for (const filter::About* about : filter.abouts()) {
    auto query = compile_text_query(about->words, about->score_min, *analyzer_);
    if (!query) return query.error();
    compiled.push_back(std::move(*query));
  }
  for (const std::vector<event::Path>* fields : filter.text_fields()) use(*fields);
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const filter::About* const about = filter.abouts()[i];
    queries_.emplace(about, Query{std::move(compiled[i]), &field_of(about->fields)});
  }
  return {};
}

base::Result<void> TextScorer::prepare_analyzer() {
  if (analyzer_) return {};
  auto made = TextAnalyzer::create(analysis_);
  if (!made) return made.error();
  analyzer_ = std::move(*made);
  return {};
}

void TextScorer::use(const std::vector<event::Path>& fields) {
  auto found = fields_.find(fields);
  if (found == fields_.end()) {
    found = fields_.emplace(fields, Field{take_corpus(fields), std::nullopt}).first;
  }
  ++found->second.user_count;
}

TextCorpus TextScorer::take_corpus(const std::vector<event::Path>& fields) {
  auto waiting = waiting_.extract(fields);
  return waiting.empty() ? TextCorpus(corpus_options_) : std::move(waiting.mapped());
}

void TextScorer::remove(const filter::Filter& filter) {
  for (const filter::About* about : filter.abouts()) queries_.erase(about);
  for (const std::vector<event::Path>* fields : filter.text_fields()) release(*fields);
}

void TextScorer::release(const std::vector<event::Path>& fields) {
  const auto field = fields_.find(fields);
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

TextScorer::Field& TextScorer::field_of(const std::vector<event::Path>& fields) {
  const auto found = fields_.find(fields);
  WEIR_CHECK(found != fields_.end());
  return found->second;
}

std::optional<TermCounts> TextScorer::document(const std::vector<event::Path>& fields,
                                               const event::Event&) {
  return field_of(fields).document;
}

double TextScorer::distance(const std::vector<event::Path>& fields, const TermCounts& left,
                            const TermCounts& right) {
  return text_distance(left, right, field_of(fields).corpus);
}

std::optional<TermCounts> TextScorer::preview_document(const std::vector<event::Path>& fields,
                                                       const event::Event& event) {
  return analyze(fields, event);
}

double TextScorer::preview_distance(const std::vector<event::Path>& fields,
                                    const event::Event& event, const TermCounts& left,
                                    const TermCounts& right) {
  TextCorpus corpus = field_of(fields).corpus;
  if (const auto document = analyze(fields, event)) corpus.add(*document);
  return text_distance(left, right, corpus);
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
