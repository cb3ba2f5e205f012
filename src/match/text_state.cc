// SPDX-License-Identifier: Apache-2.0
// The state of a TextCorpus and of a TextScorer as bytes.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "match/text_corpus.h"
#include "match/text_scorer.h"

namespace weir::match {
namespace {

constexpr std::size_t kTermBytesMin = 2;
constexpr std::size_t kFieldBytesMin = 2;
constexpr std::size_t kCorpusBytesMin = 4;
constexpr std::uint64_t kDocumentCountMax = std::uint64_t{1} << 62U;  // leaves room to count on

base::Error corrupt(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

void write_analysis(const TextAnalysis& analysis, base::ByteWriter& writer) {
  writer.u8(analysis.stop_words ? 1 : 0);
  writer.u8(analysis.stemming ? 1 : 0);
  writer.varint(analysis.term_bytes_max);
}

// But for the language.
TextAnalysis read_analysis(base::ByteReader& reader) {
  TextAnalysis analysis;
  analysis.stop_words = reader.u8() != 0;
  analysis.stemming = reader.u8() != 0;
  analysis.term_bytes_max = reader.varint();
  return analysis;
}

std::vector<filter::TextField> read_fields(TextLayout layout, base::ByteReader& reader) {
  std::vector<filter::TextField> fields;
  for (auto count = reader.count(kFieldBytesMin); count > 0 && !reader.failed(); --count) {
    const std::uint8_t html = layout == TextLayout::kOneLanguage ? 0 : reader.u8();
    const std::string_view text = reader.text();
    auto path = event::parse_path(text);
    if (path && path->to_string() == text && html <= 1) {
      fields.push_back({std::move(*path), html == 1});
    } else {
      reader.fail();
    }
  }
  return fields;
}

// Whether it has seen more of the stream.
bool is_better(const TextCorpus& corpus, const TextCorpus& than) {
  const bool has_seen = corpus.epoch().begin.has_value();
  if (has_seen != than.epoch().begin.has_value()) return has_seen;
  return corpus.document_count() > than.document_count();
}

}  // namespace

void TextCorpus::save(base::ByteWriter& writer) const {
  writer.varint(document_count_);
  writer.varint(overflow_count_);
  writer.varint(epoch_.number);
  writer.varint(document_count_ - epoch_.document_count);
  writer.u8(epoch_.begin ? 1 : 0);
  if (epoch_.begin) writer.u64(static_cast<std::uint64_t>(epoch_.begin->nanoseconds));
  writer.varint(terms_.size());
  for (const auto& [term, counts] : sorted_terms()) {
    writer.text(term);
    writer.varint(counts.document_count);
    writer.varint(counts.document_count - frozen_count(counts));
  }
}

base::Result<void> TextCorpus::restore(CorpusLayout layout, base::ByteReader& reader) {
  document_count_ = reader.varint();
  if (document_count_ > kDocumentCountMax) reader.fail();
  overflow_count_ = reader.varint();
  if (layout == CorpusLayout::kEpochs) {
    restore_epoch(reader);
  } else if (document_count_ > 0) {
    epoch_ = {1, document_count_};
  }
  const auto count = reader.count(kTermBytesMin);
  if (count > options_.term_count_max) {
    return corrupt(
        fmt::format("a corpus has {} terms, the limit is {}", count, options_.term_count_max));
  }
  terms_.reserve(count);
  std::string_view before;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::string_view term = reader.text();
    if (term <= before) reader.fail();
    terms_.emplace(term, read_term(layout, reader));
    memory_.grow(term_bytes(term));
    before = term;
  }
  return {};
}

void TextCorpus::restore_epoch(base::ByteReader& reader) {
  epoch_.number = reader.varint();
  const std::uint64_t since = reader.varint();
  const std::uint8_t has_begin = reader.u8();
  if (has_begin > 0) epoch_.begin = base::Instant{static_cast<std::int64_t>(reader.u64())};
  epoch_.document_count = document_count_ - since;
  const bool is_empty = document_count_ == 0;
  // A begin is missing only as long as no document has come, and there is none without an epoch.
  const bool is_odd = has_begin > 1 || (has_begin == 0 && since > 0) ||
                      (is_empty && has_begin > 0) || is_empty != (epoch_.number == 0);
  if (is_odd || epoch_.number > kDocumentCountMax || since > document_count_ ||
      (!is_empty && epoch_.document_count == 0)) {
    reader.fail();
  }
}

TextCorpus::Term TextCorpus::read_term(CorpusLayout layout, base::ByteReader& reader) const {
  Term term;
  term.document_count = reader.varint();
  const std::uint64_t since = layout == CorpusLayout::kEpochs ? reader.varint() : 0;
  if (since > 0) {
    term.frozen_count = term.document_count - since;
    term.frozen_epoch = epoch_.number;
  }
  const bool is_more_than_all = since > term.document_count ||
                                since > document_count_ - epoch_.document_count ||
                                term.document_count - since > epoch_.document_count;
  if (term.document_count == 0 || is_more_than_all) reader.fail();
  return term;
}

void TextScorer::save(base::ByteWriter& writer) const {
  save_some(0, std::numeric_limits<std::size_t>::max(), writer);
}

std::size_t TextScorer::save_some(std::size_t from, std::size_t bytes_max,
                                  base::ByteWriter& writer) const {
  const auto begin = std::next(fields_.begin(), static_cast<std::ptrdiff_t>(from));
  auto end = begin;
  for (std::size_t bytes = 0; end != fields_.end() && (end == begin || bytes < bytes_max); ++end) {
    bytes += end->second.corpus.memory_bytes();
  }
  write_analysis(analyzers_.analysis(), writer);
  writer.varint(static_cast<std::uint64_t>(std::distance(begin, end)));
  for (auto here = begin; here != end; ++here) {
    const auto& [key, field] = *here;
    writer.varint(key.fields.size());
    for (const filter::TextField& one : key.fields) {
      writer.u8(one.html ? 1 : 0);
      writer.text(one.path.to_string());
    }
    writer.text(key.language);
    writer.text(key.visibility);
    field.corpus.save(writer);
  }
  return from + static_cast<std::size_t>(std::distance(begin, end));
}

base::Result<void> TextScorer::restore(TextLayout layout, base::ByteReader& reader) {
  const std::string language(layout == TextLayout::kOneLanguage ? reader.text() : "");
  TextAnalysis analysis = read_analysis(reader);
  if (reader.failed()) return {};
  analysis.language = analyzers_.analysis().language;
  if (analysis != analyzers_.analysis()) return corrupt("the text was analysed with other options");
  auto corpora = read_corpora(layout, language, reader);
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

base::Result<TextScorer::Corpora> TextScorer::read_corpora(TextLayout layout,
                                                           const std::string& language,
                                                           base::ByteReader& reader) const {
  const bool is_old = layout == TextLayout::kOneLanguage;
  Corpora corpora;
  for (auto count = reader.count(kCorpusBytesMin); count > 0 && !reader.failed(); --count) {
    Key key{read_fields(layout, reader), language};
    if (!is_old) key.language = reader.text();
    if (layout == TextLayout::kVisibility) key.visibility = reader.text();
    TextCorpus corpus(corpus_options_);
    const auto corpus_layout = is_old ? CorpusLayout::kRunning : CorpusLayout::kEpochs;
    if (auto read = corpus.restore(corpus_layout, reader); !read) return read.error();
    if (!corpora.emplace(std::move(key), std::move(corpus)).second) reader.fail();
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
  for (auto& [key, corpus] : corpora) {
    const auto field = fields_.find(key);
    TextCorpus& kept = field != fields_.end()
                           ? field->second.corpus
                           : waiting_.try_emplace(key, corpus_options_).first->second;
    if (!is_better(corpus, kept)) continue;
    const base::MemoryAccount::Ptr memory = kept.memory();
    kept = std::move(corpus);
    kept.draw_from(memory);
  }
}

}  // namespace weir::match
