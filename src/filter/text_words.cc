// SPDX-License-Identifier: Apache-2.0
#include "filter/text_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "filter/limits.h"

namespace weir::filter {
namespace {

using base::ErrorId;

constexpr std::string_view kBlanks = " \t\r\n";

class Splitter {
 public:
  explicit Splitter(std::string_view words) : words_(words) {}

  base::Result<std::vector<TextPart>> split() {
    for (skip_blanks(); offset_ < words_.size(); skip_blanks()) {
      if (auto ok = part(); !ok) return ok.error();
    }
    if (!parts_.empty() && std::ranges::all_of(parts_, &TextPart::excluded)) {
      return error(ErrorId::kFilterNoTerms, 0,
                   "expected a word to look for, found only what is excluded");
    }
    return std::move(parts_);
  }

 private:
  base::Result<void> part() {
    const bool excluded = words_[offset_] == '-';
    if (excluded) ++offset_;
    if (at_end_of_word()) {
      return error(ErrorId::kFilterLiteral, offset_ - 1,
                   "expected a word or a phrase right after '-', which excludes it");
    }
    if (words_[offset_] == '"') return phrase(excluded);
    const std::size_t end = std::min(words_.find_first_of(kBlanks, offset_), words_.size());
    parts_.push_back({words_.substr(offset_, end - offset_), false, excluded});
    offset_ = end;
    return {};
  }

  base::Result<void> phrase(bool excluded) {
    const std::size_t open = offset_;
    const std::size_t close = words_.find('"', open + 1);
    if (close == words_.npos) {
      return error(ErrorId::kFilterLiteral, open, "this phrase has no closing \"");
    }
    const std::string_view inner = words_.substr(open + 1, close - open - 1);
    if (inner.find_first_not_of(kBlanks) == inner.npos) {
      return error(ErrorId::kFilterLiteral, open, "expected words in the phrase, found none");
    }
    offset_ = close + 1;
    if (!at_end_of_word()) {
      return error(ErrorId::kFilterLiteral, offset_, "expected a blank after the phrase");
    }
    if (std::ranges::count_if(parts_, &TextPart::phrase) == kPhraseCountMax) {
      return error(ErrorId::kFilterListTooLong, open,
                   fmt::format("there are at most {} phrases", kPhraseCountMax));
    }
    parts_.push_back({inner, true, excluded});
    return {};
  }

  void skip_blanks() {
    offset_ = std::min(words_.find_first_not_of(kBlanks, offset_), words_.size());
  }

  bool at_end_of_word() const {
    return offset_ == words_.size() || kBlanks.find(words_[offset_]) != kBlanks.npos;
  }

  base::Error error(ErrorId id, std::size_t offset, std::string message) const {
    return {id, std::move(message), base::position_at(words_, offset)};
  }

  std::string_view words_;
  std::size_t offset_ = 0;
  std::vector<TextPart> parts_;
};

}  // namespace

base::Result<std::vector<TextPart>> split_words(std::string_view words) {
  return Splitter(words).split();
}

}  // namespace weir::filter
