// SPDX-License-Identifier: Apache-2.0
// TextReader: what filters ask about the text of the event at hand; whoever keeps the statistics of
// the stream provides it.
#pragma once

#include <optional>

#include "event/event.h"
#include "filter/evaluate.h"
#include "match/text_corpus.h"

namespace weir::match {

class TextReader : public filter::Scorer {
 public:
  // The terms of this source in the event; nothing if it has no text there.
  virtual std::optional<TermCounts> document(const filter::TextSource& source,
                                             const event::Event& event) = 0;
  // text_distance() by the statistics that this source has now.
  virtual double distance(const filter::TextSource& source, const TermCounts& left,
                          const TermCounts& right) = 0;
};

}  // namespace weir::match
