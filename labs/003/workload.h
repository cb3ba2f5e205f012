// SPDX-License-Identifier: Apache-2.0
// Query logs and documents, as the experiments of paper 003 read them.
//
// Read from texts in UTF-8, one line for each query or document, or made by generator.h. As in the
// paper, stop words are dropped and words stemmed with the Porter algorithm; both logs and
// documents are read so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "match/text_corpus.h"

namespace weir::lab {

using Filter = std::vector<std::string>;  // different terms, ascending; never none

struct QueryLog {
  std::string name;
  std::vector<Filter> filters = {};
  std::vector<std::size_t> word_counts = {};  // of every query, also of those without a term
};

struct Documents {
  std::string name;
  std::vector<match::TermCounts> documents = {};
  // Of all of them, not of some epoch.
  match::TextCorpus corpus = match::TextCorpus({.epoch_document_count_max = 1});
};

// Fails with kCliFile for a log without a query that has terms, or no documents with terms.
base::Result<QueryLog> parse_queries(std::string_view name, std::string_view text);
base::Result<Documents> parse_documents(std::string_view name, std::string_view text);
base::Result<QueryLog> read_queries(std::string_view name, const std::string& file_name);
base::Result<Documents> read_documents(std::string_view name, const std::string& file_name);

}  // namespace weir::lab
