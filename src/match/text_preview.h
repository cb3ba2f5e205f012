// SPDX-License-Identifier: Apache-2.0
// TextPreview: what a TextScorer would say of one event if it were published now; its corpora stay
// as they are.
//
// Costs what publishing costs: each text is read once, however many predicates ask for it, and of a
// corpus only the terms that matter are looked up. Valid until the scorer is changed.
// Single-threaded.
#pragma once

#include <map>
#include <optional>

#include "base/instant.h"
#include "event/event.h"
#include "match/text_reader.h"
#include "match/text_scorer.h"

namespace weir::match {

class TextPreview final : public TextReader {
 public:
  TextPreview(TextScorer& scorer, const event::Event& event, base::Instant now)
      : scorer_(scorer), event_(event), now_(now) {}

  TextMatchInfo match_info(const filter::About& about);

  // Of the event given above.
  filter::TextVerdict judge(const filter::About& about, const event::Event& event) override;
  std::optional<TermCounts> document(const filter::TextSource& source,
                                     const event::Event& event) override;
  double distance(const filter::TextSource& source, const TermCounts& left,
                  const TermCounts& right) override;

 private:
  struct Text {
    std::optional<TermCounts> document;
    std::optional<TextWords> words;  // once a phrase was looked for
    TextCorpus corpus;               // as far as the document goes, with it counted in
  };

  Text& text_of(const TextScorer::Key& key);
  const TextCorpus& corpus_of(const TextScorer::Key& key) const;

  TextScorer& scorer_;
  const event::Event& event_;
  base::Instant now_;
  std::map<TextScorer::Key, Text> texts_;  // that were read
};

}  // namespace weir::match
