// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <algorithm>
#include <limits>
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
                                   const base::MemoryAccount::Ptr& memory,
                                   const WorkBudgetPtr& budget) {
  if (auto ready = prepare(filter); !ready) return ready;
  auto compiled = compile(filter);
  if (!compiled) return compiled.error();
  for (const filter::TextSource* source : filter.text_sources()) {
    use(*source, visibility, memory, budget.get());
  }
  for (std::size_t i = 0; i < compiled->size(); ++i) {
    const filter::About* const about = filter.abouts()[i];
    Fields::value_type* const field = sources_.at(&about->source).field;
    field->second.phrase_query_count += (*compiled)[i].has_phrases() ? 1 : 0;
    queries_.emplace(about, Query{std::move((*compiled)[i]), field, budget});
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
                     const base::MemoryAccount::Ptr& memory, WorkBudget* budget) {
  const auto [use, is_new] = sources_.try_emplace(&source);
  if (is_new) {
    const Key key{source.fields, analyzers_.language_of(source),
                  visibility ? visibility->name : ""};
    auto found = fields_.find(key);
    if (found == fields_.end()) {
      Field field{.corpus = take_corpus(key), .visibility = visibility};
      found = fields_.emplace(key, std::move(field)).first;
      found->second.corpus.draw_from(memory);
      for (const filter::TextField& one : key.fields) {
        Part& part = parts_[{one, key.language}];
        ++part.use_count;
        found->second.parts.push_back(&part);
      }
    }
    use->second.field = &*found;
  }
  ++use->second.count;
  ++use->second.field->second.user_count;
  ++use->second.field->second.payers[budget];
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

void TextScorer::remove(const filter::Filter& filter, const WorkBudgetPtr& budget) {
  for (const filter::About* about : filter.abouts()) {
    const auto query = queries_.find(about);
    if (query == queries_.end()) continue;
    query->second.field->second.phrase_query_count -= query->second.query.has_phrases() ? 1 : 0;
    queries_.erase(query);
  }
  for (const filter::TextSource* source : filter.text_sources()) release(*source, budget.get());
}

void TextScorer::release(const filter::TextSource& source, WorkBudget* budget) {
  const auto use = sources_.find(&source);
  auto& [key, field] = *use->second.field;
  if (--use->second.count == 0) sources_.erase(use);
  const auto payer = field.payers.find(budget);
  if (--payer->second == 0) field.payers.erase(payer);
  if (--field.user_count > 0) return;
  for (const filter::TextField& one : key.fields) {
    const auto part = parts_.find({one, key.language});
    if (--part->second.use_count == 0) parts_.erase(part);
  }
  fields_.erase(Key(key));
}

// Everybody is charged for the length of texts before the first one is read.
void TextScorer::begin(const event::Event& event, base::Instant now) {
  const double part = static_cast<double>(event.json().size()) * shares_part_;
  share_bytes_left_ = std::clamp(static_cast<std::size_t>(part), kShareBytesMin, kShareBytesMax);
  for (auto& [key, one] : parts_) {
    one.size.reset();
    one.payers.clear();
    one.terms.reset();
  }
  for (auto& [key, field] : fields_) {
    field.words.reset();
    field.shares.reset();
    field.document.reset();
    field.is_read =
        is_in(key.language, event) && (!field.visibility || field.visibility->admits(event));
    if (field.is_read) measure(key, field, event);
  }
  const Fields::value_type* before = nullptr;
  for (auto& entry : fields_) {
    auto& [key, field] = entry;
    if (!field.is_read || !is_paid(field)) continue;
    // Those of the same fields and language stand side by side.
    const bool is_same = before != nullptr && before->first.language == key.language &&
                         before->first.fields == key.fields && before->second.document;
    if (!is_same) {
      read(key, field, event);
    } else if (charge(field, before->second.term_steps)) {
      field.document = before->second.document;
      field.term_steps = before->second.term_steps;
    }
    before = &entry;
    if (field.document) field.corpus.add(*field.document, now);
  }
}

bool TextScorer::is_paid(const Field& field) {
  return std::ranges::any_of(field.payers, [](const auto& payer) {
    return payer.first == nullptr || !payer.first->is_over();
  });
}

// How many terms somebody can still pay for.
std::size_t TextScorer::terms_left(const Field& field) {
  std::uint64_t left = 0;
  for (const auto& [payer, count] : field.payers) {
    if (payer == nullptr) return std::numeric_limits<std::size_t>::max();
    left = std::max(left, payer->left());
  }
  return left / steps::kTerm;
}

// False if it is too much for all of them.
bool TextScorer::charge(const Field& field, std::uint64_t cost) {
  bool is_paid = false;
  for (const auto& [payer, count] : field.payers) {
    is_paid = payer == nullptr || payer->charge(cost) || is_paid;
  }
  return is_paid;
}

// A long text is charged once to everybody, whatever choices of fields they have it in.
void TextScorer::measure(const Key& key, Field& field, const event::Event& event) {
  constexpr std::size_t kLongBytes = 1024;
  std::uint64_t cost = field.parts.size() * steps::kTextField;
  for (const filter::TextField& one : key.fields) {
    if (one.path.is_many()) cost += event.json().size() * steps::kPathByte;
  }
  field.is_read = is_paid(field) && (cost < steps::kFree || charge(field, cost));
  if (!field.is_read) return;
  cost = 0;
  field.text_bytes = 0;
  for (std::size_t i = 0; i < field.parts.size(); ++i) {
    Part& part = *field.parts[i];
    if (!part.size) part.size = text_size(key.fields[i], event);
    const std::size_t bytes = part.size->bytes;
    field.text_bytes += bytes;
    cost += part.size->value_count * steps::kTextField;
    if (bytes < kLongBytes) {
      cost += bytes * steps::kTextByte;
      continue;
    }
    for (const auto& [payer, count] : field.payers) {
      if (payer == nullptr || !part.payers.insert(payer).second) continue;
      payer->charge(bytes * steps::kTextByte);
    }
  }
  if (field.phrase_query_count > 0) cost += field.text_bytes * steps::kTextByte;
  if (cost >= steps::kFree) charge(field, cost);
}

void TextScorer::read(const Key& key, Field& field, const event::Event& event) {
  std::vector<const TermCounts*> documents;
  Part* only = nullptr;
  field.term_steps = 0;
  for (std::size_t i = 0; i < field.parts.size(); ++i) {
    Part& part = *field.parts[i];
    if (part.size->string_count == 0) continue;
    if (!read_part({key.fields[i], key.language}, part, field, event)) return;
    documents.push_back(part.terms.get());
    only = &part;
  }
  if (documents.empty()) return;
  field.document = documents.size() == 1
                       ? only->terms
                       : std::make_shared<const TermCounts>(merge_terms(documents));
}

// Everybody is charged for its terms, whoever has it read first. False if they are too many.
bool TextScorer::read_part(const PartKey& key, Part& part, Field& field,
                           const event::Event& event) {
  if (!part.terms) {
    for (const std::string& text : text_strings({key.first}, event)) {
      counter_.count(text, analyzers_.at(key.second), terms_left(field));
    }
    part.term_count = counter_.term_count();
  }
  const std::uint64_t cost = part.term_count * steps::kTerm;
  field.term_steps += cost;
  if (cost >= steps::kFree && !charge(field, cost)) {
    counter_.drop();
    return false;
  }
  if (!part.terms) part.terms = std::make_shared<const TermCounts>(counter_.take());
  return true;
}

std::optional<TermCounts> TextScorer::visible_document(const Key& key, const event::Event& event) {
  const Field& field = fields_.at(key);
  if (field.visibility && !field.visibility->admits(event)) return std::nullopt;
  return analyze(key, event);
}

filter::TextVerdict TextScorer::judge(const filter::About& about, const event::Event& event) {
  if (!charge(about)) return {};
  return match_info(about, event).verdict;
}

bool TextScorer::charge(const filter::About& about) {
  const Query& query = query_of(about);
  if (!query.budget || !query.field->second.document) return true;
  const TextQuery& wanted = query.query;
  const std::uint64_t cost =
      (wanted.terms.size() + wanted.excluded_terms.size()) * steps::kQueryTerm +
      (wanted.phrases.size() + wanted.excluded_phrases.size()) * query.field->second.text_bytes *
          steps::kPhraseByte;
  return cost < steps::kFree || query.budget->charge(cost);
}

void TextScorer::charge(const filter::TextSource& source, WorkBudget& budget) const {
  const Field& field = sources_.at(&source).field->second;
  if (field.document) budget.charge(field.document->counts.size() * steps::kDistanceTerm);
}

TextMatchInfo TextScorer::match_info(const filter::About& about, const event::Event& event) {
  const Query& query = query_of(about);
  auto& [key, field] = *query.field;
  if (!field.document) return {.failure = TextFailure::kNoText};
  if (query.query.has_phrases() && !field.words) field.words = split(key, event);
  static const TextWords kNoWords;
  return match::judge(query.query, *field.document, field.words ? *field.words : kNoWords,
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
  return {field.document.get(), &field.corpus};
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
  const Field& field = field_of(source);
  if (!field.document) return std::nullopt;
  return *field.document;
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
  for (const std::string& text : strings) counter_.count(text, analyzers_.at(key.language));
  return counter_.take();
}

TextWords TextScorer::split(const Key& key, const event::Event& event) {
  TextWords words;
  for (const std::string& text : text_strings(key.fields, event)) {
    analyzers_.at(key.language).split(text, words.emplace_back());
  }
  return words;
}

}  // namespace weir::match
