// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/sim/scenario_writer.h"

namespace weir::runtime::sim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kFull = R"(
name = "everything"
seed = 7
settle = "40s"
drain = "5s"
sample_every = "500ms"

[members]
count = 64
ring_bits = 32
start = "joins"
join_every = "250ms"

[link]
latency = ["5ms", "20ms"]
round_trips = [["1ms", "80ms"], ["81ms", "2ms"]]
jitter = "1/10"
loss = "1/1000"
keeps_order = false

[work]
from = "1s"
until = "3m"
lookups = 10
puts = 2
arc_casts = 1
cast_arc = "1/4"

[[fault]]
kind = "crash"
at = "10s"
every = "1s"
until = "30s"
lasts = "5s"
members = "1/10"
state = "lost"

[[fault]]
kind = "loss"
at = "31s"
lasts = "1s"
rate = "1/2"

[checks]
owners = 10
ring = true
hops_max = "11/10"
items_kept = "99/100"
no_drops = ["malformed", "too far"]
)";

// Returns the error: "line 3, column 9: work.lookups is ..."; "accepted" if there is none.
std::string refused(const std::string& toml) {
  const auto scenario = parse_scenario(toml);
  if (scenario) return "accepted";
  return scenario.error().to_string();
}

TEST(ScenarioParserTest, ReadsEveryPart) {
  const auto scenario = parse_scenario(kFull);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().to_string();
  EXPECT_EQ(scenario->name, "everything");
  EXPECT_EQ(scenario->seed, 7U);
  EXPECT_EQ(scenario->members.count, 64U);
  EXPECT_EQ(scenario->members.start, Start::kJoins);
  EXPECT_EQ(scenario->link.latency_max, base::Duration::milliseconds(20));
  ASSERT_EQ(scenario->link.sites.round_trips.size(), 4U);
  EXPECT_EQ(scenario->link.sites.round_trips[2], base::Duration::milliseconds(81));
  EXPECT_EQ(scenario->link.sites.jitter.denominator, 10U);
  EXPECT_FALSE(scenario->link.keeps_order);
  EXPECT_EQ(scenario->work.lookups, 10U);
  ASSERT_EQ(scenario->faults.size(), 2U);
  EXPECT_EQ(scenario->faults[0].kind, FaultKind::kCrash);
  EXPECT_FALSE(scenario->faults[0].keeps_state);
  EXPECT_EQ(scenario->faults[0].members->of(50), 5U);
  EXPECT_EQ(scenario->faults[0].end(), base::Duration::seconds(35));
  EXPECT_EQ(scenario->calm_from(), base::Duration::seconds(75));
  EXPECT_EQ(scenario->end(), base::Duration::seconds(185));
  EXPECT_EQ(scenario->checks.owners, 10U);
  EXPECT_TRUE(scenario->checks.ring);
  ASSERT_EQ(scenario->checks.no_drops.size(), 2U);
  EXPECT_EQ(scenario->checks.no_drops[1], protocol::DropReason::kTooFar);
}

TEST(ScenarioParserTest, WritesWhatItCanReadAgain) {
  const auto scenario = parse_scenario(kFull);
  ASSERT_TRUE(scenario.has_value());
  const std::string written = scenario_toml(*scenario);
  const auto again = parse_scenario(written);
  ASSERT_TRUE(again.has_value()) << again.error().to_string() << written;
  EXPECT_EQ(scenario_toml(*again), written);
  EXPECT_THAT(written, HasSubstr("round_trips = [[\"1ms\", \"80ms\"], [\"81ms\", \"2ms\"]]\n"));
  EXPECT_THAT(written, HasSubstr("latency = [\"5ms\", \"20ms\"]\n"));
  EXPECT_THAT(written, HasSubstr("members = \"1/10\"\nstate = \"lost\"\n"));
}

TEST(ScenarioParserTest, NamesThePlaceAndWhatWasExpected) {
  EXPECT_THAT(refused("[work]\nlookups ="), StartsWith("line 2, column "));
  EXPECT_EQ(refused("[work]\nlookups = -1\n"),
            "line 2, column 11: work.lookups is -1, expected a whole number from 0 to 1000000");
  EXPECT_EQ(refused("settle = \"10\"\n"),
            "line 1, column 10: settle is '10', expected a duration such as \"500ms\" or "
            "\"1m30s\"");
  EXPECT_EQ(refused("[link]\nloss = 0.5\n"),
            "line 2, column 8: link.loss is 0.5, expected a fraction such as \"1/10\"");
  EXPECT_EQ(refused("[link]\nloss = \"3/2\"\n"),
            "line 2, column 8: link.loss is '3/2', expected a fraction from \"0/1\" to \"1/1\"");
  EXPECT_EQ(refused("[link]\nloss = \"1/0\"\n"),
            "line 2, column 8: link.loss is '1/0', expected a fraction such as \"1/10\"");
  EXPECT_EQ(refused("[members]\noverlay = \"cord\"\n"),
            "line 2, column 11: members.overlay is 'cord', expected one of: chord slots: did you "
            "mean 'chord'?");
  EXPECT_EQ(refused("[checks]\nring = 1\n"),
            "line 2, column 8: checks.ring is 1, expected true or false");
  EXPECT_THAT(refused("[link]\nlatency = [\"5ms\", \"4ms\"]\n"),
              HasSubstr("expected the shorter duration first"));
  EXPECT_THAT(refused("[link]\nround_trips = [[\"5ms\"], [\"4ms\"]]\n"),
              HasSubstr("rows, each of as many durations"));
  EXPECT_THAT(refused("name = \"a/b\"\n"), HasSubstr("expected a word of small letters"));
  EXPECT_THAT(refused("[checks]\nno_drops = [\"lost\"]\n"),
              HasSubstr("expected a list of: malformed, version"));
  EXPECT_THAT(refused("work = 1\n"), HasSubstr("work is no table: write [work]"));
  EXPECT_THAT(refused("fault = 1\n"), HasSubstr("write [[fault]]"));
}

TEST(ScenarioParserTest, RefusesUnknownKeysWithASuggestion) {
  EXPECT_EQ(refused("[work]\nuntil = \"1s\"\nlokups = 1\n"),
            "line 3, column 1: unknown key 'work.lokups': did you mean 'lookups'?");
  EXPECT_EQ(refused("[wrk]\nuntil = \"1s\"\n"),
            "line 1, column 2: unknown key 'wrk': did you mean 'work'?");
  EXPECT_THAT(refused("[checks]\nbanana = 1\n"),
              HasSubstr("unknown key 'checks.banana', expected one of: owners ring"));
}

TEST(ScenarioParserTest, RefusesWhatDoesNotFitTogether) {
  EXPECT_EQ(refused("[[fault]]\nmembers = 1\n"),
            "line 1, column 1: a fault has no kind, expected one such as \"crash\"");
  EXPECT_EQ(refused("[[fault]]\nkind = \"crash\"\nat = \"1s\"\n"),
            "line 1, column 1: this fault needs members");
  EXPECT_THAT(refused("[[fault]]\nkind = \"loss\"\n"), HasSubstr("needs a rate"));
  EXPECT_THAT(refused("[[fault]]\nkind = \"slow\"\nmembers = 1\n"), HasSubstr("needs slowness"));
  EXPECT_THAT(refused("[[fault]]\nkind = \"skew\"\nmembers = 1\n"), HasSubstr("needs offset"));
  EXPECT_THAT(refused("[[fault]]\nkind = \"reordering\"\nrate = \"1/2\"\nmembers = 1\n"),
              HasSubstr("line 4, column 11: this fault strikes the whole network"));
  EXPECT_THAT(refused("[[fault]]\nkind = \"crash\"\nmembers = 1\nat = \"2s\"\nevery = \"1s\"\n"),
              HasSubstr("needs until, not before at"));
  EXPECT_EQ(refused("[members]\noverlay = \"slots\"\n[work]\nlookups = 1\n"),
            "line 4, column 11: work.lookups needs members.overlay = \"chord\"");
  EXPECT_THAT(refused("[members]\nring_bits = 8\ncount = 100\n"), HasSubstr("too small"));
  EXPECT_THAT(refused("[members]\noverlay = \"slots\"\ncount = 1000\n"),
              HasSubstr("at most 256 members"));
  EXPECT_THAT(refused("sample_every = \"1us\"\n"),
              HasSubstr("line 1, column 16: sample_every is less than a millisecond"));
}

TEST(ScenarioParserTest, RefusesChecksOfWorkThatIsNeverDone) {
  EXPECT_THAT(refused("[checks]\nhops_min = \"1/2\"\n"), HasSubstr("need work.lookups"));
  EXPECT_THAT(refused("[checks]\ncasts_exact = true\n"), HasSubstr("needs work.casts"));
  EXPECT_THAT(refused("[checks]\nitems_kept = \"1/2\"\n"), HasSubstr("needs work.puts"));
  EXPECT_THAT(refused("settle = \"30s\"\n[work]\nuntil = \"20s\"\nlookups = 1\n[[fault]]\nkind = "
                      "\"crash\"\nat = \"5s\"\nmembers = 1\n[checks]\nlookups_right = \"1/1\"\n"),
              HasSubstr("line 3, column 9: work ends at 20s, expected later than 35s"));
}

}  // namespace
}  // namespace weir::runtime::sim
