// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "event/event_decoder.h"
#include "event/json_outline.h"
#include "event/json_parser.h"
#include "event/padded_text.h"

namespace weir::event {
namespace {

using base::ErrorId;
using Batch = std::vector<base::Result<EventPtr>>;

// Walks the array by hand so that each element is parsed once and straight into its event.
class BatchReader {
 public:
  BatchReader(const PaddedText& text, const EventLimits& limits)
      : text_(text.view()), limits_(limits), decoder_(text, limits) {}

  base::Result<Batch> read() {
    if (peek() != '[') return error(ErrorId::kEventBatchNotAnArray, "a batch as a JSON array");
    ++offset_;
    if (peek() != ']') {
      do {
        if (auto done = element(); !done) return done.error();
      } while (take(','));
      if (peek() != ']') return error(ErrorId::kJsonSyntax, "',' or ']' after an event");
    }
    ++offset_;
    if (peek() != '\0' || offset_ < text_.size()) {
      return error(ErrorId::kJsonTrailingBytes, "nothing after the batch");
    }
    return std::move(batch_);
  }

 private:
  base::Result<void> element() {
    peek();
    if (batch_.size() >= limits_.batch_count_max) {
      return base::Error{
          ErrorId::kEventBatchTooLong,
          fmt::format("a batch has more than {} events, the limit", limits_.batch_count_max),
          base::position_at(text_, offset_)};
    }
    if (!decoder_.read(offset_)) return reject(decoder_.take_error());
    offset_ = decoder_.end_bytes();
    batch_.push_back(decoder_.decode());
    return {};
  }

  // An element that is no JSON is rejected alone if it is plain where it ends.
  base::Result<void> reject(base::Error error) {
    const auto end = outline_end(text_, offset_);
    if (!end) return error;
    offset_ = *end;
    batch_.emplace_back(std::move(error));
    return {};
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++offset_;
    return true;
  }

  // Skips white space and tells the next byte; NUL at the end.
  char peek() {
    while (offset_ < text_.size() && is_json_space(text_[offset_])) ++offset_;
    return offset_ < text_.size() ? text_[offset_] : '\0';
  }

  base::Error error(ErrorId id, std::string_view what) const {
    if (offset_ < text_.size()) {
      return {id, fmt::format("expected {}", what), base::position_at(text_, offset_)};
    }
    return {ErrorId::kJsonTruncated, fmt::format("expected {}, found the end of the text", what),
            base::position_at(text_, offset_)};
  }

  std::string_view text_;
  const EventLimits& limits_;
  EventDecoder decoder_;
  std::size_t offset_ = 0;
  Batch batch_;
};

}  // namespace

base::Result<Batch> decode_batch(std::string_view text, const EventLimits& limits) {
  if (auto fits = JsonParser::check_length(text, limits.json); !fits) return fits.error();
  const PaddedText padded(text);
  return BatchReader(padded, limits).read();
}

}  // namespace weir::event
