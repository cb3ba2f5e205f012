// SPDX-License-Identifier: Apache-2.0
// Table II and figure 6.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

#include "003/figures.h"
#include "base/hash.h"
#include "match/text_threshold_terms.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

constexpr std::size_t kSampleCount = 4;  // documents, as in figure 6
constexpr std::array<double, 5> kParts{0.01, 0.05, 0.1, 0.2, 0.5};
constexpr double kRankStep = 1.1;  // from one rank of frequencies.csv to the next

// In how many documents each term is, falling.
std::vector<std::size_t> document_frequencies(const Documents& documents) {
  boost::unordered_flat_map<std::string_view, std::size_t, base::StringHash, std::equal_to<>>
      places;
  std::vector<std::size_t> frequencies;
  for (const match::TermCounts& document : documents.documents) {
    for (const match::TermCount& count : document.counts) {
      const auto [place, is_new] = places.try_emplace(count.term, frequencies.size());
      if (is_new) frequencies.push_back(0);
      ++frequencies[place->second];
    }
  }
  std::ranges::sort(frequencies, std::greater<>());
  return frequencies;
}

double over(std::size_t count, std::size_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

// Means over all terms of all documents.
struct Means {
  double weight = 0;  // freq / maxfreq
  double idf = 0;
  double score = 0;
};

Means means_of(const Documents& documents) {
  Means means;
  std::size_t count = 0;
  for (const match::TermCounts& document : documents.documents) {
    count += document.counts.size();
    for (const match::TermCount& term : document.counts) {
      const double weight = over(term.frequency, document.frequency_max);
      const double idf = documents.corpus.idf(term.term);
      means.weight += weight;
      means.idf += idf;
      means.score += weight * idf;
    }
  }
  for (double* mean : {&means.weight, &means.idf, &means.score})
    *mean /= static_cast<double>(count);
  return means;
}

void write_row(const Documents& documents, CsvFile& csv) {
  std::vector<std::size_t> lengths;
  for (const auto& document : documents.documents) lengths.push_back(document.counts.size());
  const auto [least, most] = std::ranges::minmax(lengths);
  const std::size_t total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  const std::vector<std::size_t> frequencies = document_frequencies(documents);
  const Means means = means_of(documents);
  csv.row(documents.name, lengths.size(), over(total, lengths.size()), most, least,
          frequencies.size(), over(total, frequencies.size()), frequencies.front(),
          frequencies.back(), frequencies[frequencies.size() / 2], means.weight, means.idf,
          means.score);
}

// The share of the scores' sum that the first terms have.
double share_of_first(const std::vector<match::ScoredTerm>& terms, double part) {
  const auto count = static_cast<std::size_t>(std::ceil(part * static_cast<double>(terms.size())));
  double first = 0;
  double all = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    all += terms[i].score;
    if (i < count) first += terms[i].score;
  }
  return all > 0 ? first / all : part;
}

}  // namespace

bool write_documents(const Lab& lab) {
  CsvFile csv(lab.directory, "documents",
              "corpus,documents,terms_mean,terms_most,terms_least,vocabulary,frequency_mean,"
              "frequency_most,frequency_least,frequency_median,weight,idf,score");
  for (const Documents& documents : lab.corpora) write_row(documents, csv);
  return csv.ok();
}

bool write_frequencies(const Lab& lab) {
  CsvFile csv(lab.directory, "frequencies", "corpus,rank,documents");
  for (const Documents& documents : lab.corpora) {
    const std::vector<std::size_t> frequencies = document_frequencies(documents);
    for (std::size_t rank = 1; rank <= frequencies.size();
         rank =
             std::max(rank + 1, static_cast<std::size_t>(static_cast<double>(rank) * kRankStep))) {
      csv.row(documents.name, rank, frequencies[rank - 1]);
    }
  }
  return csv.ok();
}

bool write_scores(const Lab& lab) {
  CsvFile csv(lab.directory, "scores", "corpus,document,rank,score");
  for (const Documents& documents : lab.corpora) {
    for (std::size_t sample = 0; sample < kSampleCount; ++sample) {
      const std::size_t index = (2 * sample + 1) * documents.documents.size() / (2 * kSampleCount);
      const auto terms = match::scored_terms(documents.documents[index], documents.corpus);
      for (std::size_t i = 0; i < terms.size(); ++i) {
        csv.row(documents.name, index, i + 1, terms[i].score);
      }
    }
  }
  return csv.ok();
}

bool write_skew(const Lab& lab) {
  CsvFile csv(lab.directory, "skew", "corpus,part,score_share");
  for (const Documents& documents : lab.corpora) {
    std::array<double, kParts.size()> sums{};
    for (const match::TermCounts& document : documents.documents) {
      const auto terms = match::scored_terms(document, documents.corpus);
      for (std::size_t i = 0; i < kParts.size(); ++i) sums[i] += share_of_first(terms, kParts[i]);
    }
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      csv.row(documents.name, kParts[i], sums[i] / static_cast<double>(documents.documents.size()));
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
