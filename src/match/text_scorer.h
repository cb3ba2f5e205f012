// SPDX-License-Identifier: Apache-2.0
// TextScorer: judges the text predicates of all subscriptions on the event at hand, exactly.
//
// There is one corpus for each choice of fields, language and visibility that some subscription
// names; it counts every event published from then on that has text in one of the fields and may be
// seen, whether or not the event matches anything. So scores tell nobody of documents that are
// hidden from them. A field is analysed once for each language, whatever choices of fields have it;
// an event is counted in before it is judged. Single-threaded.
//
// What that costs is charged to the budgets of all who name a choice of fields (work_budget.h). A
// text that is too costly for everybody who names it is not analysed, and not counted in.
//
// An event whose attribute `lang` names another language has no text for a corpus; the language
// none reads all. A corpus that is restored before anybody names its fields waits for the first who
// does; while it waits it counts nothing in and is not saved.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"
#include "event/event.h"
#include "filter/filter.h"
#include "match/text_analyzers.h"
#include "match/text_corpus.h"
#include "match/text_finding.h"
#include "match/text_match.h"
#include "match/text_query.h"
#include "match/text_reader.h"
#include "match/text_strings.h"
#include "match/text_term_counter.h"
#include "match/work_budget.h"

namespace weir::match {

// How the corpora of a TextScorer were saved.
enum class TextLayout : std::uint8_t {
  kOneLanguage,  // paths only, and no epochs
  kLanguages,    // all of them of those who see everything
  kVisibility,
};

// What some subscriptions may see. Statistics are kept for each name.
struct TextVisibility {
  std::string name;  // the same for all that admit the same events; not empty
  std::function<bool(const event::Event&)> admits;
};
using TextVisibilityPtr = std::shared_ptr<const TextVisibility>;

class TextScorer final : public TextReader {
 public:
  // Of an about that says neither a score nor all or any.
  static constexpr double kScoreMin = 1.0;
  static constexpr std::size_t kShareBytesMin = 24;
  static constexpr std::size_t kShareBytesMax = std::size_t{64} << 10U;

  // `analysis` is that of filters that do not name a language.
  TextScorer(TextAnalysis analysis, TextCorpusOptions corpus_options, double score_min = kScoreMin)
      : analyzers_(std::move(analysis)), corpus_options_(corpus_options), score_min_(score_min) {}

  // New corpora of that language begin with these counts from now on.
  void preload(std::shared_ptr<const CorpusCounts> counts);

  // Prepares a filter's text predicates and changes of texts; fails if a predicate has no word
  // left, or the analysis cannot be set up, as for a language that is not known. The filter must
  // stay alive until remove(), and is added once. Without visibility, every event counts. Corpora
  // that it is the first to name take their memory from the account.
  base::Result<void> add(const filter::Filter& filter, const TextVisibilityPtr& visibility = {},
                         const base::MemoryAccount::Ptr& memory = {},
                         const WorkBudgetPtr& budget = {});
  // Requires the budget that it was added with.
  void remove(const filter::Filter& filter, const WorkBudgetPtr& budget = {});

  // Counts the event into the corpora it has text for; judge(), match_info() and document() are
  // then about this event.
  void begin(const event::Event& event, base::Instant now);

  // Nothing holds that is too costly to judge.
  filter::TextVerdict judge(const filter::About& about, const event::Event& event) override;
  // Charges what it takes to judge the predicate and to tell why it holds; false if that is too
  // costly.
  bool charge(const filter::About& about);
  // Charges what it takes to compare the text of a change with another one.
  void charge(const filter::TextSource& source, WorkBudget& budget) const;
  // What judge() says, and why.
  TextMatchInfo match_info(const filter::About& about, const event::Event& event);
  // The first text predicate of a filter that holds of the event at hand; nothing if none does. The
  // findings of one event share what they say of terms. It takes at most this part of the event's
  // bytes, but kShareBytesMin at least; what does not fit is left out.
  TextFinding finding(const filter::Filter& filter, const event::Event& event);
  void set_shares_part(double part) { shares_part_ = part; }
  std::optional<TermCounts> document(const filter::TextSource& source,
                                     const event::Event& event) override;
  double distance(const filter::TextSource& source, const TermCounts& left,
                  const TermCounts& right) override;

  // The corpora in use and how their text was analysed, the same bytes for the same state. Layout:
  // docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // The same for some of them: from this one on, as many as take so many bytes, at least one if
  // there is any. Returns the one to go on with; the number of corpora if it was the last.
  std::size_t save_some(std::size_t from, std::size_t bytes_max, base::ByteWriter& writer) const;
  std::size_t corpus_count() const { return fields_.size(); }
  // Takes the corpora that save() wrote, all or none. Where there is already one for the same
  // fields and language, one that has documents of the stream stays or comes rather than one that
  // has none, and of two such the one of more documents. Malformed bytes fail the reader; the
  // result fails where there is more to say, as for text that was analysed otherwise.
  base::Result<void> restore(TextLayout layout, base::ByteReader& reader);

  // Nothing if no subscription names this source.
  const TextCorpus* corpus(const filter::TextSource& source) const;

  // For whoever judges predicates otherwise: what one looks for, and what there is to look at.
  const TextQuery& query(const filter::About& about) const;
  // Whose statistics are one.
  struct Key {
    std::vector<filter::TextField> fields;
    std::string language;
    std::string visibility = {};  // its name; empty: all events

    auto operator<=>(const Key&) const = default;
  };
  Key key_of(const filter::TextSource& source) const;
  // Of the event at hand. Requires a key that some subscription names.
  struct View {
    const TermCounts* document;  // null: it has no text
    const TextCorpus* corpus;
  };
  View view(const Key& key) const;

 private:
  friend class TextPreview;
  // A field in a language.
  struct Part {
    std::size_t use_count = 0;
    // Of the event at hand.
    std::optional<TextSize> size = {};
    boost::unordered_flat_set<WorkBudget*> payers = {};  // who were charged for a long text
    std::shared_ptr<const TermCounts> terms = {};
    std::size_t term_count = 0;
  };
  using PartKey = std::pair<filter::TextField, std::string>;
  struct Field {
    TextCorpus corpus;
    TextVisibilityPtr visibility;                     // null: all events
    std::vector<Part*> parts = {};                    // its fields
    std::map<WorkBudget*, std::size_t> payers = {};   // and how often; null: nobody limits it
    std::size_t phrase_query_count = 0;               // of those who name it
    std::shared_ptr<const TermCounts> document = {};  // of the event at hand
    std::uint64_t term_steps = 0;                     // of the same
    std::size_t text_bytes = 0;                       // of the same
    bool is_read = false;  // the event may be seen, is in the language and not too costly
    std::optional<TextWords> words = {};      // of the same, once a phrase was looked for
    std::shared_ptr<TextShares> shares = {};  // of the same, once a predicate held
    std::size_t user_count = 0;
  };
  using Fields = std::map<Key, Field>;
  struct Query {
    TextQuery query;
    Fields::value_type* field;
    WorkBudgetPtr budget = {};
  };
  using Corpora = std::map<Key, TextCorpus>;

  base::Result<void> prepare(const filter::Filter& filter);
  base::Result<std::vector<TextQuery>> compile(const filter::Filter& filter);
  // Nothing if no field has text.
  std::optional<TermCounts> analyze(const Key& key, const event::Event& event);
  void measure(const Key& key, Field& field, const event::Event& event);
  void read(const Key& key, Field& field, const event::Event& event);
  bool read_part(const PartKey& key, Part& part, Field& field, const event::Event& event);
  static bool charge(const Field& field, std::uint64_t cost);
  static bool is_paid(const Field& field);
  static std::size_t terms_left(const Field& field);
  TextWords split(const Key& key, const event::Event& event);
  // Adds the scores of these terms, as far as there is room.
  void add_shares(const TextMatchInfo& info, TextShares& shares);
  struct Use {
    Fields::value_type* field = nullptr;
    std::size_t count = 0;  // of filters that have it
  };
  // Nothing if the event may not be seen there, or has no text.
  std::optional<TermCounts> visible_document(const Key& key, const event::Event& event);
  void use(const filter::TextSource& source, const TextVisibilityPtr& visibility,
           const base::MemoryAccount::Ptr& memory, WorkBudget* budget);
  void release(const filter::TextSource& source, WorkBudget* budget);
  const Query& query_of(const filter::About& about) const;
  Field& field_of(const filter::TextSource& source);
  // The one that waits for this key, or a new one.
  TextCorpus take_corpus(const Key& key);
  base::Result<Corpora> read_corpora(TextLayout layout, const std::string& language,
                                     base::ByteReader& reader) const;
  bool can_keep(const Corpora& corpora) const;
  void keep(Corpora corpora);

  TextAnalyzers analyzers_;
  TextCorpusOptions corpus_options_;
  double score_min_;
  std::map<PartKey, Part> parts_;
  Fields fields_;
  TextTermCounter counter_;
  Corpora waiting_;  // for sources that nobody names
  std::map<std::string, std::shared_ptr<const CorpusCounts>> preloaded_;  // by language
  std::map<const filter::About*, Query> queries_;
  std::map<const filter::TextSource*, Use> sources_;  // of filters that were added
  double shares_part_ = 1;
  std::size_t share_bytes_left_ = 0;  // for the event at hand
};

}  // namespace weir::match
