// SPDX-License-Identifier: Apache-2.0
// TextScorer: scores the text predicates of all subscriptions on the event at hand, exactly.
//
// There is one corpus for each choice of fields that some subscription names; it counts every event
// published from then on that has text in one of them, whether or not the event matches anything.
// An event is analysed once for each corpus and counted in before it is scored. The text of a field
// is a string, or the strings of an array. Single-threaded.
//
// A corpus that is restored before anybody names its fields waits for the first who does; while it
// waits it counts nothing in and is not saved.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "event/event.h"
#include "filter/filter.h"
#include "match/text_analyzer.h"
#include "match/text_corpus.h"
#include "match/text_query.h"
#include "match/text_reader.h"

namespace weir::match {

class TextScorer final : public TextReader {
 public:
  TextScorer(TextAnalysis analysis, TextCorpusOptions corpus_options)
      : analysis_(std::move(analysis)), corpus_options_(corpus_options) {}

  // Prepares a filter's text predicates and changes of texts; fails if a predicate has no word
  // left, or the analysis cannot be set up. The filter must stay alive until remove().
  base::Result<void> add(const filter::Filter& filter);
  void remove(const filter::Filter& filter);

  // Counts the event into the corpora it has text for; score() and document() are then about this
  // event.
  void begin(const event::Event& event);

  std::optional<double> score(const filter::About& about, const event::Event& event) override;
  std::optional<TermCounts> document(const std::vector<event::Path>& fields,
                                     const event::Event& event) override;
  double distance(const std::vector<event::Path>& fields, const TermCounts& left,
                  const TermCounts& right) override;
  // The score an event would have if it were published now, with each term's share; the corpora
  // stay as they are. Costs a copy of the corpus.
  std::optional<TextScore> preview(const filter::About& about, const event::Event& event);
  // The same for what document() and distance() would say.
  std::optional<TermCounts> preview_document(const std::vector<event::Path>& fields,
                                             const event::Event& event);
  double preview_distance(const std::vector<event::Path>& fields, const event::Event& event,
                          const TermCounts& left, const TermCounts& right);

  // The corpora in use and how their text was analysed, the same bytes for the same state. Layout:
  // docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes the corpora that save() wrote, all or none. Where there is already one for the same
  // fields, the one of more documents stays. Malformed bytes fail the reader; the result fails
  // where there is more to say, as for text that was analysed otherwise.
  base::Result<void> restore(base::ByteReader& reader);

  // Nothing if no subscription names these fields.
  const TextCorpus* corpus(const std::vector<event::Path>& fields) const;

 private:
  struct Field {
    TextCorpus corpus;
    std::optional<TermCounts> document;  // of the event at hand
    std::size_t user_count = 0;
  };
  struct Query {
    TextQuery query;
    Field* field;
  };
  using Fields = std::map<std::vector<event::Path>, Field>;
  using Corpora = std::map<std::vector<event::Path>, TextCorpus>;

  // Nothing if no field has text.
  std::optional<TermCounts> analyze(const std::vector<event::Path>& fields,
                                    const event::Event& event);
  base::Result<void> prepare_analyzer();
  void use(const std::vector<event::Path>& fields);
  void release(const std::vector<event::Path>& fields);
  Field& field_of(const std::vector<event::Path>& fields);
  // The one that waits for these fields, or an empty one.
  TextCorpus take_corpus(const std::vector<event::Path>& fields);
  base::Result<Corpora> read_corpora(base::ByteReader& reader) const;
  bool can_keep(const Corpora& corpora) const;
  void keep(Corpora corpora);

  TextAnalysis analysis_;
  TextCorpusOptions corpus_options_;
  std::optional<TextAnalyzer> analyzer_;  // made when the first text predicate comes
  Fields fields_;
  Corpora waiting_;  // for fields that nobody names
  std::map<const filter::About*, Query> queries_;
};

}  // namespace weir::match
