// SPDX-License-Identifier: Apache-2.0
// JsonParser: the one pass that validates a JSON text and builds a JsonDocument.
//
// Written here rather than taken from a library because an event needs all at once: the place and
// the expectation in every error, the bytes of data as they stand, duplicate names refused, numbers
// of any size kept. simdjson judges it in the tests and is the baseline of its benchmark.
//
// Each function reads one thing at `at` and returns where it ends, or null after an error; so the
// place stays in a register. The padding of the text spares most questions for its end. Until a
// container is closed, its node's `extra` is the index of the container around it.
//
// Duplicate names: a filter of 64 bits per open object tells most names apart; those it cannot are
// compared with the names before them; where these are many, all are sorted at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/json_document.h"
#include "event/padded_text.h"
#include "event/string_scan.h"

namespace weir::event {

// The text after its length, as strings that were escaped are kept.
std::string_view length_prefixed(const char* at);

class JsonParser {
 public:
  JsonParser(const PaddedText& text, std::size_t depth_max) : text_(text), depth_max_(depth_max) {
    name_filters_[kFilteredDepth] = kFullFilter;
  }

  // The length is checked before a text is copied to be padded.
  static base::Result<void> check_length(std::string_view text, const JsonLimits& limits);

  // Reads the value at `offset_bytes`, after white space if there is some; once per parser. False
  // on an error, which take_error() tells.
  bool parse(std::size_t offset_bytes);
  base::Error take_error();
  // The same, with its place found by a finder over the text.
  base::Error take_error(base::PositionFinder& positions);

  // The value read, which refers to the unpadded text, or owns a copy of its part of it.
  JsonDocument document_over(std::string_view text) const;
  JsonDocument document_with_copy() const;
  // Where it stands in the text.
  std::size_t begin_bytes() const { return static_cast<std::size_t>(begin_ - text_.begin()); }
  std::size_t end_bytes() const { return begin_bytes() + value_bytes_; }

 private:
  static constexpr std::uint32_t kNoContainer = 0xFFFFFFFF;
  static constexpr std::uint64_t kFullFilter = 0xFFFFFFFFFFFFFFFF;
  static constexpr std::size_t kFilteredDepth = 64;  // from there on, names are sorted

  // Nodes as they come: few in place, many in a vector.
  class Nodes {
   public:
    JsonNode& push() {
      if (next_ == end_) grow();
      return *next_++;
    }
    JsonNode& operator[](std::size_t index) { return begin_[index]; }
    const JsonNode& operator[](std::size_t index) const { return begin_[index]; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(next_ - begin_); }
    std::span<const JsonNode> all() const { return {begin_, count()}; }

   private:
    void grow();

    std::array<JsonNode, 64> few_;
    std::vector<JsonNode> many_;
    JsonNode* begin_ = few_.data();
    JsonNode* next_ = begin_;
    JsonNode* end_ = begin_ + few_.size();
  };

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

  // The filter of the names of the innermost object.
  std::uint64_t& name_filter() { return name_filters_[std::min(depth_, kFilteredDepth)]; }
  bool is_new_name(std::uint32_t name, const char* begin, const char* end);
  bool is_new_by_comparing(std::uint32_t name);
  bool are_distinct_by_sorting(std::uint32_t object);
  bool duplicate(std::uint32_t name);
  std::uint32_t after(std::uint32_t index) const;
  std::string_view string_of(std::uint32_t index) const;

  void push(JsonKind kind, const char* begin, const char* end, StringForm form = {});
  std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - begin_); }

  const char* fail(base::ErrorId id, const char* at, std::string message);
  const char* expected(std::string_view what, const char* at);

  const PaddedText& text_;
  const std::size_t depth_max_;
  const char* begin_ = nullptr;
  std::size_t value_bytes_ = 0;
  StringScan strings_;
  Nodes nodes_;
  std::string unescaped_;
  std::uint32_t container_ = kNoContainer;  // index of the innermost open object or array
  bool in_object_ = false;
  std::size_t depth_ = 0;  // how many are open
  std::array<std::uint64_t, kFilteredDepth + 1> name_filters_;
  std::optional<base::Error> error_;  // without its place
  std::size_t error_offset_bytes_ = 0;
};

}  // namespace weir::event
