// SPDX-License-Identifier: Apache-2.0
// TextAnnotator: says on a delivery why its text matched, at the moment when it is delivered.
//
// A finding has the score, the epoch and the shares of the terms; snippets are made anew of the
// event, so nobody stores them. The same filter, finding and event give the same words. One that
// was found by another filter, which this one has replaced, is described by this one's terms.
//
// Costs: without highlights a look-up for each term of the query; with them the event's text is
// read (text_highlight.h). Single-threaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"
#include "filter/filter.h"
#include "match/text_analyzers.h"
#include "match/text_finding.h"
#include "match/text_highlight.h"
#include "match/text_query.h"

namespace weir::engine {

// Terms whose shares are told: those that count most, in the order of the query.
inline constexpr std::size_t kAnnotatedTermCountMax = 32;

// What stands between two snippets.
inline constexpr std::string_view kSnippetSeparator = " … ";

class TextAnnotator {
 public:
  struct Options {
    std::shared_ptr<const match::HighlightOptions> highlight = {};  // null: no snippets
    double score_min = 0;  // of an about that says neither a score nor all or any
  };
  // The analyzers must outlive it.
  TextAnnotator(filter::FilterPtr filter, match::TextAnalyzers& analyzers, Options options);

  // weirscore, weirepoch, weirterms and, if there are snippets, weirhighlight of
  // event/annotation.h, as members of JSON. Only the first two if the filter has no such text
  // predicate any more. Requires a finding that says something, and the event if it highlights.
  std::string annotation(const match::TextFinding& finding, const event::Event* event);

  // Whether it reads the text of events.
  bool highlights() const { return options_.highlight != nullptr; }

 private:
  struct Predicate {
    const filter::About* about;
    match::TextQuery query;
    match::TextAnalyzer* analyzer;
  };

  filter::FilterPtr filter_;
  Options options_;
  std::vector<Predicate> predicates_;  // fewer than the filter has if one cannot be analysed
};

}  // namespace weir::engine
