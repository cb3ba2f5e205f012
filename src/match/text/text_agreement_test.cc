// SPDX-License-Identifier: Apache-2.0
// TextIndex against the definition, on random filters and documents: every mode, thresholds at the
// very score of a document and one step above it, idf that moves from document to document, filters
// that come, go and change in between, and the move from one placement to the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "match/text/text_index.h"
#include "match/text/text_oracle_testing.h"

namespace weir::match::text {
namespace {

struct StreamOptions {
  std::uint64_t seed = 0;
  std::uint32_t term_count = 60;
  std::size_t document_terms_max = 30;
  double long_share = 0.02;  // of filters with 100 to 1000 terms
  bool idf_moves = true;
};

// Random filters and documents, and both sides of the comparison.
class Stream {
 public:
  explicit Stream(const StreamOptions& options)
      : options_(options), prng_(options.seed), idf_(options.term_count, 1.0) {
    for (double& idf : idf_) idf = prng_.fraction() * 9;
  }

  TestFilter next_filter() {
    TestFilter filter;
    filter.mode = prng_.chance(0.3) ? TextMode::kAll : TextMode::kAny;
    filter.terms = next_terms(next_length());
    filter.score_min = next_threshold(filter);
    return filter;
  }

  TestDocument next_document() {
    if (options_.idf_moves) move_idf();
    const auto terms = next_terms(prng_.below(options_.document_terms_max + 1));
    std::vector<std::uint64_t> frequencies;
    std::uint64_t most = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      frequencies.push_back(prng_.chance(0.5) ? 1 : 1 + prng_.below(6));
      most = std::max(most, frequencies.back());
    }
    document_.clear();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      document_[terms[i]] =
          static_cast<double>(frequencies[i]) / static_cast<double>(most) * idf_[terms[i]];
    }
    return document_;
  }

  // The next terms come more often from that part of the vocabulary.
  void prefer(std::uint32_t begin, std::uint32_t end) {
    preferred_begin_ = begin;
    preferred_end_ = end;
  }

  void add() {
    const TestFilter filter = next_filter();
    add_to(index, next_member_, filter);
    oracle.set(next_member_++, filter);
  }

  void add_all(std::size_t count) {
    std::map<MemberId, TestFilter> filters;
    for (std::size_t i = 0; i < count; ++i) {
      const TestFilter filter = next_filter();
      oracle.set(next_member_, filter);
      filters[next_member_++] = filter;
    }
    add_all_to(index, filters);
  }

  void remove() {
    const MemberId member = any_member();
    index.remove(member);
    oracle.remove(member);
  }

  void update() {
    const MemberId member = any_member();
    const TestFilter filter = next_filter();
    update_in(index, member, filter);
    oracle.set(member, filter);
  }

  void churn() {
    if (prng_.chance(0.4)) add();
    if (oracle.filters().empty()) return;
    if (prng_.chance(0.4)) remove();
    if (!oracle.filters().empty() && prng_.chance(0.3)) update();
  }

  void check() {
    const TestDocument document = next_document();
    ASSERT_EQ(hits_of(index, document), oracle.hits_of(document))
        << "seed " << options_.seed << ", document " << index.counters().documents;
    ASSERT_EQ(index.size(), oracle.filters().size());
  }

  TextIndex index{{.documents_per_count = 1}};
  TextOracle oracle;

 private:
  std::size_t next_length() {
    if (prng_.chance(options_.long_share)) return 100 + prng_.below(901);
    return 1 + prng_.below(12);
  }

  std::vector<std::uint32_t> next_terms(std::size_t count) {
    std::vector<std::uint32_t> terms;
    count = std::min<std::size_t>(count, options_.term_count);
    std::vector<bool> is_taken(options_.term_count);
    while (terms.size() < count) {
      const auto term = static_cast<std::uint32_t>(
          preferred_end_ > preferred_begin_ && prng_.chance(0.8)
              ? preferred_begin_ + prng_.below(preferred_end_ - preferred_begin_)
              : prng_.below(options_.term_count));
      if (is_taken[term]) {
        if (prng_.chance(0.05)) --count;  // what is preferred may be used up
        continue;
      }
      is_taken[term] = true;
      terms.push_back(term);
    }
    return terms;
  }

  // At the score of the last document, a step above or below, at 0, or anywhere.
  double next_threshold(const TestFilter& filter) {
    const double score = score_of(filter, document_);
    switch (prng_.below(6)) {
      case 0:
        return score;
      case 1:
        return std::nextafter(score, std::numeric_limits<double>::infinity());
      case 2:
        return std::nextafter(score, 0.0);
      case 3:
        return 0;
      default:
        return prng_.fraction() * 3 * static_cast<double>(filter.terms.size());
    }
  }

  void move_idf() {
    const double factor = std::pow(2.0, prng_.fraction() * 4 - 2);
    for (double& idf : idf_) {
      if (prng_.chance(0.3)) idf = prng_.fraction() * 9;
      if (prng_.chance(0.1)) idf = 0;
      if (prng_.chance(0.1)) idf *= factor;
    }
  }

  MemberId any_member() {
    auto found = oracle.filters().lower_bound(static_cast<MemberId>(prng_.below(next_member_)));
    if (found == oracle.filters().end()) found = oracle.filters().begin();
    return found->first;
  }

  StreamOptions options_;
  base::Prng prng_;
  std::vector<double> idf_;
  TestDocument document_;
  MemberId next_member_ = 0;
  std::uint32_t preferred_begin_ = 0;
  std::uint32_t preferred_end_ = 0;
};

TEST(TextAgreementTest, FindsWhatTheDefinitionSaysWhileFiltersComeAndGo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream stream({.seed = seed, .term_count = seed % 2 == 0 ? 12U : 60U});
    for (int i = 0; i < 300; ++i) {
      stream.churn();
      stream.churn();
      ASSERT_NO_FATAL_FAILURE(stream.check());
    }
  }
}

TEST(TextAgreementTest, FindsWhatTheDefinitionSaysInALargeSet) {
  for (std::uint64_t seed = 100; seed < 104; ++seed) {
    Stream stream({.seed = seed, .term_count = 400, .document_terms_max = 120, .long_share = 0.01});
    for (int i = 0; i < 3; ++i) {
      stream.next_document();
      stream.add_all(700);
      for (int j = 0; j < 15; ++j) ASSERT_NO_FATAL_FAILURE(stream.check());
    }
    while (stream.index.size() > 0) {
      for (int i = 0; i < 100 && stream.index.size() > 0; ++i) stream.remove();
      ASSERT_NO_FATAL_FAILURE(stream.check());
    }
    EXPECT_EQ(stream.index.terms().size(), 0U);
  }
}

// The vocabulary's halves take turns in being common: filters are moved again and again.
TEST(TextAgreementTest, FindsWhatTheDefinitionSaysWhileFiltersAreMoved) {
  constexpr std::uint32_t kTermCount = 200;
  Stream stream({.seed = 7, .term_count = kTermCount, .long_share = 0.002});
  stream.add_all(1500);
  int checked_moving_count = 0;
  for (const int phase : {1, 2, 3}) {
    const std::uint32_t begin = phase % 2 == 0 ? 0 : kTermCount / 2;
    stream.prefer(begin, begin + kTermCount / 2);
    std::uint64_t moves = stream.index.counters().moves;
    for (int i = 0; i < 2000 * phase; ++i) {
      const bool is_moving =
          stream.index.counters().moves != std::exchange(moves, stream.index.counters().moves);
      if (i % 4 == 0) stream.churn();
      if (is_moving || i % 20 == 0) {
        ASSERT_NO_FATAL_FAILURE(stream.check());
        checked_moving_count += is_moving ? 1 : 0;
      } else {
        hits_of(stream.index, stream.next_document());
      }
    }
  }
  EXPECT_GE(checked_moving_count, 40);
  EXPECT_GE(stream.index.counters().placements, 2U);
  EXPECT_GE(stream.index.counters().moves, 2U * 1400U);
}

TEST(TextAgreementTest, FindsWhatTheDefinitionSaysInLongDocuments) {
  Stream stream({.seed = 9, .term_count = 8000, .document_terms_max = 6000, .long_share = 0.1});
  stream.add_all(1000);
  for (int i = 0; i < 12; ++i) {
    stream.add();
    ASSERT_NO_FATAL_FAILURE(stream.check());
  }
}

}  // namespace
}  // namespace weir::match::text
