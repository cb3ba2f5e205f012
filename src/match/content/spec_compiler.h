// SPDX-License-Identifier: Apache-2.0
// SpecCompiler: from filters to a SpecBatch.
//
//   term                                          becomes
//   x = c, x != c, exists x, their negations      tests of the point column
//   x < c, x between c and d, their negations     a test of the number or time column
//   x in (c, ...)                                 a check, and a door through the points
//   x prefix 'ab', x suffix 'ab', x like 'ab%'    a check, and a door through the prefix or suffix
//   x < 'text', x = y, text, anything else        a check
//   CESQL                                         a check, and tests and doors by cesql_hints
//
// If no test and no door leads to the conjunction but some operand must have a value, there is a
// door through any value of it. What is in use is acquired from the vocabulary; release() gives it
// back.
#pragma once

#include <span>

#include "filter/filter.h"
#include "match/content/spec.h"
#include "match/content/vocabulary.h"

namespace weir::match::content {

class SpecCompiler {
 public:
  explicit SpecCompiler(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  // Appends the subscription to the batch, which keeps the filter only if that is needed.
  void compile(SubscriptionId id, const filter::FilterPtr& filter, SpecBatch& batch);
  // `extra` may be null.
  void release(std::span<const CodeTest> tests, const Extra* extra);

 private:
  class Terms;

  Vocabulary& vocabulary_;
};

}  // namespace weir::match::content
