// SPDX-License-Identifier: Apache-2.0
// TextReader: what filters ask about the text of the event at hand; whoever keeps the statistics of
// the stream provides it.
#pragma once

#include <optional>
#include <vector>

#include "event/event.h"
#include "filter/evaluate.h"
#include "match/text_corpus.h"

namespace weir::match {

class TextReader : public filter::Scorer {
 public:
  // The terms in these fields of the event; nothing if none of them has text.
  virtual std::optional<TermCounts> document(const std::vector<event::Path>& fields,
                                             const event::Event& event) = 0;
  // text_distance() by the statistics that these fields have now.
  virtual double distance(const std::vector<event::Path>& fields, const TermCounts& left,
                          const TermCounts& right) = 0;
};

}  // namespace weir::match
