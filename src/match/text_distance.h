// SPDX-License-Identifier: Apache-2.0
// The distance of two documents: 1 - cos of the angle between their vectors of tf*idf weights.
//
//   w(t, d) = freq(t, d) / maxfreq(d) * ln(N / n_t)
//   distance(d, e) = 1 - sum w(t, d) w(t, e) / (|w(d)| |w(e)|)
//
// 0 for documents with the same weights, 1 for documents without a common term that weighs
// something; in between otherwise. A document whose terms all weigh nothing (each is in every
// document) is at distance 1 from any other that weighs something.
#pragma once

#include <cstddef>

#include "match/text_corpus.h"

namespace weir::match {

// Of a document that is remembered.
inline constexpr std::size_t kDocumentTermCountMax = 10'000;

double text_distance(const TermCounts& left, const TermCounts& right, const TextCorpus& corpus);

// The document with its most frequent terms only, of equally frequent ones the first by name.
TermCounts bounded(TermCounts document, std::size_t term_count_max = kDocumentTermCountMax);

}  // namespace weir::match
