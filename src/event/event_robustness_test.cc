// SPDX-License-Identifier: Apache-2.0
// Large, deep and hostile inputs: each gives a clear error at the right place, or an event, in a
// time that grows with its size and no faster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error_testing.h"
#include "event/event.h"
#include "event/path.h"

namespace weir::event {
namespace {

using base::describe;

constexpr std::size_t kMegabyte = 1'000'000;
constexpr std::string_view kStart =
    R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":)";

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(EventRobustnessTest, StopsAtTheDepthLimitOfAMegabyteOfBrackets) {
  const std::string brackets(kMegabyte, '[');
  constexpr std::string_view kError = "arrays and objects are nested deeper than 64";
  EXPECT_EQ(describe(decode_event(brackets)), fmt::format("json.too_deep 1:65@64 {}", kError));
  EXPECT_EQ(describe(decode_batch(brackets)), fmt::format("json.too_deep 1:66@65 {}", kError));
  EXPECT_EQ(describe(decode_event(std::string(kStart) + brackets)),
            fmt::format("json.too_deep 1:126@125 {}", kError));
  EXPECT_EQ(describe(decode_event(repeated("{\"a\":", kMegabyte / 5))),
            fmt::format("json.too_deep 1:321@320 {}", kError));
}

TEST(EventRobustnessTest, TakesAnyDepthThatItIsAllowed) {
  const std::size_t depth = kMegabyte;
  const std::string text =
      std::string(kStart) + std::string(depth, '[') + std::string(depth, ']') + "}";
  EXPECT_EQ(describe(decode_event(text, {.json = {.depth_max = depth + 1}})), "ok");
}

TEST(EventRobustnessTest, RejectsWhatIsLongerThanTheLimit) {
  const std::string text = std::string(kStart) + "\"" + std::string(10 * kMegabyte, 'x') + "\"}";
  EXPECT_EQ(describe(decode_event(text, {.json = {.text_bytes_max = 10 * kMegabyte}})),
            "json.too_long - the text has 10000065 bytes, the limit is 10000000");
  EXPECT_EQ(decode_event(text).value()->data().string().size(), 10 * kMegabyte);
}

TEST(EventRobustnessTest, ReadsTenMegabytesOfValues) {
  const std::string items = repeated(R"({"a":[1,"x\n"]},)", 10 * kMegabyte / 17);
  const std::string text = std::string(kStart) + "[" + items + "{}]}";
  const auto event = decode_event(text, {.json = {.text_bytes_max = text.size()}});
  ASSERT_EQ(describe(event), "ok");
  EXPECT_EQ((*event)->json(), text);
  const Path last_but_one =
      parse_path(fmt::format("data[{}].a[1]", 10 * kMegabyte / 17 - 1)).value();
  EXPECT_EQ((*event)->at(last_but_one).as_string(), "x\n");
}

TEST(EventRobustnessTest, FindsTheMistakeAtTheEndOfTenMegabytes) {
  const std::string text = std::string(kStart) + "[" + repeated("1,\n", 10 * kMegabyte / 3) + "x]}";
  EXPECT_EQ(describe(decode_event(text)),
            "json.syntax 3333334:1@10000062 expected a value, found 'x'");
}

TEST(EventRobustnessTest, TellsThatTenMegabytesBreakOff) {
  const std::string text = std::string(kStart) + "\"" + std::string(10 * kMegabyte, 'x');
  EXPECT_EQ(describe(decode_event(text)),
            "json.truncated 1:10000064@10000063 expected '\"' at the end of a string, found the "
            "end of the text");
}

TEST(EventRobustnessTest, ReadsLongRunsOfWhiteSpace) {
  const std::string space(10 * kMegabyte / 4, ' ');
  const std::string text = space + std::string(kStart) + space + "1" + space + "}" + space;
  EXPECT_EQ(decode_event(text).value()->data().raw(), "1");
}

TEST(EventRobustnessTest, FindsADuplicateAmongManyMembers) {
  std::string text = std::string(kStart) + "{";
  for (int i = 0; i < 300'000; ++i) text += fmt::format("\"member{}\":0,", i);
  EXPECT_EQ(describe(decode_event(text + "\"last\":0}}")), "ok");
  const std::size_t offset = text.size();
  EXPECT_EQ(describe(decode_event(text + "\"member7\":0}}")),
            fmt::format("json.duplicate_member 1:{}@{} the member \"member7\" stands twice in one "
                        "object",
                        offset + 1, offset));
}

// Finding each position from the start of the text would take minutes here.
TEST(EventRobustnessTest, PlacesEveryErrorOfABatchInOnePass) {
  const std::size_t count = 100'000;
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    text += i % 2 == 0 ? "{\"specversion\":tru} ,\n" : "{\"specversion\":\"0.3\"} ,\n";
  }
  text += "5]";
  const auto batch = decode_batch(text, {.batch_count_max = count + 1});
  ASSERT_EQ(describe(batch), "ok");
  ASSERT_EQ(batch->size(), count + 1);
  EXPECT_EQ(batch->at(count - 2).error().id, base::ErrorId::kJsonSyntax);
  EXPECT_EQ(batch->at(count - 2).error().position->line, count - 1);
  EXPECT_EQ(batch->at(count - 1).error().position->line, count);
  EXPECT_EQ(batch->at(count - 1).error().position->column, 16U);
  EXPECT_EQ(batch->at(count).error().position->line, count + 1);
}

TEST(EventRobustnessTest, TellsOfLongThingsInAShortMessage) {
  const std::string name(kMegabyte, 'N');
  const std::string number(kMegabyte, '7');
  for (const std::string& member :
       {fmt::format("\"{}\":1", name), fmt::format("\"time\":\"{}\"", name),
        fmt::format("\"ext\":{}", number), fmt::format("\"datacontenttype\":\"{}\"", name),
        fmt::format("\"{0}\":1,\"{0}\":2", name), fmt::format("\"{}\":1", std::string(999, 'n'))}) {
    const auto event = decode_event("{\"specversion\":\"1.0\"," + member + "}");
    ASSERT_FALSE(event.has_value());
    EXPECT_LT(event.error().message.size(), 250U) << event.error().message.substr(0, 80);
  }
}

TEST(EventRobustnessTest, ReadsANumberOfAMegabyte) {
  const std::string digits(kMegabyte, '7');
  const auto event = decode_event(fmt::format("{}[{},0.{}]}}", kStart, digits, digits));
  ASSERT_EQ(describe(event), "ok");
  EXPECT_GT((*event)->at(parse_path("data[0]").value()).as_double(), 1e308);
  EXPECT_EQ((*event)->at(parse_path("data[1]").value()).as_double(), 7.0 / 9);
}

}  // namespace
}  // namespace weir::event
