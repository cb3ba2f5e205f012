// SPDX-License-Identifier: Apache-2.0
// JsonDocument: a validated JSON text with an index of every value in it, made in one pass.
//
// Guarantees: the text is RFC 8259 JSON in valid UTF-8, no object has two members of one name, no
// escape is half a surrogate pair. Numbers of any size are accepted and keep their text. Costs one
// block of memory with a 16-byte node per value and member name; strings are views into the text,
// except those with escapes, which are unescaped once into the same block.
//
//   {"a":[1,"x"],"b":true}      nodes: object  name a  array  1  "x"  name b  true
//                                    |______________________________________________^ one past
//                                                     |________________^
//
// A document that parse() made does not own the text: whoever does must keep it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/path.h"
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

enum class StringForm : std::uint8_t {
  kPlain,     // printable ASCII that stands for itself
  kVerbatim,  // stands for itself
  kEscaped,   // its value stands apart, unescaped
};

struct JsonNode {
  std::uint32_t begin;  // first byte of its text (a string's opening quote)
  std::uint32_t end;    // one past its text
  std::uint32_t extra;  // object, array: one past the last node inside; escaped string: its place
                        // among the unescaped; small integer: its value
  JsonKind kind;
  StringForm form;  // of a string

  // Its value fits into `extra`, with its sign.
  bool is_small_integer() const {
    constexpr std::uint32_t kSmallBytes = 9;
    return kind == JsonKind::kInteger && end - begin <= kSmallBytes;
  }
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

  // The value's own text, without white space around it.
  std::string_view text() const { return text_; }
  JsonRef root() const;

 private:
  friend class JsonRef;
  friend class JsonParser;

  enum class Text : std::uint8_t { kView, kCopy };
  JsonDocument(std::span<const JsonNode> nodes, std::string_view unescaped, std::string_view text,
               Text text_use);

  std::string_view unescaped_at(std::uint32_t place) const;

  // Nodes; of each escaped string its length and its value; the text, if it is a copy.
  std::unique_ptr<std::byte[]> block_;
  const JsonNode* nodes_;
  const char* unescaped_;
  std::string_view text_;
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
  JsonKind kind() const { return node_->kind; }
  // The bytes of the value as they stand in the text (a string's with its quotes).
  std::string_view raw() const { return {text() + node_->begin, node_->end - node_->begin}; }
  std::size_t offset_bytes() const { return node_->begin; }

  // Requires a string or a member's name.
  std::string_view string() const {
    if (node_->form == StringForm::kEscaped) return document_->unescaped_at(node_->extra);
    return {text() + node_->begin + 1, node_->end - node_->begin - 2};
  }
  // True if the string is printable ASCII, and written without escapes.
  bool is_plain_string() const { return node_->form == StringForm::kPlain; }
  // The typed value: objects and arrays only tell that they exist.
  Value value() const {
    if (!node_->is_small_integer()) return other_value();
    return Value::of(std::int64_t{static_cast<std::int32_t>(node_->extra)});
  }

  // The member or element; an empty reference if there is none, or this is no object or array.
  JsonRef member(std::string_view name) const;
  JsonRef element(std::size_t index) const;
  // The same by a step of a path that is not [*].
  JsonRef step(const Path::Step& step) const {
    if (const auto* const name = std::get_if<std::string>(&step)) return member(*name);
    const auto* const index = std::get_if<std::uint32_t>(&step);
    return index == nullptr ? JsonRef() : element(*index);
  }

  // Calls visit(name, value) for each member (name is a JsonRef too), or visit(value) for each
  // element, in the order of the text.
  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    const JsonNode* const end = next();
    for (const JsonNode* here = node_ + 1; here != end;) {
      const JsonRef value = at(here + 1);
      visit(at(here), value);
      here = value.next();
    }
  }
  template <typename Visit>
  void for_each_element(Visit&& visit) const {
    const JsonNode* const end = next();
    for (const JsonNode* here = node_ + 1; here != end; here = at(here).next()) visit(at(here));
  }
  // Calls visit(value) for each element until it returns true, and tells whether it did; false if
  // this is no array.
  template <typename Visit>
  bool any_element(Visit&& visit) const {
    if (kind() != JsonKind::kArray) return false;
    const JsonNode* const end = next();
    for (const JsonNode* here = node_ + 1; here != end; here = at(here).next()) {
      if (visit(at(here))) return true;
    }
    return false;
  }

 private:
  friend class JsonDocument;
  JsonRef(const JsonDocument* document, const JsonNode* node) : document_(document), node_(node) {}

  Value other_value() const;
  JsonRef at(const JsonNode* node) const { return {document_, node}; }
  const char* text() const { return document_->text_.data(); }
  // The node after this one and all inside it.
  const JsonNode* next() const {
    const bool holds = node_->kind == JsonKind::kObject || node_->kind == JsonKind::kArray;
    return holds ? document_->nodes_ + node_->extra : node_ + 1;
  }

  const JsonDocument* document_ = nullptr;
  const JsonNode* node_ = nullptr;
};

// A text for a message: cut after some 60 bytes if it is longer.
std::string excerpt(std::string_view text);

// Appends the text as a JSON string with quotes, escaping what JSON requires.
void append_json_string(std::string_view text, std::string& out);

// Appends the value without white space, members in their order, strings in their shortest
// escaping: two texts of one value that differ only in layout become one.
void append_compact(const JsonRef& value, std::string& out);

}  // namespace weir::event
