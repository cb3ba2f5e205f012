// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <algorithm>
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

base::Result<void> TextScorer::add(const filter::Filter& filter,
                                   const TextVisibilityPtr& visibility,
                                   const base::MemoryAccount::Ptr& memory) {
  if (auto ready = prepare(filter); !ready) return ready;
  auto compiled = compile(filter);
  if (!compiled) return compiled.error();
  for (const filter::TextSource* source : filter.text_sources()) use(*source, visibility, memory);
  for (std::size_t i = 0; i < compiled->size(); ++i) {
    const filter::About* const about = filter.abouts()[i];
    queries_.emplace(about, Query{std::move((*compiled)[i]), sources_.at(&about->source).field});
  }
  return {};
}

base::Result<void> TextScorer::prepare(const filter::Filter& filter) {
  for (const filter::TextSource* source : filter.text_sources()) {
    const auto made = analyzers_.find_or_make(analyzers_.language_of(*source));
    if (!made) return made.error();
  }
  return {};
}

base::Result<std::vector<TextQuery>> TextScorer::compile(const filter::Filter& filter) {
  std::vector<TextQuery> compiled;
  for (const filter::About* about : filter.abouts()) {
    auto query = compile_text_query(*about, score_min_,
                                    analyzers_.at(analyzers_.language_of(about->source)));
    if (!query) return query.error();
    compiled.push_back(std::move(*query));
  }
  return compiled;
}

TextScorer::Key TextScorer::key_of(const filter::TextSource& source) const {
  const auto known = sources_.find(&source);
  if (known != sources_.end()) return known->second.field->first;
  return {source.fields, analyzers_.language_of(source)};
}

void TextScorer::use(const filter::TextSource& source, const TextVisibilityPtr& visibility,
                     const base::MemoryAccount::Ptr& memory) {
  const auto [use, is_new] = sources_.try_emplace(&source);
  if (is_new) {
    const Key key{source.fields, analyzers_.language_of(source),
                  visibility ? visibility->name : ""};
    auto found = fields_.find(key);
    if (found == fields_.end()) {
      Field field{.corpus = take_corpus(key), .visibility = visibility};
      found = fields_.emplace(key, std::move(field)).first;
      found->second.corpus.draw_from(memory);
    }
    use->second.field = &*found;
  }
  ++use->second.count;
  ++use->second.field->second.user_count;
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
  for (const filter::TextSource* source : filter.text_sources()) release(*source);
}

void TextScorer::release(const filter::TextSource& source) {
  const auto use = sources_.find(&source);
  Fields::value_type& field = *use->second.field;
  if (--use->second.count == 0) sources_.erase(use);
  if (--field.second.user_count == 0) fields_.erase(Key(field.first));
}

// Those of the same fields and language stand side by side, so that a text is analysed once.
void TextScorer::begin(const event::Event& event, base::Instant now) {
  const double part = static_cast<double>(event.json().size()) * shares_part_;
  share_bytes_left_ = std::clamp(static_cast<std::size_t>(part), kShareBytesMin, kShareBytesMax);
  const Fields::value_type* analysed = nullptr;
  for (auto& entry : fields_) {
    auto& [key, field] = entry;
    field.words.reset();
    field.shares.reset();
    field.document.reset();
    if (field.visibility && !field.visibility->admits(event)) continue;
    const bool is_same = analysed != nullptr && analysed->first.language == key.language &&
                         analysed->first.fields == key.fields;
    field.document = is_same ? analysed->second.document : analyze(key, event);
    analysed = &entry;
    if (field.document) field.corpus.add(*field.document, now);
  }
}

std::optional<TermCounts> TextScorer::visible_document(const Key& key, const event::Event& event) {
  const Field& field = fields_.at(key);
  if (field.visibility && !field.visibility->admits(event)) return std::nullopt;
  return analyze(key, event);
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

TextFinding TextScorer::finding(const filter::Filter& filter, const event::Event& event) {
  for (std::size_t i = 0; i < filter.abouts().size(); ++i) {
    const filter::About& about = *filter.abouts()[i];
    const TextMatchInfo info = match_info(about, event);
    if (!info.verdict.holds) continue;
    std::shared_ptr<TextShares>& shares = query_of(about).field->second.shares;
    if (!shares) shares = std::make_shared<TextShares>(TextShares{.epoch = info.verdict.epoch});
    add_shares(info, *shares);
    return {shares, static_cast<std::uint32_t>(i), to_ten_thousandths(info.verdict.score)};
  }
  return {};
}

void TextScorer::add_shares(const TextMatchInfo& info, TextShares& shares) {
  constexpr std::size_t kNumberBytes = 4;  // the length of the term, and its score
  for (const auto& [term, share] : info.shares) {
    if (term.size() + kNumberBytes > share_bytes_left_) continue;
    const bool is_new = shares.terms.try_emplace(term, to_ten_thousandths(share)).second;
    if (is_new) share_bytes_left_ -= term.size() + kNumberBytes;
  }
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
  for (const std::string& text : strings) analyzers_.at(key.language).analyze(text, terms);
  return count_terms(std::move(terms));
}

TextWords TextScorer::split(const Key& key, const event::Event& event) {
  TextWords words;
  for (const std::string& text : text_strings(key.fields, event)) {
    analyzers_.at(key.language).split(text, words.emplace_back());
  }
  return words;
}

}  // namespace weir::match
