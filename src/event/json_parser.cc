// SPDX-License-Identifier: Apache-2.0
#include "event/json_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "event/word_scan.h"

namespace weir::event {
namespace {

constexpr std::uint32_t kOffsetMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoContainer = kOffsetMax;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr unsigned char byte(char c) { return static_cast<unsigned char>(c); }

// What ends or complicates a string: a quote, a backslash, a control character, or a byte of a
// multi-byte character.
constexpr std::uint64_t bytes_special(std::uint64_t word) {
  return bytes_control_or_high(word) | bytes_equal_or_high(word, '"') |
         bytes_equal_or_high(word, '\\');
}

constexpr bool is_special(char c) {
  return byte(c) < 0x20 || byte(c) >= 0x80 || c == '"' || c == '\\';
}

// Skips the plain characters of a string, eight at a time.
const char* skip_plain(const char* at, const char* end) {
  while (end - at >= 8) {
    const std::uint64_t special = bytes_special(load_word(at));
    if (special != 0) return at + first_byte(special);
    at += 8;
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

// The first eight bytes of a name, zero after its end: names that differ here are not the same.
std::uint64_t key_of(std::string_view name, const char* readable_end) {
  if (readable_end - name.data() >= 8) {
    const std::uint64_t word = load_word(name.data());
    return name.size() >= 8 ? word : word & ((std::uint64_t{1} << (8 * name.size())) - 1);
  }
  std::array<char, 8> padded{};
  std::copy_n(name.data(), std::min<std::size_t>(name.size(), 8), padded.data());
  return load_word(padded.data());
}

// At most `bytes_max` bytes from there.
std::string_view window(const char* at, const char* end, std::ptrdiff_t bytes_max) {
  return {at, static_cast<std::size_t>(std::min(end - at, bytes_max))};
}

std::string describe(const char* at, const char* end) {
  const base::CodePoint point = base::decode_utf8(window(at, end, 4));
  if (point.length_bytes == 0) return fmt::format("byte 0x{:02x}", byte(*at));
  if (point.value < 0x20 || point.value == 0x7F) return fmt::format("U+{:04X}", point.value);
  return fmt::format("'{}'", std::string_view(at, point.length_bytes));
}

// True if the text ends inside a character that could still become valid: one of the two
// continuations, the lowest and the highest, completes every such beginning.
bool is_cut_character(std::string_view rest) {
  if (rest.size() >= 4) return false;
  const std::string text(rest);
  const auto completes = [&](char tail) {
    return base::decode_utf8(text + std::string(3, tail)).length_bytes > rest.size();
  };
  return completes('\x80') || completes('\xBF');
}

}  // namespace

JsonParser::JsonParser(std::string_view text, std::size_t offset_bytes, const JsonLimits& limits,
                       JsonDocument& document)
    : text_(text),
      end_(text.data() + text.size()),
      begin_(skip_space(text.data() + offset_bytes)),
      limits_(limits),
      document_(document),
      container_(kNoContainer) {}

bool JsonParser::parse() {
  const std::size_t bytes_max = std::min<std::size_t>(limits_.text_bytes_max, kOffsetMax);
  if (text_.size() > bytes_max) {
    error_ = {base::ErrorId::kJsonTooLong,
              fmt::format("the text has {} bytes, the limit is {}", text_.size(), bytes_max),
              std::nullopt};
    return false;
  }
  document_.nodes_.reserve(48);
  document_.text_ = {begin_, static_cast<std::size_t>(end_ - begin_)};
  return parse_value();
}

bool JsonParser::parse_value() {
  const char* at = begin_;
  do {
    if (in_object_) at = name(at);
    if (at == nullptr) return false;
    const std::uint32_t around = container_;
    at = value(at);
    if (at == nullptr) return false;
    if (container_ != around) continue;  // one has been opened, and its first item follows
    at = after_value(at);
    if (at == nullptr) return false;
  } while (container_ != kNoContainer);
  document_.text_ = {begin_, static_cast<std::size_t>(at - begin_)};
  return true;
}

const char* JsonParser::value(const char* at) {
  at = skip_space(at);
  if (at == end_) return expected("a value", at);
  switch (*at) {
    case '{':
      return open(JsonKind::kObject, at);
    case '[':
      return open(JsonKind::kArray, at);
    case '"':
      return string(at);
    case 't':
      return word("true", JsonKind::kTrue, at);
    case 'f':
      return word("false", JsonKind::kFalse, at);
    case 'n':
      return word("null", JsonKind::kNull, at);
    default:
      if (*at == '-' || is_digit(*at)) return number(at);
      return expected("a value", at);
  }
}

const char* JsonParser::open(JsonKind kind, const char* at) {
  if (depth_ >= limits_.depth_max) {
    return fail(base::ErrorId::kJsonTooDeep, at,
                fmt::format("arrays and objects are nested deeper than {}", limits_.depth_max));
  }
  ++depth_;
  push(kind, at, at + 1);
  document_.nodes_.back().extra = container_;
  container_ = static_cast<std::uint32_t>(document_.nodes_.size() - 1);
  in_object_ = kind == JsonKind::kObject;
  const char* const inside = skip_space(at + 1);
  const bool empty = inside != end_ && *inside == (in_object_ ? '}' : ']');
  return empty ? close(inside) : inside;
}

const char* JsonParser::close(const char* at) {
  const std::uint32_t closed = container_;
  JsonNode& node = document_.nodes_[closed];
  container_ = node.extra;
  in_object_ = container_ != kNoContainer && document_.nodes_[container_].kind == JsonKind::kObject;
  --depth_;
  node.end = offset(at + 1);
  node.extra = static_cast<std::uint32_t>(document_.nodes_.size());
  return node.kind == JsonKind::kArray ? at + 1 : distinct_names(closed, at + 1);
}

const char* JsonParser::name(const char* at) {
  at = skip_space(at);
  if (at == end_ || *at != '"') return expected("a member's name in double quotes", at);
  at = string(at);
  if (at == nullptr) return nullptr;
  at = skip_space(at);
  if (at == end_ || *at != ':') return expected("':' after a member's name", at);
  return at + 1;
}

// Reads the ends of containers, and the comma before the next item if there is one.
const char* JsonParser::after_value(const char* at) {
  while (container_ != kNoContainer) {
    at = skip_space(at);
    if (at != end_ && *at == ',') return at + 1;
    if (at == end_ || *at != (in_object_ ? '}' : ']')) {
      return expected(in_object_ ? "',' or '}' after a member" : "',' or ']' after an element", at);
    }
    at = close(at);
    if (at == nullptr) return nullptr;
  }
  return at;
}

const char* JsonParser::string(const char* at) {
  const char* const stop = skip_plain(at + 1, end_);
  if (stop == end_ || *stop != '"') return special_string(at, stop);
  push(JsonKind::kString, at, stop + 1);
  return stop + 1;
}

// Reads on at the first character that is not plain. A string with an escape goes to the side
// buffer, after its length.
const char* JsonParser::special_string(const char* quote, const char* at) {
  std::string& side = document_.unescaped_;
  const std::size_t side_begin = side.size();
  const char* copied = quote + 1;
  bool escaped = false;
  while (at != end_ && *at != '"') {
    if (byte(*at) >= 0x80) {
      at = multibyte(at);
    } else if (*at == '\\') {
      if (!std::exchange(escaped, true)) side.append(sizeof(std::uint32_t), '\0');
      side.append(copied, at);
      copied = at = escape(at);
    } else {
      return expected("a control character to be written as an escape", at);
    }
    if (at == nullptr) return nullptr;
    at = skip_plain(at, end_);
  }
  if (at == end_) return expected("'\"' at the end of a string", at);
  push(JsonKind::kString, quote, at + 1);
  if (escaped) {
    side.append(copied, at);
    const auto length =
        static_cast<std::uint32_t>(side.size() - side_begin - sizeof(std::uint32_t));
    std::memcpy(side.data() + side_begin, &length, sizeof length);
    document_.nodes_.back().escaped = true;
    document_.nodes_.back().extra = static_cast<std::uint32_t>(side_begin);
  }
  return at + 1;
}

const char* JsonParser::escape(const char* at) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at;
  if (at == end_) return expected("an escape after '\\'", at);
  if (*at == 'u') return unicode_escape(at);
  const std::size_t index = kLetters.find(*at);
  if (index == std::string_view::npos) return expected("one of \" \\ / b f n r t u after '\\'", at);
  document_.unescaped_.push_back(kMeanings[index]);
  return at + 1;
}

const char* JsonParser::unicode_escape(const char* at) {
  const char* const start = at - 1;
  std::uint32_t unit = 0;
  at = hex4(at + 1, unit);
  if (at == nullptr) return nullptr;
  if (unit >= 0xD800 && unit <= 0xDFFF) {
    std::uint32_t low = 0;
    const bool high = unit <= 0xDBFF;
    const std::string_view rest = window(at, end_, 2);
    if (high && rest == "\\u") {
      at = hex4(at + 2, low);
      if (at == nullptr) return nullptr;
    } else if (high && std::string_view("\\u").starts_with(rest)) {
      return expected("the second half of a surrogate pair", end_);
    }
    if (!high || low < 0xDC00 || low > 0xDFFF) {
      return fail(base::ErrorId::kJsonSurrogate, start,
                  fmt::format("\\u{:04x} is half of a surrogate pair: expected {} it", unit,
                              high ? "\\udc00 to \\udfff after" : "\\ud800 to \\udbff before"));
    }
    unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
  }
  base::append_utf8(unit, document_.unescaped_);
  return at;
}

const char* JsonParser::hex4(const char* at, std::uint32_t& unit) {
  for (int i = 0; i < 4; ++i, ++at) {
    const char c = at == end_ ? '\0' : *at;
    std::uint32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<std::uint32_t>((c | 0x20) - 'a') + 10;
    } else {
      return expected("four hexadecimal digits after \\u", at);
    }
    unit = unit * 16 + digit;
  }
  return at;
}

const char* JsonParser::multibyte(const char* at) {
  const std::string_view rest = window(at, end_, 4);
  const base::CodePoint point = base::decode_utf8(rest);
  if (point.length_bytes != 0) return at + point.length_bytes;
  if (is_cut_character(rest)) return expected("the rest of a UTF-8 sequence", end_);
  return fail(base::ErrorId::kJsonUtf8, at,
              fmt::format("byte 0x{:02x} begins no valid UTF-8 sequence", byte(*at)));
}

const char* JsonParser::number(const char* at) {
  const char* const begin = at;
  JsonKind kind = JsonKind::kInteger;
  if (*at == '-') ++at;
  if (at != end_ && *at == '0') {
    ++at;
    if (at != end_ && is_digit(*at)) return expected("no digit after a leading 0", at);
  } else {
    at = digits(at);
  }
  if (at != nullptr && at != end_ && *at == '.') {
    kind = JsonKind::kFraction;
    at = digits(at + 1);
  }
  if (at != nullptr && at != end_ && (*at | 0x20) == 'e') {
    kind = JsonKind::kFraction;
    ++at;
    if (at != end_ && (*at == '+' || *at == '-')) ++at;
    at = digits(at);
  }
  if (at != nullptr) push(kind, begin, at);
  return at;
}

const char* JsonParser::digits(const char* at) {
  if (at == end_ || !is_digit(*at)) return expected("a digit", at);
  while (at != end_ && is_digit(*at)) ++at;
  return at;
}

const char* JsonParser::word(std::string_view text, JsonKind kind, const char* at) {
  const char* const begin = at;
  for (const char c : text) {
    if (at == end_ || *at != c) return expected(text, at);
    ++at;
  }
  push(kind, begin, at);
  return at;
}

const char* JsonParser::distinct_names(std::uint32_t object, const char* at) {
  std::array<std::uint64_t, 16> keys;
  std::size_t count = 0;
  const JsonRef root(&document_, object);
  for (std::uint32_t i = object + 1; i < root.next(); i = root.at(i + 1).next()) {
    if (count == keys.size()) return distinct_names_by_sorting(object, at);
    const JsonNode& node = document_.nodes_[i];
    const std::string_view name = root.at(i).string();
    const char* const readable_end = node.escaped ? name.data() + name.size() : end_;
    keys[count] = key_of(name, readable_end);
    bool suspect = false;
    for (std::size_t j = 0; j < count; ++j) suspect |= keys[j] == keys[count];
    if (suspect) return distinct_names_by_sorting(object, at);
    ++count;
  }
  return at;
}

const char* JsonParser::distinct_names_by_sorting(std::uint32_t object, const char* at) {
  std::vector<JsonRef> names;
  JsonRef(&document_, object).for_each_member([&](const JsonRef& name, const JsonRef&) {
    names.push_back(name);
  });
  std::ranges::sort(names, [](const JsonRef& left, const JsonRef& right) {
    const int order = left.string().compare(right.string());
    return order != 0 ? order < 0 : left.offset_bytes() < right.offset_bytes();
  });
  const auto twin = std::ranges::adjacent_find(names, {}, &JsonRef::string);
  if (twin == names.end()) return at;
  const JsonRef& second = *std::next(twin);
  return fail(base::ErrorId::kJsonDuplicateMember, begin_ + second.offset_bytes(),
              fmt::format("the member {} stands twice in one object", second.excerpt()));
}

void JsonParser::push(JsonKind kind, const char* begin, const char* end) {
  document_.nodes_.push_back({offset(begin), offset(end), 0, kind, false});
}

const char* JsonParser::fail(base::ErrorId id, const char* at, std::string message) {
  const auto offset_bytes = static_cast<std::size_t>(at - text_.data());
  error_ = base::Error{id, std::move(message), base::position_at(text_, offset_bytes)};
  return nullptr;
}

const char* JsonParser::expected(std::string_view what, const char* at) {
  if (at == end_) {
    return fail(base::ErrorId::kJsonTruncated, at,
                fmt::format("expected {}, found the end of the text", what));
  }
  return fail(base::ErrorId::kJsonSyntax, at,
              fmt::format("expected {}, found {}", what, describe(at, end_)));
}

}  // namespace weir::event
