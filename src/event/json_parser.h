// SPDX-License-Identifier: Apache-2.0
// JsonParser: the one pass that validates a JSON text and builds a JsonDocument.
//
// Written here rather than taken from a library because an event needs all at once: the place and
// the expectation in every error, the bytes of data as they stand, duplicate names refused, numbers
// of any size kept. simdjson judges it in the tests and is the baseline of its benchmark.
//
// Each function reads one thing at `at` and returns where it ends, or null after an error; so the
// place stays in a register. Open containers are kept in the nodes themselves: until it is closed,
// a container's `extra` is the node of the container around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "event/json_document.h"

namespace weir::event {

class JsonParser {
 public:
  // Reads the value at `offset_bytes`, after white space if there is some, into `document`.
  JsonParser(std::string_view text, std::size_t offset_bytes, const JsonLimits& limits,
             JsonDocument& document);

  // False on an error, which take_error() tells.
  bool parse();
  // Where the value stands in the text.
  std::size_t begin_bytes() const { return static_cast<std::size_t>(begin_ - text_.data()); }
  std::size_t end_bytes() const { return begin_bytes() + document_.text_.size(); }
  base::Error take_error() { return std::move(*error_); }

 private:
  bool parse_value();
  const char* value(const char* at);
  const char* open(JsonKind kind, const char* at);
  const char* close(const char* at);
  const char* name(const char* at);
  const char* after_value(const char* at);

  const char* string(const char* at);
  const char* special_string(const char* quote, const char* at);
  const char* escape(const char* at);
  const char* unicode_escape(const char* at);
  const char* hex4(const char* at, std::uint32_t& unit);
  const char* multibyte(const char* at);
  const char* number(const char* at);
  const char* digits(const char* at);
  const char* word(std::string_view text, JsonKind kind, const char* at);

  const char* distinct_names(std::uint32_t object, const char* at);
  const char* distinct_names_by_sorting(std::uint32_t object, const char* at);

  void push(JsonKind kind, const char* begin, const char* end);
  const char* skip_space(const char* at) const {
    while (at != end_ && is_json_space(*at)) ++at;
    return at;
  }
  std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - begin_); }

  const char* fail(base::ErrorId id, const char* at, std::string message);
  const char* expected(std::string_view what, const char* at);

  std::string_view text_;
  const char* end_;
  const char* begin_;
  const JsonLimits& limits_;
  JsonDocument& document_;
  std::uint32_t container_;  // the node of the innermost open object or array
  bool in_object_ = false;
  std::size_t depth_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace weir::event
