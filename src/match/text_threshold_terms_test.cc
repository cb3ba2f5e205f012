// SPDX-License-Identifier: Apache-2.0
#include "match/text_threshold_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/prng.h"

namespace weir::match {
namespace {

using Terms = std::vector<ScoredTerm>;

Terms make_terms(std::vector<double> scores) {
  std::ranges::sort(scores, std::greater<>());
  Terms terms;
  for (const double score : scores) {
    terms.push_back(
        {.term = std::string(1, static_cast<char>('a' + terms.size())), .score = score});
  }
  return terms;
}

// All documents of up to `count_max` terms with scores of 0 to `score_max`.
void for_all_documents(std::size_t count_max, int score_max,
                       const std::function<void(const Terms&)>& use) {
  std::vector<double> scores;
  const std::function<void(int)> extend = [&](int highest) {
    use(make_terms(scores));
    if (scores.size() == count_max) return;
    for (int score = 0; score <= highest; ++score) {
      scores.push_back(score);
      extend(score);
      scores.pop_back();
    }
  };
  extend(score_max);
}

// The definition: the first terms that every filter of at most L of the document's terms has one
// of, if it matches; terms that are not in the document change neither.
std::size_t least_count(const Terms& terms, const ThresholdRule& rule) {
  std::size_t count = 0;
  for (std::size_t filter = 1; filter < std::size_t{1} << terms.size(); ++filter) {
    std::size_t length = 0;
    std::size_t first = terms.size();
    double score = 0;
    for (std::size_t i = terms.size(); i > 0; --i) {
      if ((filter >> (i - 1) & 1U) == 0) continue;
      ++length;
      first = i;
      score += terms[i - 1].score;
    }
    if (length <= rule.length_max && score >= rule.threshold) count = std::max(count, first);
  }
  return count;
}

// The paper's Algorithms 1 and 2, line by line.
std::size_t algorithm_1(const Terms& terms, double threshold) {
  double doc_score = 0;
  for (std::size_t i = terms.size(); i >= 1; --i) {
    doc_score += terms[i - 1].score;
    if (doc_score >= threshold) return i;
  }
  return 0;
}

std::size_t algorithm_2(const Terms& terms, double threshold, std::size_t length) {
  for (std::size_t i = terms.size(); i >= 1; --i) {
    double doc_score = 0;
    const std::size_t upper = i > length ? i - length : 1;
    for (std::size_t j = i; j >= upper; --j) {
      doc_score += terms[j - 1].score;
      if (doc_score >= threshold) return j;
    }
  }
  return 0;
}

// As the paper's text about its figure 2 has the scores of A to M.
const std::vector<double> kFigure2 = {0.9,  0.8,  0.6,  0.5,  0.3,  0.18, 0.05,
                                      0.04, 0.03, 0.03, 0.02, 0.02, 0.01};

TEST(TextThresholdTermsTest, AreThoseOfThePapersExample) {
  const Terms terms = make_terms(kFigure2);
  EXPECT_EQ(threshold_term_count(terms, {.threshold = 1.0}), 4U);                   // A to D
  EXPECT_EQ(threshold_term_count(terms, {.threshold = 1.0, .length_max = 3}), 3U);  // A to C
  EXPECT_EQ(algorithm_2(terms, 1.0, 3), 4U);  // of D to G, four terms
}

TEST(TextThresholdTermsTest, ADocumentThatReachesNoThresholdHasNone) {
  EXPECT_EQ(threshold_term_count({}, {.threshold = 0.1}), 0U);
  EXPECT_EQ(threshold_term_count(make_terms({0, 0}), {.threshold = 1e-300}), 0U);
  EXPECT_EQ(threshold_term_count(make_terms({1, 1, 1}), {.threshold = 3.1}), 0U);
  EXPECT_EQ(threshold_term_count(make_terms({1, 1, 1}), {.threshold = 3, .length_max = 2}), 0U);
}

TEST(TextThresholdTermsTest, AreTheLeastThatMissNoMatchInAllSmallDocuments) {
  for_all_documents(6, 4, [](const Terms& terms) {
    for (int threshold = 1; threshold <= 13; ++threshold) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{3},
                                       std::size_t{5}, std::size_t{7}, kAnyLength}) {
        const ThresholdRule rule{.threshold = threshold - 0.5, .length_max = length};
        ASSERT_EQ(threshold_term_count(terms, rule), least_count(terms, rule)) << threshold;
      }
    }
  });
}

TEST(TextThresholdTermsTest, ThePapersAlgorithmsAreTheRulesForAnyLengthAndForOneTermMore) {
  for_all_documents(7, 3, [](const Terms& terms) {
    for (int threshold = 1; threshold <= 12; ++threshold) {
      const auto wanted = static_cast<double>(threshold);
      ASSERT_EQ(threshold_term_count(terms, {.threshold = wanted}), algorithm_1(terms, wanted));
      for (std::size_t length = 1; length <= 8; ++length) {
        ASSERT_EQ(threshold_term_count(terms, {.threshold = wanted, .length_max = length + 1}),
                  algorithm_2(terms, wanted, length));
      }
    }
  });
}

// Documents of up to 300 terms whose frequencies and document frequencies are skewed.
class RandomCorpus {
 public:
  explicit RandomCorpus(std::uint64_t seed) : prng_(seed) {
    for (int i = 0; i < 60; ++i) {
      std::vector<std::string> terms;
      const std::size_t length = 1 + prng_.below(600);
      for (std::size_t j = 0; j < length; ++j) terms.push_back(draw_term());
      documents_.push_back(count_terms(std::move(terms)));
      corpus_.add(documents_.back(), {});
    }
  }

  const std::vector<TermCounts>& documents() const { return documents_; }
  const TextCorpus& corpus() const { return corpus_; }

  std::string draw_term() {
    const double fraction = prng_.fraction();
    return std::to_string(static_cast<int>(300 * fraction * fraction * fraction));
  }
  std::vector<std::string> draw_filter() {
    std::vector<std::string> filter;
    const std::size_t length = 1 + prng_.below(12);
    for (std::size_t i = 0; i < length; ++i) filter.push_back(draw_term());
    return filter;
  }

 private:
  base::Prng prng_;
  std::vector<TermCounts> documents_;
  TextCorpus corpus_;
};

// The place of the filter's dissemination term among the document's.
std::size_t first_place(const Terms& terms, const std::vector<std::string>& filter) {
  const auto is_in_filter = [&](const std::string& term) {
    return std::ranges::find(filter, term) != filter.end();
  };
  return static_cast<std::size_t>(std::ranges::find_if(terms, is_in_filter, &ScoredTerm::term) -
                                  terms.begin());
}

// A threshold that is the score itself: it may not be missed by the last bit.
TEST(TextThresholdTermsTest, MissNoRandomMatchWhoseThresholdIsItsScore) {
  RandomCorpus random(3);
  std::size_t match_count = 0;
  for (const TermCounts& document : random.documents()) {
    const Terms terms = scored_terms(document, random.corpus());
    for (int i = 0; i < 300; ++i) {
      const std::vector<std::string> filter = random.draw_filter();
      const double total = score(filter, document, random.corpus()).total;
      if (total == 0) continue;
      ++match_count;
      for (const std::size_t length : {filter.size(), filter.size() + 1, kAnyLength}) {
        const std::size_t count =
            threshold_term_count(terms, {.threshold = total, .length_max = length});
        ASSERT_LT(first_place(terms, filter), count);
      }
    }
  }
  EXPECT_GT(match_count, 10'000U);
}

// The same, of filters that have just the terms of a sum: here rounding decides.
TEST(TextThresholdTermsTest, MissNoMatchByRounding) {
  RandomCorpus random(6);
  base::Prng prng(7);
  for (const TermCounts& document : random.documents()) {
    const Terms terms = scored_terms(document, random.corpus());
    for (int i = 0; i < 50; ++i) {
      const std::size_t begin = prng.below(terms.size());
      const std::size_t length = 1 + prng.below(std::min<std::size_t>(20, terms.size() - begin));
      std::vector<std::string> filter;
      for (std::size_t j = 0; j < length; ++j) {
        filter.insert(filter.begin() + static_cast<std::ptrdiff_t>(prng.below(filter.size() + 1)),
                      terms[begin + j].term);
      }
      const double total = score(filter, document, random.corpus()).total;
      if (total == 0) continue;
      EXPECT_LT(begin, threshold_term_count(terms, {.threshold = total, .length_max = length}));
      if (begin + length < terms.size()) continue;
      EXPECT_LT(begin, threshold_term_count(terms, {.threshold = total}));
    }
  }
}

TEST(TextThresholdTermsTest, RandomDocumentsHaveThoseOfAPlainSearch) {
  RandomCorpus random(4);
  for (const TermCounts& document : random.documents()) {
    const Terms terms = scored_terms(document, random.corpus());
    for (const double threshold : {0.013, 0.17, 1.1, 2.3, 7.9}) {
      EXPECT_EQ(threshold_term_count(terms, {.threshold = threshold}),
                algorithm_1(terms, threshold));
      for (const std::size_t length : {1U, 2U, 3U, 10U, 50U}) {
        EXPECT_EQ(threshold_term_count(terms, {.threshold = threshold, .length_max = length + 1}),
                  algorithm_2(terms, threshold, length));
      }
    }
  }
}

TEST(ScoredTermsTest, AreAllTermsByScoreAsTheDefinitionHasIt) {
  RandomCorpus random(5);
  for (const TermCounts& document : random.documents()) {
    const Terms terms = scored_terms(document, random.corpus());
    ASSERT_EQ(terms.size(), document.counts.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::vector<std::string> filter = {terms[i].term};
      EXPECT_EQ(terms[i].score, score(filter, document, random.corpus()).total);
      if (i == 0) continue;
      EXPECT_GE(terms[i - 1].score, terms[i].score);
      if (terms[i - 1].score == terms[i].score) {
        EXPECT_LT(terms[i - 1].term, terms[i].term);
      }
    }
  }
}

}  // namespace
}  // namespace weir::match
