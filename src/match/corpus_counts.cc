// SPDX-License-Identifier: Apache-2.0
#include "match/corpus_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include "base/utf8.h"
#include "match/text_analyzer.h"

namespace weir::match {
namespace {

constexpr std::string_view kBeginning = "weir-corpus 1 ";
constexpr std::uint64_t kDocumentCountMax = std::uint64_t{1} << 62U;  // leaves room to count on

// From 1 to `most`, in the one way to write it.
std::optional<std::uint64_t> count_of(std::string_view text, std::uint64_t most) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, count);
  const bool is_count = failed == std::errc() && rest == end && text.front() != '0';
  return is_count && count <= most ? std::optional(count) : std::nullopt;
}

// What stands before the last blank, and behind it.
std::pair<std::string_view, std::string_view> parted(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  if (blank == line.npos) return {};
  return {line.substr(0, blank), line.substr(blank + 1)};
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  base::Result<CorpusCounts> read() {
    if (auto ok = read_head(); !ok) return ok.error();
    while (!rest_.empty()) {
      if (auto ok = read_term(); !ok) return ok.error();
    }
    return std::move(counts_);
  }

 private:
  base::Result<void> read_head() {
    const std::string_view line = next_line();
    const auto [named, number] =
        line.starts_with(kBeginning) ? parted(line.substr(kBeginning.size())) : parted({});
    const auto count = count_of(number, kDocumentCountMax);
    if (!count || !is_ended_) {
      return wrong("'weir-corpus 1 <language> <documents>', documents from 1");
    }
    const std::vector<std::string> languages = TextAnalyzer::languages();
    if (!std::ranges::binary_search(languages, named)) {
      return wrong(fmt::format("a language, one of: {}", fmt::join(languages, " ")));
    }
    counts_.language = named;
    counts_.document_count = *count;
    return {};
  }

  base::Result<void> read_term() {
    const auto [term, number] = parted(next_line());
    const auto count = count_of(number, counts_.document_count);
    const bool is_utf8 = base::utf8_valid_prefix_bytes(term) == term.size();
    if (term.empty() || !count || !is_utf8 || !is_ended_) {
      return wrong(fmt::format("'<term> <documents that have it>', documents from 1 to {}",
                               counts_.document_count));
    }
    if (!counts_.terms.empty() && term <= counts_.terms.back().first) {
      return wrong(fmt::format("a term that comes after '{}' in the order of bytes",
                               counts_.terms.back().first));
    }
    counts_.terms.emplace_back(term, *count);
    return {};
  }

  std::string_view next_line() {
    const std::size_t end = rest_.find('\n');
    is_ended_ = end != rest_.npos;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(is_ended_ ? end + 1 : rest_.size());
    ++line_number_;
    return line;
  }

  base::Error wrong(std::string_view expected) const {
    base::Position position;
    position.line = line_number_;
    return {base::ErrorId::kEngineCorpus, fmt::format("expected {}", expected), position};
  }

  std::string_view rest_;
  std::uint64_t line_number_ = 0;
  bool is_ended_ = false;  // the line at hand, by a line end
  CorpusCounts counts_;
};

}  // namespace

std::string to_text(const CorpusCounts& counts) {
  std::string text = fmt::format("{}{} {}\n", kBeginning, counts.language, counts.document_count);
  for (const auto& [term, count] : counts.terms) text += fmt::format("{} {}\n", term, count);
  return text;
}

base::Result<CorpusCounts> parse_corpus_counts(std::string_view text) {
  return Reader(text).read();
}

}  // namespace weir::match
