// SPDX-License-Identifier: Apache-2.0
#include "match/text_preview.h"

#include <utility>

#include "match/text_distance.h"

namespace weir::match {

TextPreview::Text& TextPreview::text_of(const TextScorer::Key& key) {
  const auto [place, is_new] = texts_.try_emplace(key);
  Text& text = place->second;
  if (!is_new) return text;
  text.document = scorer_.visible_document(key, event_);
  if (!text.document) return text;
  text.corpus = corpus_of(key).excerpt({&*text.document});
  text.corpus.add(*text.document, now_);
  return text;
}

const TextCorpus& TextPreview::corpus_of(const TextScorer::Key& key) const {
  return *scorer_.view(key).corpus;
}

TextMatchInfo TextPreview::match_info(const filter::About& about) {
  const TextScorer::Query& query = scorer_.query_of(about);
  const TextScorer::Key& key = query.field->first;
  Text& text = text_of(key);
  if (!text.document) return {.failure = TextFailure::kNoText};
  if (query.query.has_phrases() && !text.words) text.words = scorer_.split(key, event_);
  static const TextWords kNoWords;
  return match::judge(query.query, *text.document, text.words ? *text.words : kNoWords,
                      text.corpus);
}

filter::TextVerdict TextPreview::judge(const filter::About& about, const event::Event&) {
  return match_info(about).verdict;
}

std::optional<TermCounts> TextPreview::document(const filter::TextSource& source,
                                                const event::Event&) {
  return text_of(scorer_.key_of(source)).document;
}

double TextPreview::distance(const filter::TextSource& source, const TermCounts& left,
                             const TermCounts& right) {
  const TextScorer::Key key = scorer_.key_of(source);
  const auto& document = text_of(key).document;
  const TermCounts none;
  const TermCounts& added = document ? *document : none;
  TextCorpus corpus = corpus_of(key).excerpt({&left, &right, &added});
  if (document) corpus.add(added, now_);
  return text_distance(left, right, corpus);
}

}  // namespace weir::match
