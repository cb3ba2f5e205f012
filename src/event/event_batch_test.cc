// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"
#include "event/event.h"

namespace weir::event {
namespace {

using base::describe;
using testing::ElementsAre;
using namespace std::string_view_literals;

std::string event_text(std::string_view id) {
  return fmt::format(R"({{"specversion":"1.0","id":"{}","source":"/s","type":"t"}})", id);
}

// One word per element: its id, or its error; the whole error alone if the batch failed.
std::vector<std::string> outcomes(std::string_view text, const EventLimits& limits = {}) {
  const auto batch = decode_batch(text, limits);
  if (!batch) return {describe(batch)};
  std::vector<std::string> words;
  for (const auto& event : *batch) {
    words.push_back(event ? std::string((*event)->id()) : describe(event));
  }
  return words;
}

TEST(EventBatchTest, DecodesEveryEvent) {
  const std::string text =
      fmt::format(" [ {} ,\n{},{} ] \n", event_text("a"), event_text("b"), event_text("c"));
  EXPECT_THAT(outcomes(text), ElementsAre("a", "b", "c"));
}

TEST(EventBatchTest, MayBeEmpty) {
  EXPECT_TRUE(decode_batch("[]").value().empty());
  EXPECT_TRUE(decode_batch(" [ \n] ").value().empty());
}

TEST(EventBatchTest, KeepsTheBytesOfEachEvent) {
  const std::string first = event_text("a");
  const std::string second = R"({ "specversion":"1.0", "id":"b","source":"/s","type":"t" })";
  const auto batch = decode_batch(fmt::format("[{},  {} ]", first, second));
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->at(0).value()->json(), first);
  EXPECT_EQ(batch->at(1).value()->json(), second);
}

TEST(EventBatchTest, RejectsABadEventAlone) {
  const std::string text = fmt::format("[{},\n 5,\n{},\n{}]", event_text("a"),
                                       R"({"specversion":"1.0","id":""})", event_text("d"));
  EXPECT_THAT(
      outcomes(text),
      ElementsAre("a",
                  "event.not_an_object 2:2@59 expected an event as a JSON object, found an integer",
                  "event.empty_attribute 3:27@88 expected attribute 'id' not to be empty", "d"));
}

// Of an element that is no JSON, it is enough to see where it ends.
TEST(EventBatchTest, RejectsAMalformedEventAlone) {
  const auto expect = [](std::string_view bad, std::string_view error) {
    const std::string text = fmt::format("[{},\n{} ,\n{}]", event_text("a"), bad, event_text("c"));
    EXPECT_THAT(outcomes(text), ElementsAre("a", error, "c")) << bad;
  };
  expect(R"({"a":1,"a":1})",
         "json.duplicate_member 2:8@65 the member \"a\" stands twice in one object");
  expect("{\"a\":\"\xFF\"}", "json.utf8 2:7@64 byte 0xff begins no valid UTF-8 sequence");
  expect(R"({"a":"\ud800"})",
         "json.surrogate 2:7@64 \\ud800 is half of a surrogate pair: expected \\udc00 to \\udfff "
         "after it");
  expect(R"({"a":"\q"})",
         "json.syntax 2:8@65 expected one of \" \\ / b f n r t u after '\\', found 'q'");
  expect(R"({"a":01})", "json.syntax 2:7@64 expected no digit after a leading 0, found '1'");
  expect(R"({"id":tru})", "json.syntax 2:10@67 expected true, found '}'");
  expect(
      "{\"a\":\"\n\"}",
      "json.syntax 2:7@64 expected a control character to be written as an escape, found U+000A");
  expect("nil", "json.syntax 2:2@59 expected null, found 'i'");
  expect(R"({"a":1,})", "json.syntax 2:8@65 expected a member's name in double quotes, found '}'");
  expect(std::string(65, '[') + std::string(65, ']'),
         "json.too_deep 2:65@122 arrays and objects are nested deeper than 64");
}

TEST(EventBatchTest, FailsAsAWholeWhereTheEndOfAnEventIsInDoubt) {
  const std::string one = event_text("a");
  const auto expect = [](std::string_view text, std::string_view error) {
    EXPECT_THAT(outcomes(text), ElementsAre(error)) << text;
  };
  expect("", "json.truncated 1:1@0 expected a batch as a JSON array, found the end of the text");
  expect("{}", "event.batch_not_an_array 1:1@0 expected a batch as a JSON array");
  expect("\n x", "event.batch_not_an_array 2:2@2 expected a batch as a JSON array");
  expect("[", "json.truncated 1:2@1 expected a value, found the end of the text");
  expect("[,]", "json.syntax 1:2@1 expected a value, found ','");
  expect("[5,]", "json.syntax 1:4@3 expected a value, found ']'");
  expect("[5 5]", "json.syntax 1:4@3 expected ',' or ']' after an event");
  expect("[5}", "json.syntax 1:3@2 expected ',' or ']' after an event");
  expect("[5",
         "json.truncated 1:3@2 expected ',' or ']' after an event, found the end of the text");
  expect("[5,", "json.truncated 1:4@3 expected a value, found the end of the text");
  expect("[]]", "json.trailing_bytes 1:3@2 expected nothing after the batch");
  expect("[]\0"sv, "json.trailing_bytes 1:3@2 expected nothing after the batch");
  expect("[5] x", "json.trailing_bytes 1:5@4 expected nothing after the batch");
  expect(fmt::format("[{},\n{{\"id\":\"x\"y\"}},{}]", one, one),
         "json.syntax 2:10@67 expected ',' or '}' after a member, found 'y'");
  expect(fmt::format("[{},\n{{\"id\":tru],{}]", one, one),
         "json.syntax 2:10@67 expected true, found ']'");
}

TEST(EventBatchTest, TellsEveryProperPrefixAsTruncated) {
  const std::string text = fmt::format("[{},{}]", event_text("a"), event_text("b"));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto batch = decode_batch(std::string_view(text).substr(0, length));
    ASSERT_FALSE(batch.has_value()) << length;
    EXPECT_EQ(batch.error().id, base::ErrorId::kJsonTruncated) << describe(batch);
    EXPECT_EQ(batch.error().position->offset_bytes, length) << describe(batch);
  }
}

TEST(EventBatchTest, LimitsTheCount) {
  const EventLimits limits{.batch_count_max = 2};
  EXPECT_THAT(outcomes(fmt::format("[{},{}]", event_text("a"), event_text("b")), limits),
              ElementsAre("a", "b"));
  EXPECT_THAT(outcomes("[1,2,\n3]", limits),
              ElementsAre("event.batch_too_long 2:1@6 a batch has more than 2 events, the limit"));
}

TEST(EventBatchTest, LimitsTheLength) {
  for (const std::string_view text : {"[1] ", "[]  ", "    ", "{}  "}) {
    EXPECT_THAT(outcomes(text, {.json = {.text_bytes_max = 3}}),
                ElementsAre("json.too_long - the text has 4 bytes, the limit is 3"));
  }
}

// What is allowed for an event alone is allowed for it in a batch.
TEST(EventBatchTest, CountsTheDepthFromTheEvent) {
  const std::string text = R"({"specversion":"1.0","id":"a","source":"/s","type":"t","data":[[]]})";
  const EventLimits three{.json = {.depth_max = 3}};
  const EventLimits two{.json = {.depth_max = 2}};
  EXPECT_TRUE(decode_event(text, three).has_value());
  EXPECT_THAT(outcomes("[" + text + "]", three), ElementsAre("a"));
  EXPECT_THAT(outcomes("[" + text + "]", two),
              ElementsAre("json.too_deep 1:65@64 arrays and objects are nested deeper than 2"));
  EXPECT_THAT(outcomes("[[]]", {.json = {.depth_max = 0}}),
              ElementsAre("json.too_deep 1:2@1 arrays and objects are nested deeper than 0"));
}

TEST(EventBatchTest, KnowsNoOtherEventOfTheBatch) {
  const std::string text = fmt::format("[{},{}]", event_text("same"), event_text("same"));
  EXPECT_THAT(outcomes(text), ElementsAre("same", "same"));
}

}  // namespace
}  // namespace weir::event
