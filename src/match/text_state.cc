// SPDX-License-Identifier: Apache-2.0
// The state of a TextCorpus and of a TextScorer as bytes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "match/text_corpus.h"
#include "match/text_scorer.h"

namespace weir::match {
namespace {

constexpr std::size_t kTermBytesMin = 2;
constexpr std::size_t kPathBytesMin = 2;
constexpr std::size_t kCorpusBytesMin = 4;
constexpr std::uint64_t kDocumentCountMax = std::uint64_t{1} << 62U;  // leaves room to count on

base::Error corrupt(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

void write_analysis(const TextAnalysis& analysis, base::ByteWriter& writer) {
  writer.text(analysis.language);
  writer.u8(analysis.stop_words ? 1 : 0);
  writer.u8(analysis.stemming ? 1 : 0);
  writer.varint(analysis.term_bytes_max);
}

TextAnalysis read_analysis(base::ByteReader& reader) {
  TextAnalysis analysis;
  analysis.language = reader.text();
  analysis.stop_words = reader.u8() != 0;
  analysis.stemming = reader.u8() != 0;
  analysis.term_bytes_max = reader.varint();
  return analysis;
}

std::vector<event::Path> read_paths(base::ByteReader& reader) {
  std::vector<event::Path> paths;
  for (auto count = reader.count(kPathBytesMin); count > 0 && !reader.failed(); --count) {
    const std::string_view text = reader.text();
    auto path = event::parse_path(text);
    if (path && path->to_string() == text) {
      paths.push_back(std::move(*path));
    } else {
      reader.fail();
    }
  }
  return paths;
}

}  // namespace

void TextCorpus::save(base::ByteWriter& writer) const {
  std::vector<std::pair<std::string_view, std::uint64_t>> sorted(document_counts_.begin(),
                                                                 document_counts_.end());
  std::ranges::sort(sorted);
  writer.varint(document_count_);
  writer.varint(overflow_count_);
  writer.varint(sorted.size());
  for (const auto& [term, document_count] : sorted) {
    writer.text(term);
    writer.varint(document_count);
  }
}

base::Result<void> TextCorpus::restore(base::ByteReader& reader) {
  document_count_ = reader.varint();
  if (document_count_ > kDocumentCountMax) reader.fail();
  overflow_count_ = reader.varint();
  const auto count = reader.count(kTermBytesMin);
  if (count > options_.term_count_max) {
    return corrupt(
        fmt::format("a corpus has {} terms, the limit is {}", count, options_.term_count_max));
  }
  document_counts_.reserve(count);
  std::string_view before;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::string_view term = reader.text();
    const std::uint64_t having = reader.varint();
    if (term <= before || having == 0 || having > document_count_) reader.fail();
    document_counts_.emplace(term, having);
    before = term;
  }
  return {};
}

void TextScorer::save(base::ByteWriter& writer) const {
  write_analysis(analysis_, writer);
  writer.varint(fields_.size());
  for (const auto& [paths, field] : fields_) {
    writer.varint(paths.size());
    for (const event::Path& path : paths) writer.text(path.to_string());
    field.corpus.save(writer);
  }
}

base::Result<void> TextScorer::restore(base::ByteReader& reader) {
  const TextAnalysis analysis = read_analysis(reader);
  if (reader.failed()) return {};
  if (analysis != analysis_) return corrupt("the text was analysed with other options");
  auto corpora = read_corpora(reader);
  if (!corpora) return corpora.error();
  if (!reader.done()) {
    reader.fail();
    return {};
  }
  if (!can_keep(*corpora)) {
    return corrupt(fmt::format("more than {} corpora are of fields that nobody names, the limit",
                               corpus_options_.waiting_count_max));
  }
  keep(std::move(*corpora));
  return {};
}

base::Result<TextScorer::Corpora> TextScorer::read_corpora(base::ByteReader& reader) const {
  Corpora corpora;
  for (auto count = reader.count(kCorpusBytesMin); count > 0 && !reader.failed(); --count) {
    std::vector<event::Path> paths = read_paths(reader);
    TextCorpus corpus(corpus_options_);
    if (auto read = corpus.restore(reader); !read) return read.error();
    if (!corpora.emplace(std::move(paths), std::move(corpus)).second) reader.fail();
  }
  return corpora;
}

bool TextScorer::can_keep(const Corpora& corpora) const {
  const auto waiting = std::ranges::count_if(corpora, [&](const auto& entry) {
    return !fields_.contains(entry.first) && !waiting_.contains(entry.first);
  });
  return waiting_.size() + static_cast<std::size_t>(waiting) <= corpus_options_.waiting_count_max;
}

void TextScorer::keep(Corpora corpora) {
  for (auto& [paths, corpus] : corpora) {
    const auto field = fields_.find(paths);
    TextCorpus& kept = field != fields_.end()
                           ? field->second.corpus
                           : waiting_.try_emplace(paths, corpus_options_).first->second;
    if (corpus.document_count() > kept.document_count()) kept = std::move(corpus);
  }
}

}  // namespace weir::match
