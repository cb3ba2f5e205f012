// SPDX-License-Identifier: Apache-2.0
// JsonDocument: a validated JSON text with an index of every value in it, made in one pass.
//
// Guarantees: the text is RFC 8259 JSON in valid UTF-8, no object has two members of one name, no
// escape is half a surrogate pair. Numbers of any size are accepted and keep their text. Costs one
// 16-byte node per value and member name; strings are views into the text, except those with
// escapes, which are unescaped once into a side buffer.
//
//   {"a":[1,"x"],"b":true}      nodes: object  name a  array  1  "x"  name b  true
//                                    |______________________________________________^ one past
//                                                     |________________^
//
// The document does not own the text: whoever does keeps it, or calls attach() with a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/value.h"

namespace weir::event {

struct JsonLimits {
  std::size_t text_bytes_max = std::size_t{16} << 20U;
  std::size_t depth_max = 64;
};

enum class JsonKind : std::uint8_t {
  kNull,
  kTrue,
  kFalse,
  kInteger,   // a number without fraction and exponent
  kFraction,  // any other number
  kString,
  kObject,
  kArray,
};

struct JsonNode {
  std::uint32_t begin;  // first byte of its text (a string's opening quote)
  std::uint32_t end;    // one past its text
  std::uint32_t extra;  // object, array: one past the last node inside; escaped string: its place
                        // in the side buffer
  JsonKind kind;
  bool escaped;  // a string whose text is not its value
};

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class JsonRef;

class JsonDocument {
 public:
  // Parses a text that is exactly one value, white space around it allowed.
  static base::Result<JsonDocument> parse(std::string_view text, const JsonLimits& limits = {});

  // Parses the value that starts at `offset_bytes` (white space before it is skipped). Positions
  // inside the document count from the value's own first byte. Errors count from the text's start.
  struct Prefix;
  static base::Result<Prefix> parse_prefix(std::string_view text, std::size_t offset_bytes,
                                           const JsonLimits& limits);

  // Fails unless there is nothing but white space from there on.
  static base::Result<void> expect_end(std::string_view text, std::size_t offset_bytes);

  // Replaces the text by a copy that holds the same bytes.
  void attach(std::string_view text) { text_ = text; }

  // The value's own text, without white space around it.
  std::string_view text() const { return text_; }
  JsonRef root() const;

 private:
  friend class JsonRef;
  friend class JsonParser;

  std::string_view text_;
  std::string unescaped_;
  std::vector<JsonNode> nodes_;
};

struct JsonDocument::Prefix {
  JsonDocument document;
  std::size_t begin_bytes;
  std::size_t end_bytes;
};

// JsonRef: one value of a document. Cheap to copy; valid as long as document and text are.
class JsonRef {
 public:
  JsonRef() = default;

  explicit operator bool() const { return document_ != nullptr; }
  JsonKind kind() const { return node().kind; }
  // The bytes of the value as they stand in the text (a string's with its quotes).
  std::string_view raw() const { return {text() + node().begin, node().end - node().begin}; }
  // The same for a message: cut after some 60 bytes.
  std::string excerpt() const;
  std::size_t offset_bytes() const { return node().begin; }

  // Requires a string or a member's name.
  std::string_view string() const {
    const JsonNode& here = node();
    if (here.escaped) return unescaped();
    return {text() + here.begin + 1, here.end - here.begin - 2};
  }
  // The typed value: objects and arrays only tell that they exist.
  Value value() const;

  // The member or element; an empty reference if there is none, or this is no object or array.
  JsonRef member(std::string_view name) const;
  JsonRef element(std::size_t index) const;

  // Calls visit(name, value) for each member (name is a JsonRef too), or visit(value) for each
  // element, in the order of the text.
  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    for (std::uint32_t i = index_ + 1; i < next();) {
      visit(at(i), at(i + 1));
      i = at(i + 1).next();
    }
  }
  template <typename Visit>
  void for_each_element(Visit&& visit) const {
    for (std::uint32_t i = index_ + 1; i < next(); i = at(i).next()) visit(at(i));
  }

 private:
  friend class JsonDocument;
  friend class JsonParser;
  JsonRef(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}

  JsonRef at(std::uint32_t index) const { return {document_, index}; }
  const char* text() const { return document_->text_.data(); }
  std::string_view unescaped() const;
  const JsonNode& node() const { return document_->nodes_[index_]; }
  // Index of the node after this one and all inside it.
  std::uint32_t next() const {
    const JsonKind kind = node().kind;
    const bool holds = kind == JsonKind::kObject || kind == JsonKind::kArray;
    return holds ? node().extra : index_ + 1;
  }

  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

// Appends the text as a JSON string with quotes, escaping what JSON requires.
void append_json_string(std::string_view text, std::string& out);

// Appends the value without white space, members in their order, strings in their shortest
// escaping: two texts of one value that differ only in layout become one.
void append_compact(const JsonRef& value, std::string& out);

}  // namespace weir::event
