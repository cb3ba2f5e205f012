// SPDX-License-Identifier: Apache-2.0
// TermAtATime: the baseline of the index of text filters: a complete inverted index of filters, and
// one pass over the lists of a document's terms that adds up each filter's score.
//
// As fast as we could make it: a filter's sum and its threshold lie side by side as floats, so that
// a posting touches one place and whoever passes the threshold is noted at once; only those are
// added up exactly. Sums are cleared by a second pass over the lists, which is faster than a list
// of those touched. For filters of all terms, a count and the number needed lie side by side as
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/text/text_filter.h"

namespace weir::match::text {

class TermAtATime {
 public:
  enum class Method : std::uint8_t {
    kSums,
    kSumsAndCounts,  // for TextMode::kAll
    kCounts,         // for TextMode::kAll with thresholds of 0
  };

  TermAtATime(Method method, std::size_t term_count)
      : method_(method), lists_(term_count), shares_(term_count) {}

  // Members are numbered as they come. At most 255 terms, if they are counted.
  void add(std::span<const std::uint32_t> terms, double score_min);
  void match(std::span<const DocumentTerm> document, std::vector<TextHit>& hits);
  std::size_t posting_count(std::span<const DocumentTerm> document) const;

 private:
  struct Sum {
    float score;
    float score_min;  // a little less than it is
  };
  struct CountedSum {
    float score;
    std::uint16_t count;
    std::uint16_t needed;
  };
  struct Count {
    std::uint8_t count;
    std::uint8_t needed;
  };

  void add_up(std::span<const DocumentTerm> document);
  void add_and_count_up(std::span<const DocumentTerm> document);
  void count_up(std::span<const DocumentTerm> document);
  void verify(std::uint32_t filter, std::vector<TextHit>& hits) const;

  Method method_;
  std::vector<std::vector<std::uint32_t>> lists_;  // by term
  std::vector<Sum> sums_;                          // by filter, as these two
  std::vector<CountedSum> counted_sums_;
  std::vector<Count> counts_;
  std::vector<double> score_mins_;        // by filter
  std::vector<std::uint32_t> term_ends_;  // by filter, in terms_
  std::vector<std::uint32_t> terms_;
  std::vector<double> shares_;  // by term
  std::vector<std::uint32_t> noted_;
};

}  // namespace weir::match::text
