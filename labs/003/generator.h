// SPDX-License-Identifier: Apache-2.0
// Query logs and documents of terms that follow Zipf's law, in the sizes of the paper's tables I
// and II. The terms are "#1", "#2" and so on, by rank, which no text has. The same options give the
// same logs and documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "003/workload.h"

namespace weir::lab {

struct QueryOptions {
  std::string_view name;
  std::size_t query_count = 0;
  std::size_t vocabulary = 0;  // different terms
  double exponent = 0.5;       // of Zipf's law; people ask for what is rarer than what is written
  double length_mean = 0;      // a length is 1 + a number by Poisson's law, at most length_max
  std::size_t length_max = 0;
  std::uint64_t seed = 1;
};
QueryLog make_queries(const QueryOptions& options);

struct DocumentOptions {
  std::string_view name;
  std::size_t document_count = 0;
  std::size_t vocabulary = 0;
  double exponent = 1;
  std::size_t skipped_ranks = 150;  // the words of these would be stop words, so they are no terms
  std::size_t length_min = 0;       // different terms of a document, uniform between the two
  std::size_t length_max = 0;       // at most half the vocabulary
  std::uint64_t seed = 1;
};
// Words are drawn until a document has as many different ones as it should.
Documents make_documents(const DocumentOptions& options);

}  // namespace weir::lab
