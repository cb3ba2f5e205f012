// SPDX-License-Identifier: Apache-2.0
// JsonDocument against simdjson: on texts made by chance, valid and broken, both accept the same
// ones and read the same values. They differ, as documented, on duplicate names and on numbers that
// fit neither 64 bits nor a finite double, which simdjson refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error_testing.h"
#include "base/prng.h"
#include "event/json_document.h"

namespace weir::event {
namespace {

using base::describe;

template <std::size_t Size>
std::string_view pick(base::Prng& prng, const std::array<std::string_view, Size>& choices) {
  return choices[prng.below(Size)];
}

// A text of JSON by chance: all kinds of values, layouts, escapes and numbers.
class TextMaker {
 public:
  explicit TextMaker(base::Prng& prng) : prng_(prng) {}

  std::string make() {
    text_.clear();
    value(5);
    return text_;
  }

 private:
  void value(int depth) {
    space();
    switch (prng_.below(depth > 0 ? 6 : 4)) {
      case 0:
        text_ += pick<3>(prng_, {"null", "true", "false"});
        break;
      case 1:
        number();
        break;
      case 2:
      case 3:
        string();
        break;
      case 4:
        sequence('[', ']', [&] { value(depth - 1); });
        break;
      default:
        sequence('{', '}', [&] {
          space();
          string();
          space();
          text_ += ':';
          value(depth - 1);
        });
    }
    space();
  }

  template <typename Item>
  void sequence(char open, char close, const Item& item) {
    text_ += open;
    const std::uint64_t count = prng_.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ',';
      item();
    }
    text_ += close;
  }

  void number() {
    text_ += pick<2>(prng_, {"", "-"});
    if (prng_.chance(0.3)) {
      text_ += '0';
    } else {
      text_ += static_cast<char>('1' + prng_.below(9));
      digits(prng_.below(prng_.chance(0.1) ? 25 : 6));
    }
    if (prng_.chance(0.3)) {
      text_ += '.';
      digits(1 + prng_.below(20));
    }
    if (prng_.chance(0.2)) {
      text_ += pick<6>(prng_, {"e", "E", "e+", "e-", "E+", "E-"});
      digits(1 + prng_.below(3));
    }
  }

  void digits(std::uint64_t count) {
    for (; count > 0; --count) text_ += static_cast<char>('0' + prng_.below(10));
  }

  void string() {
    text_ += '"';
    for (std::uint64_t count = prng_.below(prng_.chance(0.1) ? 60 : 6); count > 0; --count) {
      text_ += pick<16>(
          prng_, {"a", "b", "c", " ", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\\n", "\\\"",
                  "\\\\", "\\/", "\\u0041", "\\u00e9", "\\u20AC", "\\ud83d\\ude00", "\x7F"});
    }
    text_ += '"';
  }

  void space() {
    if (prng_.chance(0.2)) text_ += pick<5>(prng_, {" ", "\n", "\t", "\r", " \n "});
  }

  base::Prng& prng_;
  std::string text_;
};

// Breaks a text, or leaves it whole by luck.
void mutate(base::Prng& prng, std::string& text) {
  static constexpr std::array<std::string_view, 32> kPieces = {"{",
                                                               "}",
                                                               "[",
                                                               "]",
                                                               ":",
                                                               ",",
                                                               "\"",
                                                               "\\",
                                                               " ",
                                                               "\n",
                                                               "0",
                                                               "1",
                                                               "-",
                                                               ".",
                                                               "e",
                                                               "+",
                                                               "a",
                                                               "u",
                                                               "\\u",
                                                               "\\ud83d",
                                                               "\\ude00",
                                                               "\xC3",
                                                               "\xA9",
                                                               "\xED\xA0\x80",
                                                               "\xF4\x90\x80\x80",
                                                               "\xFF",
                                                               "\x01",
                                                               "\x1F",
                                                               "null",
                                                               "tru",
                                                               "1e400",
                                                               "99999999999999999999"};
  for (std::uint64_t count = 1 + prng.below(3); count > 0; --count) {
    const std::size_t place = prng.below(text.size() + 1);
    switch (prng.below(4)) {
      case 0:
        text.insert(place, pick(prng, kPieces));
        break;
      case 1:
        text.erase(place, 1 + prng.below(3));
        break;
      case 2:
        if (place < text.size()) text[place] = static_cast<char>(prng.next());
        break;
      default:
        text.replace(place, 1, pick(prng, kPieces));
    }
  }
}

// An integer beyond 64 bits, or a number beyond the largest double.
bool is_refused_by_simdjson(const JsonRef& number) {
  const Value value = number.value();
  if (value.kind() == ValueKind::kInt) return false;
  return number.kind() == JsonKind::kInteger || std::isinf(value.as_double());
}

bool has_refused_number(const JsonRef& value) {
  bool found = false;
  switch (value.kind()) {
    case JsonKind::kInteger:
    case JsonKind::kFraction:
      return is_refused_by_simdjson(value);
    case JsonKind::kArray:
      value.for_each_element([&](const JsonRef& item) { found |= has_refused_number(item); });
      return found;
    case JsonKind::kObject:
      value.for_each_member(
          [&](const JsonRef&, const JsonRef& item) { found |= has_refused_number(item); });
      return found;
    default:
      return false;
  }
}

bool is_same(const JsonRef& ours, simdjson::dom::element theirs);

bool is_same_object(const JsonRef& ours, const simdjson::dom::object& theirs) {
  auto it = theirs.begin();
  bool same = true;
  ours.for_each_member([&](const JsonRef& name, const JsonRef& value) {
    same = same && it != theirs.end() && name.string() == it.key() && is_same(value, it.value());
    if (same) ++it;
  });
  return same && !(it != theirs.end());
}

bool is_same_array(const JsonRef& ours, const simdjson::dom::array& theirs) {
  auto it = theirs.begin();
  bool same = true;
  ours.for_each_element([&](const JsonRef& value) {
    same = same && it != theirs.end() && is_same(value, *it);
    if (same) ++it;
  });
  return same && !(it != theirs.end());
}

bool is_same(const JsonRef& ours, simdjson::dom::element theirs) {
  using simdjson::dom::element_type;
  const Value value = ours.value();
  switch (theirs.type()) {
    case element_type::ARRAY:
      return ours.kind() == JsonKind::kArray && is_same_array(ours, theirs.get_array().value());
    case element_type::OBJECT:
      return ours.kind() == JsonKind::kObject && is_same_object(ours, theirs.get_object().value());
    case element_type::INT64:
      return value.kind() == ValueKind::kInt && value.as_int() == theirs.get_int64().value();
    case element_type::UINT64:
      return value.kind() == ValueKind::kDouble &&
             value.as_double() == static_cast<double>(theirs.get_uint64().value());
    case element_type::DOUBLE:
      return value.kind() == ValueKind::kDouble &&
             std::bit_cast<std::uint64_t>(value.as_double()) ==
                 std::bit_cast<std::uint64_t>(theirs.get_double().value());
    case element_type::STRING:
      return value.kind() == ValueKind::kString && value.as_string() == theirs.get_string().value();
    case element_type::BOOL:
      return value.kind() == ValueKind::kBool && value.as_bool() == theirs.get_bool().value();
    case element_type::NULL_VALUE:
      return value.kind() == ValueKind::kNull;
  }
  return false;
}

struct Tally {
  int accepted = 0;
  int rejected = 0;
  int differed = 0;  // as documented
};

void judge(simdjson::dom::parser& parser, const std::string& text, Tally& tally) {
  const auto ours = JsonDocument::parse(text);
  simdjson::dom::element root;
  const simdjson::error_code theirs = parser.parse(text).get(root);
  if (ours.has_value() && theirs == simdjson::SUCCESS) {
    ++tally.accepted;
    ASSERT_TRUE(is_same(ours->root(), root)) << text;
  } else if (ours.has_value()) {
    ++tally.differed;
    ASSERT_TRUE(has_refused_number(ours->root())) << text << '\n' << theirs;
  } else if (theirs == simdjson::SUCCESS) {
    ++tally.differed;
    ASSERT_EQ(ours.error().id, base::ErrorId::kJsonDuplicateMember) << text << '\n'
                                                                    << describe(ours);
  } else {
    ++tally.rejected;
  }
}

TEST(JsonJudgeTest, AgreesWithSimdjsonOnValidTexts) {
  constexpr std::uint64_t kSeed = 8259;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  TextMaker maker(prng);
  simdjson::dom::parser parser;
  Tally tally;
  for (int i = 0; i < 20'000 && !testing::Test::HasFatalFailure(); ++i) {
    judge(parser, maker.make(), tally);
  }
  EXPECT_GT(tally.accepted, 17'000);
  EXPECT_GT(tally.differed, 50);
  EXPECT_LT(tally.rejected, 50);  // both differences in one text
}

TEST(JsonJudgeTest, AgreesWithSimdjsonOnBrokenTexts) {
  constexpr std::uint64_t kSeed = 8260;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  TextMaker maker(prng);
  simdjson::dom::parser parser;
  Tally tally;
  for (int i = 0; i < 60'000 && !testing::Test::HasFatalFailure(); ++i) {
    std::string text = maker.make();
    mutate(prng, text);
    judge(parser, text, tally);
  }
  EXPECT_GT(tally.accepted, 5'000);
  EXPECT_GT(tally.rejected, 30'000);
  EXPECT_GT(tally.differed, 50);
}

// All short texts over the characters that mean something.
TEST(JsonJudgeTest, AgreesWithSimdjsonOnEveryShortText) {
  constexpr std::string_view kAlphabet = "{}[]:,\"\\0-.e1 a";
  simdjson::dom::parser parser;
  Tally tally;
  std::string text;
  for (std::size_t length = 0; length <= 4; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= kAlphabet.size();
    for (std::size_t number = 0; number < count && !testing::Test::HasFatalFailure(); ++number) {
      text.clear();
      for (std::size_t rest = number, i = 0; i < length; ++i, rest /= kAlphabet.size()) {
        text += kAlphabet[rest % kAlphabet.size()];
      }
      judge(parser, text, tally);
    }
  }
  EXPECT_GT(tally.accepted, 300);
  EXPECT_GT(tally.rejected, 40'000);
}

}  // namespace
}  // namespace weir::event
