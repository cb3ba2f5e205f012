// SPDX-License-Identifier: Apache-2.0
// What a text query says of a document, by definition (docs/text.md), and why.
//
// A query holds of a document that has nothing of what is excluded; that has
//   kScore  every phrase
//   kAll    every phrase and every term
//   kAny    at least one plain term or phrase;
// and whose score is at least the query's. The score counts the terms of phrases like others.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "filter/evaluate.h"
#include "match/text_corpus.h"
#include "match/text_query.h"

namespace weir::match {

// The folded words of each string of a document, stop words among them, in their order.
using TextWords = std::vector<std::vector<std::string>>;

// The first condition that a document does not meet, in this order.
enum class TextFailure : std::uint8_t {
  kNone,
  kNoText,  // no field has text in the predicate's language
  kExcludedTerm,
  kExcludedPhrase,
  kMissingPhrase,
  kMissingTerm,
  kNoneOfThem,
  kLowScore,
};

struct TextMatchInfo {
  filter::TextVerdict verdict = {};
  // Of the query's terms that the document has, in the query's order: why it matched.
  std::vector<std::pair<std::string, double>> shares = {};
  TextFailure failure = TextFailure::kNone;
  std::string failed = {};  // the term or phrase that the failure is about, or nothing
  double score_min = 0;     // what was asked for; 0: nothing

  bool operator==(const TextMatchInfo&) const = default;
};

// The document has been added to the corpus; its words are looked at for phrases only.
TextMatchInfo judge(const TextQuery& query, const TermCounts& document, const TextWords& words,
                    const TextCorpus& corpus);

bool has_phrase(const TextWords& words, const TextPhrase& phrase);

}  // namespace weir::match
