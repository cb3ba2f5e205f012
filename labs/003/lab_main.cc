// SPDX-License-Identifier: Apache-2.0
// lab_003: runs the experiments of paper 003 that need no network and writes their results as CSV.
//
//   lab_003 --out DIR [--short N] [--long N] [--queries N] [--log NAME=FILE]... [--corpus
//   NAME=FILE]...
//
// Generated logs and documents are always run: N short and N long documents, N queries of each log.
// A file has a query or document per line, as workload.h has it.
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "003/figures.h"
#include "003/generator.h"
#include "shared/lab_program.h"
#include "shared/parse.h"

namespace {

using weir::lab::Lab;

// Of table II: TREC WT10g has short documents, TREC AP long ones.
constexpr std::size_t kShortVocabulary = 16'382;
constexpr std::size_t kLongVocabulary = 48'788;

struct Arguments {
  std::string directory;
  std::size_t short_count = 20'000;
  std::size_t long_count = 1'050;  // as the paper
  std::size_t query_count = 81'497;
  weir::lab::NamedFiles logs;
  weir::lab::NamedFiles corpora;
};

bool parse_argument(std::string_view name, std::string_view value, Arguments& arguments) {
  if (name == "--short") return weir::lab::parse_count(value, 4, arguments.short_count);
  if (name == "--long") return weir::lab::parse_count(value, 4, arguments.long_count);
  if (name == "--queries") return weir::lab::parse_count(value, 1, arguments.query_count);
  if (name == "--log") return weir::lab::parse_named_file(value, arguments.logs);
  return name == "--corpus" && weir::lab::parse_named_file(value, arguments.corpora);
}

// Lengths are those of table I.
void make_logs(const Arguments& arguments, Lab& lab) {
  lab.logs.push_back(weir::lab::make_queries({.name = "short queries",
                                              .query_count = arguments.query_count,
                                              .vocabulary = kShortVocabulary,
                                              .length_mean = 2.085,
                                              .length_max = 11}));
  lab.logs.push_back(weir::lab::make_queries({.name = "long queries",
                                              .query_count = arguments.query_count,
                                              .vocabulary = kShortVocabulary,
                                              .length_mean = 2.843,
                                              .length_max = 29,
                                              .seed = 2}));
}

void make_corpora(const Arguments& arguments, Lab& lab) {
  lab.corpora.push_back(weir::lab::make_documents({.name = "short documents",
                                                   .document_count = arguments.short_count,
                                                   .vocabulary = kShortVocabulary,
                                                   .length_min = 2,
                                                   .length_max = 128,
                                                   .seed = 3}));
  lab.corpora.push_back(weir::lab::make_documents({.name = "long documents",
                                                   .document_count = arguments.long_count,
                                                   .vocabulary = kLongVocabulary,
                                                   .length_min = 4'800,
                                                   .length_max = 7'320,
                                                   .seed = 4}));
}

std::string write_all(const Lab& lab) {
  using Figure = bool (*)(const Lab&);
  constexpr Figure kFigures[] = {
      weir::lab::write_queries,     weir::lab::write_lengths,    weir::lab::write_documents,
      weir::lab::write_frequencies, weir::lab::write_scores,     weir::lab::write_skew,
      weir::lab::write_savings,     weir::lab::write_dismissals,
  };
  return weir::lab::write_figures<Lab>(lab, kFigures);
}

std::string run(const Arguments& arguments) {
  Lab lab{.directory = arguments.directory};
  make_logs(arguments, lab);
  make_corpora(arguments, lab);
  std::string trouble = weir::lab::read_files(arguments.logs, lab.logs, weir::lab::read_queries);
  if (trouble.empty()) {
    trouble = weir::lab::read_files(arguments.corpora, lab.corpora, weir::lab::read_documents);
  }
  return trouble.empty() ? write_all(lab) : trouble;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const auto outcome = weir::lab::run_lab<Arguments>(words, parse_argument, run);
  if (!outcome.problem.empty()) fmt::print(stderr, "lab_003: {}\n", outcome.problem);
  return outcome.status;
}
