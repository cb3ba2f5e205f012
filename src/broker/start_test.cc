// SPDX-License-Identifier: Apache-2.0
#include "broker/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/definition.h"
#include "broker/replay_pacer.h"

namespace weir::broker {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::string refusal(const std::string& start) {
  const auto definition = Definition::parse(R"({"config":{"start":)" + start + "}}");
  return definition ? "ok" : definition.error().to_string();
}

TEST(StartTest, IsReadFromADefinitionAndFromAText) {
  for (const auto& [json, text] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"("earliest")", "earliest"},
           {R"("now")", "now"},
           {R"({"sequence":1200})", "1200"},
           {R"({"time":"2026-01-02T03:04:05.5Z"})", "2026-01-02T03:04:05.5Z"}}) {
    SCOPED_TRACE(json);
    const auto definition = Definition::parse(R"({"config":{"start":)" + json + "}}");
    ASSERT_TRUE(definition.has_value());
    const auto parsed = parse_start(text);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ((*definition)->start(), *parsed);
    EXPECT_EQ(to_json(*parsed), json);
  }
}

TEST(StartTest, RefusesAnythingElseWithItsPlace) {
  EXPECT_EQ(refusal(R"("tomorrow")"),
            "line 1, column 20: expected start to be \"earliest\", \"now\", {\"sequence\": n} or "
            "{\"time\": t}");
  EXPECT_THAT(refusal("{}"), HasSubstr("column 20: expected start to be"));
  EXPECT_EQ(refusal(R"({"sequence":0})"),
            "line 1, column 32: expected sequence to be an integer from 1 on");
  EXPECT_EQ(refusal(R"({"time":"noon"})"),
            "line 1, column 28: expected time to be an RFC 3339 timestamp");
  EXPECT_EQ(refusal(R"({"place":1})"),
            "line 1, column 21: start has no member 'place'; expected sequence or time");
  EXPECT_EQ(refusal(R"({"sequence":1,"time":"2026-01-02T03:04:05Z"})"),
            "line 1, column 34: expected start to have either sequence or time");
  EXPECT_FALSE(parse_start("0"));
  EXPECT_FALSE(parse_start("12x"));
  EXPECT_FALSE(parse_start(""));
}

TEST(ReplayPacerTest, TakesAnEighthOfTheTimeWhileLiveEventsCome) {
  ReplayPacer pacer;
  const ReplayPacer::Clock::time_point begin{milliseconds(10'000)};
  EXPECT_LE(pacer.next(begin), begin) << "nothing else is going on";
  pacer.on_live(begin);
  pacer.on_step(begin, begin + milliseconds(2));
  EXPECT_EQ(pacer.next(begin + milliseconds(2)), begin + milliseconds(16));
  pacer.on_live(begin + milliseconds(15));
  EXPECT_EQ(pacer.next(begin + milliseconds(16)), begin + milliseconds(16));
}

TEST(ReplayPacerTest, TakesAllOfItOnceTheyHaveStopped) {
  ReplayPacer pacer;
  const ReplayPacer::Clock::time_point begin{milliseconds(10'000)};
  pacer.on_live(begin);
  pacer.on_step(begin, begin + milliseconds(50));
  EXPECT_EQ(pacer.next(begin + milliseconds(50)), begin + milliseconds(100));
  EXPECT_EQ(pacer.next(begin + milliseconds(100)), begin + milliseconds(100));
}

}  // namespace
}  // namespace weir::broker
