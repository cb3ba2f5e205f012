// SPDX-License-Identifier: Apache-2.0
#include "engine/explanation_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace weir::engine {
namespace {

filter::Explanation part(std::string text, bool holds) {
  return {.text = std::move(text),
          .holds = holds,
          .decided = !holds,
          .detail = "a is '1'",
          .parts = {}};
}

std::string json_of(const EventExplanation& explanation) {
  std::string out;
  append_json(explanation, out);
  return out;
}

// All that one can say.
EventExplanation full() {
  EventExplanation explanation{.outcome = Outcome::kDuplicate,
                               .filter = part("a = '1' and b > 2", true),
                               .distinct = "distinct(a) within 1h: seen",
                               .note = "it is not for you"};
  explanation.filter.parts = {part("a = '1'", true), part("not b > 2", false)};
  explanation.filter.parts[1].parts = {part("b > 2", true)};
  return explanation;
}

TEST(ExplanationJsonTest, SaysWhatIsThere) {
  const EventExplanation plain{.outcome = Outcome::kWithinThreshold,
                               .filter = part("change(a) > 1", false),
                               .distinct = "",
                               .note = ""};
  EXPECT_EQ(json_of(plain),
            R"({"delivered":false,"outcome":"within_threshold","reason":"Not delivered: the value )"
            R"(has not changed enough since the last delivery.","filter":{"text":"change(a) > 1",)"
            R"("holds":false,"decided":true,"detail":"a is '1'","parts":[]}})");
  const std::string json = json_of(full());
  EXPECT_TRUE(
      json.ends_with(R"(,"distinct":"distinct(a) within 1h: seen","note":"it is not for you"})"))
      << json;
}

TEST(ExplanationJsonTest, ANoteIsTheReason) {
  EXPECT_EQ(reason(full()), "Not delivered: it is not for you.");
  EventExplanation passed = full();
  passed.outcome = Outcome::kPassed;
  passed.note.clear();
  EXPECT_EQ(reason(passed), "Delivered: the filter holds.");
}

TEST(ExplanationJsonTest, IsReadBack) {
  for (const Outcome outcome :
       {Outcome::kPassed, Outcome::kNoMatch, Outcome::kBelowScore, Outcome::kNoValue,
        Outcome::kWithinThreshold, Outcome::kHeld, Outcome::kDuplicate}) {
    EventExplanation given = full();
    given.outcome = outcome;
    const auto read = read_explanation(json_of(given));
    ASSERT_TRUE(read) << to_string(outcome);
    EXPECT_EQ(read->outcome, outcome);
    EXPECT_EQ(json_of(*read), json_of(given));
  }
  EventExplanation deep = full();
  for (int i = 0; i < 500; ++i) {
    filter::Explanation outer = part("not", true);
    outer.parts.push_back(std::move(deep.filter));
    deep.filter = std::move(outer);
  }
  ASSERT_TRUE(read_explanation(json_of(deep)));
  EXPECT_EQ(json_of(*read_explanation(json_of(deep))), json_of(deep));
}

TEST(ExplanationJsonTest, NothingElseIsRead) {
  const std::string whole = json_of(full());
  const auto with = [&](std::string_view before, std::string_view after) {
    std::string json = whole;
    json.replace(json.find(before), before.size(), after);
    return read_explanation(json).has_value();
  };
  EXPECT_FALSE(read_explanation("[]"));
  EXPECT_FALSE(read_explanation(R"({"forgotten":true})"));
  EXPECT_FALSE(read_explanation(whole.substr(1)));
  EXPECT_TRUE(with("duplicate", "held"));
  EXPECT_FALSE(with("\"duplicate\"", "\"soon\""));
  EXPECT_FALSE(with("\"holds\":true", "\"holds\":1"));
  EXPECT_FALSE(with("\"parts\":[]", "\"parts\":{}"));
  EXPECT_FALSE(with("\"parts\":[]", "\"parts\":[{}]"));
  EXPECT_FALSE(with("\"it is not for you\"}", "null}"));
}

}  // namespace
}  // namespace weir::engine
