// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <string_view>
#include <utility>

#include "base/check.h"
#include "match/text_distance.h"
#include "match/text_language.h"
#include "match/text_strings.h"

namespace weir::match {
namespace {

constexpr std::string_view kLanguageAttribute = "lang";
constexpr std::string_view kAnyLanguage = "none";

// Whether the event's text is in a language, or may be.
bool is_in(std::string_view language, const event::Event& event) {
  const event::Attribute* const named = event.find(kLanguageAttribute);
  return named == nullptr || language == kAnyLanguage || text_language(named->text) == language;
}

}  // namespace

base::Result<void> TextScorer::add(const filter::Filter& filter) {
  if (auto ready = prepare(filter); !ready) return ready;
  auto compiled = compile(filter);
  if (!compiled) return compiled.error();
  for (const filter::TextSource* source : filter.text_sources()) use(key_of(*source));
  for (std::size_t i = 0; i < compiled->size(); ++i) {
    const filter::About* const about = filter.abouts()[i];
    queries_.emplace(about,
                     Query{std::move((*compiled)[i]), &*fields_.find(key_of(about->source))});
  }
  return {};
}

base::Result<void> TextScorer::prepare(const filter::Filter& filter) {
  for (const filter::TextSource* source : filter.text_sources()) {
    TextAnalysis analysis = analysis_;
    analysis.language = language_of(*source);
    if (analyzers_.contains(analysis.language)) continue;
    auto made = TextAnalyzer::create(analysis);
    if (!made) return made.error();
    analyzers_.emplace(analysis.language, std::move(*made));
  }
  return {};
}

base::Result<std::vector<TextQuery>> TextScorer::compile(const filter::Filter& filter) {
  std::vector<TextQuery> compiled;
  for (const filter::About* about : filter.abouts()) {
    auto query = compile_text_query(*about, score_min_, analyzer_of(language_of(about->source)));
    if (!query) return query.error();
    compiled.push_back(std::move(*query));
  }
  return compiled;
}

// What is not known stays as it is, for the analysis to refuse it.
std::string TextScorer::language_of(const filter::TextSource& source) const {
  const std::string& named = source.language.empty() ? analysis_.language : source.language;
  return text_language(named).value_or(named);
}

TextScorer::Key TextScorer::key_of(const filter::TextSource& source) const {
  return {source.fields, language_of(source)};
}

TextAnalyzer& TextScorer::analyzer_of(const std::string& language) {
  const auto found = analyzers_.find(language);
  WEIR_CHECK(found != analyzers_.end());
  return found->second;
}

void TextScorer::use(const Key& key) {
  auto found = fields_.find(key);
  if (found == fields_.end()) {
    found = fields_.emplace(key, Field{take_corpus(key), std::nullopt, std::nullopt}).first;
  }
  ++found->second.user_count;
}

TextCorpus TextScorer::take_corpus(const Key& key) {
  auto waiting = waiting_.extract(key);
  if (!waiting.empty()) return std::move(waiting.mapped());
  const auto preloaded = preloaded_.find(key.language);
  if (preloaded == preloaded_.end()) return TextCorpus(corpus_options_);
  return {corpus_options_, *preloaded->second};
}

void TextScorer::preload(std::shared_ptr<const CorpusCounts> counts) {
  std::string language = counts->language;
  preloaded_.insert_or_assign(std::move(language), std::move(counts));
}

void TextScorer::remove(const filter::Filter& filter) {
  for (const filter::About* about : filter.abouts()) queries_.erase(about);
  for (const filter::TextSource* source : filter.text_sources()) release(key_of(*source));
}

void TextScorer::release(const Key& key) {
  const auto field = fields_.find(key);
  if (--field->second.user_count == 0) fields_.erase(field);
}

void TextScorer::begin(const event::Event& event, base::Instant now) {
  for (auto& [key, field] : fields_) {
    field.document = analyze(key, event);
    field.words.reset();
    if (field.document) field.corpus.add(*field.document, now);
  }
}

filter::TextVerdict TextScorer::judge(const filter::About& about, const event::Event& event) {
  return match_info(about, event).verdict;
}

TextMatchInfo TextScorer::match_info(const filter::About& about, const event::Event& event) {
  const Query& query = query_of(about);
  auto& [key, field] = *query.field;
  if (!field.document) return {.failure = TextFailure::kNoText};
  if (query.query.has_phrases() && !field.words) field.words = split(key, event);
  return match::judge(query.query, *field.document, field.words.value_or(TextWords()),
                      field.corpus);
}

std::vector<std::string> TextScorer::highlights(const filter::About& about,
                                                const event::Event& event,
                                                const HighlightOptions& options) {
  const Query& query = query_of(about);
  const auto& [key, field] = *query.field;
  if (!field.document) return {};
  return highlight(text_strings(key.fields, event), query.query, analyzer_of(key.language),
                   options);
}

const TextQuery& TextScorer::query(const filter::About& about) const {
  return query_of(about).query;
}

TextScorer::View TextScorer::view(const Key& key) const {
  const auto found = fields_.find(key);
  WEIR_CHECK(found != fields_.end());
  const Field& field = found->second;
  return {field.document ? &*field.document : nullptr, &field.corpus};
}

const TextScorer::Query& TextScorer::query_of(const filter::About& about) const {
  const auto found = queries_.find(&about);
  WEIR_CHECK(found != queries_.end());
  return found->second;
}

TextScorer::Field& TextScorer::field_of(const filter::TextSource& source) {
  const auto found = fields_.find(key_of(source));
  WEIR_CHECK(found != fields_.end());
  return found->second;
}

std::optional<TermCounts> TextScorer::document(const filter::TextSource& source,
                                               const event::Event&) {
  return field_of(source).document;
}

double TextScorer::distance(const filter::TextSource& source, const TermCounts& left,
                            const TermCounts& right) {
  return text_distance(left, right, field_of(source).corpus);
}

const TextCorpus* TextScorer::corpus(const filter::TextSource& source) const {
  const auto found = fields_.find(key_of(source));
  return found == fields_.end() ? nullptr : &found->second.corpus;
}

std::optional<TermCounts> TextScorer::analyze(const Key& key, const event::Event& event) {
  if (!is_in(key.language, event)) return std::nullopt;
  const std::vector<std::string> strings = text_strings(key.fields, event);
  if (strings.empty()) return std::nullopt;
  std::vector<std::string> terms;
  for (const std::string& text : strings) analyzer_of(key.language).analyze(text, terms);
  return count_terms(std::move(terms));
}

TextWords TextScorer::split(const Key& key, const event::Event& event) {
  TextWords words;
  for (const std::string& text : text_strings(key.fields, event)) {
    analyzer_of(key.language).split(text, words.emplace_back());
  }
  return words;
}

}  // namespace weir::match
