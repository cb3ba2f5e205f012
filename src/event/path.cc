// SPDX-License-Identifier: Apache-2.0
#include "event/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace weir::event {
namespace {

constexpr std::array<std::string_view, kCoreAttributeCount> kCoreNames = {
    "specversion", "id", "source", "type", "subject", "time", "datacontenttype", "dataschema"};

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_attribute_char(char c) { return is_lower(c) || is_digit(c); }
constexpr bool is_member_start(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool is_member_char(char c) { return is_member_start(c) || is_digit(c); }

bool is_plain_member(std::string_view name) {
  return !name.empty() && is_member_start(name[0]) && std::ranges::all_of(name, is_member_char);
}

class PathParser {
 public:
  PathParser(std::string_view text, std::size_t offset_bytes)
      : text_(text), offset_(offset_bytes) {}

  base::Result<PathPrefix> parse() {
    if (peek() == '"') return quoted_attribute();
    const std::size_t begin = offset_;
    while (is_member_char(peek())) ++offset_;
    const std::string_view word = text_.substr(begin, offset_ - begin);
    if (word == "data") return data();
    if (word.empty() || !is_lower(word[0]) || !std::ranges::all_of(word, is_attribute_char)) {
      offset_ = begin;
      return not_an_attribute(word);
    }
    return PathPrefix{Path::attribute(word), offset_};
  }

 private:
  base::Result<PathPrefix> not_an_attribute(std::string_view word) const {
    if (word.empty()) return error("expected an attribute or data");
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    if (lower == "data" || core_attribute(lower) != CoreAttribute::kNone) {
      return error(fmt::format("attributes are written in lower case: did you mean '{}'?", lower));
    }
    return error(
        fmt::format("'{}' is no attribute: names have a-z and 0-9 only, quoted in double "
                    "quotes if they start with a digit; inside data write data.{}",
                    word, word));
  }

  base::Result<PathPrefix> quoted_attribute() {
    const std::size_t begin = ++offset_;
    while (is_attribute_char(peek())) ++offset_;
    const std::string_view name = text_.substr(begin, offset_ - begin);
    if (name.empty() || peek() != '"') {
      return error("expected a name of a-z and 0-9 and a closing '\"'");
    }
    if (name == "data") {
      offset_ = begin - 1;
      return error("data is not an attribute: write it without quotes");
    }
    return PathPrefix{Path::attribute(name), ++offset_};
  }

  base::Result<PathPrefix> data() {
    std::vector<Path::Step> steps;
    while (peek() == '.' || peek() == '[') {
      if (steps.size() == kPathStepCountMax) {
        return base::Error{base::ErrorId::kPathTooLong,
                           fmt::format("a path has at most {} steps", kPathStepCountMax),
                           base::position_at(text_, offset_)};
      }
      auto step = peek() == '.' ? dotted() : bracketed();
      if (!step) return step.error();
      steps.push_back(std::move(*step));
    }
    return PathPrefix{Path::data(std::move(steps)), offset_};
  }

  base::Result<Path::Step> dotted() {
    const std::size_t begin = ++offset_;
    if (!is_member_start(peek())) {
      return error("expected a member's name after '.' (write ['...'] for any other name)");
    }
    while (is_member_char(peek())) ++offset_;
    return Path::Step(std::string(text_.substr(begin, offset_ - begin)));
  }

  base::Result<Path::Step> bracketed() {
    ++offset_;
    auto step = peek() == '\'' ? quoted_member() : peek() == '*' ? every_element() : index();
    if (!step) return step;
    if (peek() != ']') return error("expected ']'");
    ++offset_;
    return step;
  }

  base::Result<Path::Step> quoted_member() {
    std::string name;
    ++offset_;
    for (;; ++offset_) {
      if (offset_ >= text_.size()) return error("expected a closing quote");
      if (text_[offset_] == '\'') {
        ++offset_;
        if (peek() != '\'') return Path::Step(std::move(name));
      }
      name += text_[offset_];
    }
  }

  base::Result<Path::Step> every_element() {
    ++offset_;
    return Path::Step(EveryElement{});
  }

  base::Result<Path::Step> index() {
    std::uint32_t value = 0;
    const char* const begin = text_.data() + offset_;
    const auto [end, error_code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error_code != std::errc()) {
      return error("expected an index from 0 to 4294967295, * or a name in single quotes");
    }
    offset_ += static_cast<std::size_t>(end - begin);
    return Path::Step(value);
  }

  char peek() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }

  base::Error error(std::string message) const {
    if (offset_ >= text_.size()) message += ", found the end of the text";
    return {base::ErrorId::kPathSyntax, std::move(message), base::position_at(text_, offset_)};
  }

  std::string_view text_;
  std::size_t offset_;
};

}  // namespace

CoreAttribute core_attribute(std::string_view name) {
  using enum CoreAttribute;
  switch (name.size()) {
    case 2:
      return name == "id" ? kId : kNone;
    case 4:
      if (name == "type") return kType;
      return name == "time" ? kTime : kNone;
    case 6:
      return name == "source" ? kSource : kNone;
    case 7:
      return name == "subject" ? kSubject : kNone;
    case 10:
      return name == "dataschema" ? kDataschema : kNone;
    case 11:
      return name == "specversion" ? kSpecversion : kNone;
    case 15:
      return name == "datacontenttype" ? kDatacontenttype : kNone;
    default:
      return kNone;
  }
}

std::string_view to_string(CoreAttribute attribute) {
  return kCoreNames[static_cast<std::size_t>(attribute)];
}

Path Path::attribute(std::string_view name) {
  Path path;
  path.attribute_ = name;
  path.core_ = core_attribute(name);
  return path;
}

Path Path::data(std::vector<Step> steps) {
  Path path;
  path.steps_ = std::move(steps);
  path.is_many_ = std::ranges::any_of(
      path.steps_, [](const Step& step) { return std::holds_alternative<EveryElement>(step); });
  return path;
}

std::string Path::to_string() const {
  if (!is_data()) return is_digit(attribute_[0]) ? fmt::format("\"{}\"", attribute_) : attribute_;
  std::string text = "data";
  for (const Step& step : steps_) {
    if (const auto* index = std::get_if<std::uint32_t>(&step)) {
      text += fmt::format("[{}]", *index);
    } else if (std::holds_alternative<EveryElement>(step)) {
      text += "[*]";
    } else if (const auto& name = std::get<std::string>(step); is_plain_member(name)) {
      text += '.' + name;
    } else {
      text += "['";
      for (const char c : name) text.append(c == '\'' ? 2 : 1, c);
      text += "']";
    }
  }
  return text;
}

std::strong_ordering Path::operator<=>(const Path& other) const {
  if (const auto by_name = attribute_ <=> other.attribute_; by_name != 0) return by_name;
  return steps_ <=> other.steps_;
}

base::Result<Path> parse_path(std::string_view text) {
  auto prefix = PathParser(text, 0).parse();
  if (!prefix) return prefix.error();
  if (prefix->end_bytes != text.size()) {
    return base::Error{base::ErrorId::kPathSyntax, "expected the end of the path, '.' or '['",
                       base::position_at(text, prefix->end_bytes)};
  }
  return std::move(prefix->path);
}

base::Result<PathPrefix> parse_path_prefix(std::string_view text, std::size_t offset_bytes) {
  return PathParser(text, offset_bytes).parse();
}

}  // namespace weir::event
