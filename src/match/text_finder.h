// SPDX-License-Identifier: Apache-2.0
// TextFinder: which text predicates hold for the event at hand, found by the terms of its text.
//
// Has a text::TextIndex for each choice of fields and language; the scorer tells it what predicates
// look for, the document and how much each term counts. A predicate that asks for phrases or
// excludes something is found if its score and its terms suffice: the scorer must judge the rest.
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "filter/ast.h"
#include "match/text/text_index.h"
#include "match/text_scorer.h"

namespace weir::match {

class TextFinder {
 public:
  using FieldsNumber = std::uint32_t;  // of a choice of fields and language
  struct Place {
    FieldsNumber fields = 0;
    text::MemberId number = 0;  // in the index there
  };

  explicit TextFinder(const TextScorer* scorer) : scorer_(scorer) {}

  // Whether a predicate that the scorer knows is found by its terms: not if it holds for any text,
  // or if one of several phrases is enough.
  static bool can_find(const TextQuery& query);
  // Whether it holds whenever it is found.
  static bool is_exact(const TextQuery& query);

  // `member` is what find() will report. Requires one that can be found; the scorer knows it until
  // it is removed.
  Place add(const filter::About& about, std::uint32_t member);
  void remove(Place place);

  // Appends the members that are found there, in any order. Costs nothing if the event at hand has
  // no text there.
  void find(FieldsNumber fields, std::vector<std::uint32_t>& members);

  // Sums over all indexes.
  text::TextCounters counters() const;
  std::size_t memory_bytes() const;

 private:
  struct Fields {
    TextScorer::Key key;
    text::TextIndex index;
    std::vector<std::uint32_t> members;  // by number in the index
    std::vector<text::MemberId> free_numbers;
  };

  FieldsNumber number_of(const TextScorer::Key& key);

  const TextScorer* scorer_;
  std::map<TextScorer::Key, FieldsNumber> numbers_;
  std::vector<std::unique_ptr<Fields>> fields_;  // by number; null: free
  std::vector<FieldsNumber> free_fields_;
  text::TextCounters ended_;  // of indexes that are gone
  // Of the event at hand.
  std::vector<text::DocumentTerm> document_;
  std::vector<text::TextHit> hits_;
};

}  // namespace weir::match
