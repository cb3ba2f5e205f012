// SPDX-License-Identifier: Apache-2.0
#include "003/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/prng.h"
#include "shared/zipf_draw.h"

namespace weir::lab {
namespace {

std::string term_of(std::size_t rank) { return fmt::format("#{}", rank + 1); }

// By Poisson's law: how many times numbers of [0, 1) can be multiplied before exp(-mean) is
// reached.
std::size_t poisson(double mean, base::Prng& prng) {
  const double least = std::exp(-mean);
  std::size_t count = 0;
  for (double product = prng.fraction(); product > least; product *= prng.fraction()) ++count;
  return count;
}

Filter draw_filter(std::size_t length, const ZipfDraw& draw, base::Prng& prng) {
  Filter filter;
  while (filter.size() < length) {
    std::string term = term_of(draw.next(prng));
    const auto place = std::ranges::lower_bound(filter, term);
    if (place == filter.end() || *place != term) filter.insert(place, std::move(term));
  }
  return filter;
}

// The ranks of terms, drawn as those of words.
class TermDraw {
 public:
  explicit TermDraw(const DocumentOptions& options)
      : skipped_(options.skipped_ranks),
        draw_(options.vocabulary + options.skipped_ranks, options.exponent) {}

  std::size_t next(base::Prng& prng) const {
    std::size_t rank = draw_.next(prng);
    while (rank < skipped_) rank = draw_.next(prng);
    return rank - skipped_;
  }

 private:
  std::size_t skipped_;
  ZipfDraw draw_;
};

match::TermCounts draw_document(std::size_t length, std::vector<std::size_t>& frequencies,
                                const TermDraw& draw, base::Prng& prng) {
  std::vector<std::size_t> ranks;
  while (ranks.size() < length) {
    const std::size_t rank = draw.next(prng);
    if (frequencies[rank]++ == 0) ranks.push_back(rank);
  }
  match::TermCounts document;
  for (const std::size_t rank : ranks) {
    document.counts.push_back({.term = term_of(rank), .frequency = frequencies[rank]});
    document.frequency_max = std::max(document.frequency_max, frequencies[rank]);
    frequencies[rank] = 0;
  }
  std::ranges::sort(document.counts, {}, &match::TermCount::term);
  return document;
}

}  // namespace

QueryLog make_queries(const QueryOptions& options) {
  WEIR_CHECK(options.length_mean >= 1 && options.length_max <= options.vocabulary / 2);
  QueryLog log{.name = std::string(options.name)};
  base::Prng prng(options.seed);
  const ZipfDraw draw(options.vocabulary, options.exponent);
  for (std::size_t i = 0; i < options.query_count; ++i) {
    const std::size_t length = 1 + poisson(options.length_mean - 1, prng);
    log.filters.push_back(draw_filter(std::min(length, options.length_max), draw, prng));
    log.word_counts.push_back(log.filters.back().size());
  }
  return log;
}

Documents make_documents(const DocumentOptions& options) {
  WEIR_CHECK(options.length_min <= options.length_max);
  WEIR_CHECK(options.length_max <= options.vocabulary / 2);
  Documents documents{.name = std::string(options.name)};
  base::Prng prng(options.seed);
  const TermDraw draw(options);
  std::vector<std::size_t> frequencies(options.vocabulary);
  for (std::size_t i = 0; i < options.document_count; ++i) {
    const std::size_t length =
        options.length_min + prng.below(options.length_max - options.length_min + 1);
    documents.documents.push_back(draw_document(length, frequencies, draw, prng));
    documents.corpus.add(documents.documents.back(), {});
  }
  return documents;
}

}  // namespace weir::lab
