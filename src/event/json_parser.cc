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

namespace weir::event {
namespace {

constexpr std::uint32_t kOffsetMax = std::numeric_limits<std::uint32_t>::max();

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr unsigned char byte(char c) { return static_cast<unsigned char>(c); }

const char* skip_space(const char* at) {
  while (is_json_space(*at)) ++at;
  return at;
}

// One bit of 64, chosen by the first eight bytes of a name. The factor is the one of MMIX, by which
// the members that CloudEvents defines all choose different bits.
std::uint64_t name_bit(const char* name, std::size_t bytes) {
  static constexpr auto kMasks = [] {
    std::array<std::uint64_t, 9> masks{};
    for (std::size_t i = 1; i < masks.size(); ++i) masks[i] = masks[i - 1] << 8U | 0xFFU;
    return masks;
  }();
  const std::uint64_t key = load_word(name) & kMasks[std::min<std::size_t>(bytes, 8)];
  return std::uint64_t{1} << (key * 6364136223846793005U >> 58U);
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

void JsonParser::Nodes::grow() {
  const std::size_t count = static_cast<std::size_t>(next_ - begin_);
  if (many_.empty()) many_.assign(few_.begin(), few_.end());
  many_.resize(2 * count);
  begin_ = many_.data();
  next_ = begin_ + count;
  end_ = begin_ + many_.size();
}

base::Result<void> JsonParser::check_length(std::string_view text, const JsonLimits& limits) {
  const std::size_t bytes_max = std::min<std::size_t>(limits.text_bytes_max, kOffsetMax);
  if (text.size() <= bytes_max) return {};
  return base::Error{base::ErrorId::kJsonTooLong,
                     fmt::format("the text has {} bytes, the limit is {}", text.size(), bytes_max),
                     std::nullopt};
}

// The functions that most bytes pass through are part of this one, so that the place is in a
// register all the time.
bool JsonParser::parse(std::size_t offset_bytes) {
  begin_ = skip_space(text_.begin() + offset_bytes);
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
  value_bytes_ = static_cast<std::size_t>(at - begin_);
  return true;
}

base::Error JsonParser::take_error() {
  base::PositionFinder positions(text_.view());
  return take_error(positions);
}

base::Error JsonParser::take_error(base::PositionFinder& positions) {
  error_->position = positions.at(error_offset_bytes_);
  return std::move(*error_);
}

JsonDocument JsonParser::document_over(std::string_view text) const {
  return {nodes_.all(), unescaped_, text.substr(begin_bytes(), value_bytes_),
          JsonDocument::Text::kView};
}

JsonDocument JsonParser::document_with_copy() const {
  return {nodes_.all(), unescaped_, {begin_, value_bytes_}, JsonDocument::Text::kCopy};
}

[[gnu::always_inline]] inline const char* JsonParser::value(const char* at) {
  at = skip_space(at);
  if (*at == '"') return string(at);
  if (*at == '-' || is_digit(*at)) return number(at);
  switch (*at) {
    case '{':
      return open(JsonKind::kObject, at);
    case '[':
      return open(JsonKind::kArray, at);
    case 't':
      return word("true", JsonKind::kTrue, at);
    case 'f':
      return word("false", JsonKind::kFalse, at);
    case 'n':
      return word("null", JsonKind::kNull, at);
    default:
      return expected("a value", at);
  }
}

const char* JsonParser::open(JsonKind kind, const char* at) {
  if (depth_ >= depth_max_) {
    return fail(base::ErrorId::kJsonTooDeep, at,
                fmt::format("arrays and objects are nested deeper than {}", depth_max_));
  }
  ++depth_;
  if (depth_ < kFilteredDepth) name_filters_[depth_] = 0;
  nodes_.push() = {offset(at), 0, container_, kind, {}};
  container_ = nodes_.count() - 1;
  in_object_ = kind == JsonKind::kObject;
  const char* const inside = skip_space(at + 1);
  return *inside == (in_object_ ? '}' : ']') ? close(inside) : inside;
}

const char* JsonParser::close(const char* at) {
  const std::uint32_t closed = container_;
  JsonNode& node = nodes_[closed];
  const bool unsure = in_object_ && name_filter() == kFullFilter;
  container_ = node.extra;
  in_object_ = container_ != kNoContainer && nodes_[container_].kind == JsonKind::kObject;
  --depth_;
  node.end = offset(at + 1);
  node.extra = nodes_.count();
  return unsure && !are_distinct_by_sorting(closed) ? nullptr : at + 1;
}

[[gnu::always_inline]] inline const char* JsonParser::name(const char* at) {
  at = skip_space(at);
  if (*at != '"') return expected("a member's name in double quotes", at);
  const std::uint32_t index = nodes_.count();
  const char* const end = string(at);
  if (end == nullptr || !is_new_name(index, at + 1, end - 1)) return nullptr;
  at = skip_space(end);
  return *at == ':' ? at + 1 : expected("':' after a member's name", at);
}

// Reads the ends of containers, and the comma before the next item if there is one.
[[gnu::always_inline]] inline const char* JsonParser::after_value(const char* at) {
  while (container_ != kNoContainer) {
    at = skip_space(at);
    if (*at == ',') return at + 1;
    if (*at != (in_object_ ? '}' : ']')) {
      return expected(in_object_ ? "',' or '}' after a member" : "',' or ']' after an element", at);
    }
    at = close(at);
    if (at == nullptr) return nullptr;
  }
  return at;
}

[[gnu::always_inline]] inline const char* JsonParser::string(const char* at) {
  const char* const stop = strings_.skip_plain(at + 1);
  if (*stop != '"') return special_string(at, stop);
  push(JsonKind::kString, at, stop + 1, StringForm::kPlain);
  return stop + 1;
}

// Reads on at the first character that is not plain. The value of a string with an escape is
// collected, after its length.
const char* JsonParser::special_string(const char* quote, const char* at) {
  std::uint32_t length = 0;
  const std::size_t place = unescaped_.size();
  const char* copied = quote + 1;
  bool escaped = false;
  while (*at != '"') {
    if (byte(*at) >= 0x80) {
      at = multibyte(at);
    } else if (*at == '\\') {
      if (!std::exchange(escaped, true)) unescaped_.append(sizeof length, '\0');
      unescaped_.append(copied, at);
      copied = at = escape(at);
    } else if (*at == 0x7F) {
      ++at;
    } else {
      return expected(at == text_.end() ? "'\"' at the end of a string"
                                        : "a control character to be written as an escape",
                      at);
    }
    if (at == nullptr) return nullptr;
    at = strings_.skip_plain(at);
  }
  push(JsonKind::kString, quote, at + 1, escaped ? StringForm::kEscaped : StringForm::kVerbatim);
  if (escaped) {
    unescaped_.append(copied, at);
    length = static_cast<std::uint32_t>(unescaped_.size() - place - sizeof length);
    std::memcpy(unescaped_.data() + place, &length, sizeof length);
    nodes_[nodes_.count() - 1].extra = static_cast<std::uint32_t>(place);
  }
  return at + 1;
}

const char* JsonParser::escape(const char* at) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at;
  if (*at == 'u') return unicode_escape(at);
  const std::size_t index = kLetters.find(*at);
  if (index == std::string_view::npos) return expected("one of \" \\ / b f n r t u after '\\'", at);
  unescaped_.push_back(kMeanings[index]);
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
    const std::string_view rest = window(at, text_.end(), 2);
    if (high && rest == "\\u") {
      at = hex4(at + 2, low);
      if (at == nullptr) return nullptr;
    } else if (high && std::string_view("\\u").starts_with(rest)) {
      return expected("the second half of a surrogate pair", text_.end());
    }
    if (!high || low < 0xDC00 || low > 0xDFFF) {
      return fail(base::ErrorId::kJsonSurrogate, start,
                  fmt::format("\\u{:04x} is half of a surrogate pair: expected {} it", unit,
                              high ? "\\udc00 to \\udfff after" : "\\ud800 to \\udbff before"));
    }
    unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
  }
  base::append_utf8(unit, unescaped_);
  return at;
}

const char* JsonParser::hex4(const char* at, std::uint32_t& unit) {
  for (int i = 0; i < 4; ++i, ++at) {
    const char c = *at;
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
  const std::string_view rest = window(at, text_.end(), 4);
  const base::CodePoint point = base::decode_utf8(rest);
  if (point.length_bytes != 0) return at + point.length_bytes;
  if (is_cut_character(rest)) return expected("the rest of a UTF-8 sequence", text_.end());
  return fail(base::ErrorId::kJsonUtf8, at,
              fmt::format("byte 0x{:02x} begins no valid UTF-8 sequence", byte(*at)));
}

[[gnu::always_inline]] inline const char* JsonParser::number(const char* at) {
  const char* const begin = at;
  JsonKind kind = JsonKind::kInteger;
  std::uint32_t integer = 0;  // of use only if it is small
  if (*at == '-') ++at;
  if (*at == '0') {
    ++at;
    if (is_digit(*at)) return expected("no digit after a leading 0", at);
  } else if (!is_digit(*at)) {
    return expected("a digit", at);
  }
  for (; is_digit(*at); ++at) integer = integer * 10 + static_cast<std::uint32_t>(*at - '0');
  if (*at == '.') {
    kind = JsonKind::kFraction;
    at = digits(at + 1);
  }
  if (at != nullptr && (*at | 0x20) == 'e') {
    kind = JsonKind::kFraction;
    ++at;
    if (*at == '+' || *at == '-') ++at;
    at = digits(at);
  }
  if (at == nullptr) return nullptr;
  push(kind, begin, at);
  JsonNode& node = nodes_[nodes_.count() - 1];
  if (node.is_small_integer()) node.extra = *begin == '-' ? 0 - integer : integer;
  return at;
}

[[gnu::always_inline]] inline const char* JsonParser::digits(const char* at) {
  if (!is_digit(*at)) return expected("a digit", at);
  while (is_digit(*at)) ++at;
  return at;
}

const char* JsonParser::word(std::string_view text, JsonKind kind, const char* at) {
  const char* const begin = at;
  for (const char c : text) {
    if (*at != c) return expected(text, at);
    ++at;
  }
  push(kind, begin, at);
  return at;
}

// A name that is the first to set its bit in the filter is new. Escaped names are left to sorting.
[[gnu::always_inline]] inline bool JsonParser::is_new_name(std::uint32_t name, const char* begin,
                                                           const char* end) {
  std::uint64_t& filter = name_filter();
  const std::uint64_t bit = name_bit(begin, static_cast<std::size_t>(end - begin));
  const bool escaped = nodes_[name].form == StringForm::kEscaped;
  if ((filter & bit) != 0 && !escaped) return is_new_by_comparing(name);
  filter |= escaped ? kFullFilter : bit;
  return true;
}

// Compares with the names before, unless they are so many that sorting all of them is cheaper.
bool JsonParser::is_new_by_comparing(std::uint32_t name) {
  constexpr int kComparisonsMax = 16;
  if (name_filter() == kFullFilter) return true;
  std::uint32_t other = container_ + 1;
  for (int i = 0; i < kComparisonsMax && other != name; ++i, other = after(other + 1)) {
    if (string_of(other) == string_of(name)) return duplicate(name);
  }
  if (other != name) name_filter() = kFullFilter;
  return true;
}

bool JsonParser::are_distinct_by_sorting(std::uint32_t object) {
  std::vector<std::pair<std::string_view, std::uint32_t>> names;
  for (std::uint32_t i = object + 1; i != nodes_[object].extra; i = after(i + 1)) {
    names.emplace_back(string_of(i), i);
  }
  std::ranges::sort(names);
  const auto twin =
      std::ranges::adjacent_find(names, {}, &std::pair<std::string_view, std::uint32_t>::first);
  return twin == names.end() || duplicate(std::next(twin)->second);
}

bool JsonParser::duplicate(std::uint32_t name) {
  const JsonNode& node = nodes_[name];
  const std::string_view raw(begin_ + node.begin, node.end - node.begin);
  fail(base::ErrorId::kJsonDuplicateMember, raw.data(),
       fmt::format("the member {} stands twice in one object", excerpt(raw)));
  return false;
}

// The index after a value that is complete.
std::uint32_t JsonParser::after(std::uint32_t index) const {
  const JsonNode& node = nodes_[index];
  const bool holds = node.kind == JsonKind::kObject || node.kind == JsonKind::kArray;
  return holds ? node.extra : index + 1;
}

std::string_view JsonParser::string_of(std::uint32_t index) const {
  const JsonNode& node = nodes_[index];
  if (node.form == StringForm::kEscaped) return length_prefixed(unescaped_.data() + node.extra);
  return {begin_ + node.begin + 1, node.end - node.begin - 2};
}

[[gnu::always_inline]] inline void JsonParser::push(JsonKind kind, const char* begin,
                                                    const char* end, StringForm form) {
  nodes_.push() = {offset(begin), offset(end), 0, kind, form};
}

const char* JsonParser::fail(base::ErrorId id, const char* at, std::string message) {
  error_ = base::Error{id, std::move(message), std::nullopt};
  error_offset_bytes_ = static_cast<std::size_t>(at - text_.begin());
  return nullptr;
}

const char* JsonParser::expected(std::string_view what, const char* at) {
  if (at == text_.end()) {
    return fail(base::ErrorId::kJsonTruncated, at,
                fmt::format("expected {}, found the end of the text", what));
  }
  return fail(base::ErrorId::kJsonSyntax, at,
              fmt::format("expected {}, found {}", what, describe(at, text_.end())));
}

}  // namespace weir::event
