// SPDX-License-Identifier: Apache-2.0
// Every operator, negated or not, on a grid of constants and values: the tests and checks of a spec
// together say what the reference evaluator says.
#include "match/content/spec_compiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "filter/print.h"
#include "match/brute_force.h"
#include "match/content/event_values.h"
#include "match/content/record_store.h"
#include "match/content_matcher.h"

namespace weir::match::content {
namespace {

using filter::CompareOp;
using filter::FilterPtr;
using filter::Literal;
using filter::Operand;
using Conversion = filter::Operand::Conversion;
using Spec = SpecBatch::Conjunction;

Operand at(std::string_view path, Conversion conversion = Conversion::kNone) {
  return {event::parse_path(path).value(), conversion};
}

Literal time_of(std::string_view text) { return {event::parse_timestamp(text).value()}; }

std::vector<Literal> constants() {
  std::vector<Literal> literals = {{true}, {false}};
  for (const std::int64_t integer :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1048577},
        std::int64_t{9007199254740993}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    literals.push_back({integer});
  }
  for (const double number :
       {0.1, 0.3, -0.1, 1.0, 1.5, 1048577.0, 9007199254740992.0, 0x1p63, 1e300, 5e-324,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    literals.push_back({number});
  }
  for (const char* text : {"", "a", "ab", "1", "true", "2026-01-01T00:00:00Z"}) {
    literals.push_back({std::string(text)});
  }
  for (const char* text : {"1969-07-20T20:17:40Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z",
                           "2099-12-31T00:00:00Z"}) {
    literals.push_back(time_of(text));
  }
  return literals;
}

// The values of data.x, beside those of the time and of an extension.
std::vector<event::EventPtr> grid_events() {
  std::vector<event::EventPtr> events = {event::event_of("{}"),
                                         event::event_of(R"({"data_base64":"AAEC"})")};
  for (const char* value : {"null",
                            "true",
                            "false",
                            "0",
                            "-0.0",
                            "1",
                            "1.0",
                            "-1",
                            "0.1",
                            "0.10000000000000002",
                            "0.3",
                            "0.30000000000000004",
                            "0.29999999999999993",
                            "-0.1",
                            "-0.10000000000000002",
                            "1.5",
                            "2",
                            "1048576",
                            "1048577",
                            "1048577.5",
                            "9007199254740992",
                            "9007199254740993",
                            "9223372036854775807",
                            "9223372036854775808",
                            "-9223372036854775808",
                            "1e300",
                            "1.0000000000000002e300",
                            "1e999",
                            "-1e999",
                            "5e-324",
                            "1e-323",
                            R"("")",
                            R"("a")",
                            R"("ab")",
                            R"("b")",
                            R"("1")",
                            R"("true")",
                            R"("0.1")",
                            R"("2026-01-01T00:00:00Z")",
                            R"("2026-01-01T00:00:00.25Z")",
                            R"("2026-01-01T00:00:00.5Z")",
                            R"("1950-01-01T00:00:00Z")",
                            R"("2098-12-31T00:00:00Z")",
                            R"("2100-01-01T00:00:00Z")",
                            "{}",
                            "[]",
                            "[1]"}) {
    events.push_back(event::event_of(fmt::format(R"({{"data":{{"x":{},"y":1}}}})", value)));
  }
  for (const char* time :
       {"1969-07-20T20:17:40Z", "1969-07-20T20:17:41Z", "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.25Z", "2026-01-01T00:00:00.5Z", "2026-01-01T01:00:00.75+01:00",
        "2026-01-01T00:00:01Z", "2099-12-31T00:00:00Z", "2099-12-31T00:00:00.000000001Z"}) {
    events.push_back(event::event_of(fmt::format(R"({{"time":"{}","ext":1}})", time)));
  }
  for (const char* value : {"true", "0", "-1", R"("a")", R"("1")"}) {
    events.push_back(event::event_of(fmt::format(R"({{"ext":{},"data":{{"y":1}}}})", value)));
  }
  return events;
}

std::vector<Operand> operands() {
  return {at("data.x"),
          at("data.x", Conversion::kString),
          at("data.x", Conversion::kTimestamp),
          at("time"),
          at("ext"),
          at("ext", Conversion::kString)};
}

FilterPtr filter_of(filter::ExprPtr expr) {
  return filter::Filter::create({.expr = std::move(expr), .distinct = {}, .warnings = {}}).value();
}

// A vocabulary of its own for every conjunction, which must be empty again at the end.
class SpecCompilerTest : public testing::Test {
 protected:
  void expect_agreement(const filter::Predicate& predicate) {
    expect_agreement(filter_of(filter::make(predicate)));
    expect_agreement(filter_of(filter::make_not(filter::make(predicate))));
  }

  void expect_agreement(const FilterPtr& filter) {
    Vocabulary vocabulary;
    SpecCompiler compiler(vocabulary);
    SpecBatch batch;
    compiler.compile(SubscriptionId{1}, filter, batch);
    EventValues values(vocabulary);
    for (const event::EventPtr& event : events_) {
      values.begin(*event);
      const bool says = std::ranges::any_of(batch.conjunctions, [&](const Spec& spec) {
        const bool holds = says_yes(batch.tests_of(spec), spec.extra.get(), values);
        if (holds) expect_ways(batch.tests_of(spec), spec.extra.get(), values);
        return holds;
      });
      ASSERT_EQ(says, filter::evaluate(*filter->expr(), *event, scorer_))
          << filter->to_text() << " on " << event->json();
    }
    for (const Spec& spec : batch.conjunctions) {
      compiler.release(batch.tests_of(spec), spec.extra.get());
    }
    ASSERT_EQ(vocabulary.operands().slot_count(), 0U) << filter->to_text();
    ASSERT_EQ(vocabulary.points().point_count(), 0U) << filter->to_text();
  }

  // As the headers say: all tests, with their details or the checks of ties if one is tied, and all
  // checks.
  bool says_yes(std::span<const CodeTest> tests, const Extra* extra, const EventValues& values) {
    bool is_tied = false;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const CodeTest& test = tests[i];
      if (test.is_detail()) continue;
      const Code code = values.code(test.column);
      if (!test.holds(code)) return false;
      is_tied |= test.is_tie(code);
      const bool has_detail = i + 1 < tests.size() && tests[i + 1].is_detail();
      if (!has_detail || !test.is_tie(code)) continue;
      const event::Value& value = values.value(slot_of(test.column));
      if (!test.holds_at_tie(code, value, tests[i + 1].to_detail())) return false;
    }
    if (extra == nullptr) return true;
    std::uint64_t steps = 0;
    const auto all_hold = [&](const std::vector<Check>& checks) {
      return std::ranges::all_of(checks, [&](const Check& check) {
        return check.holds(values, extra->points, scorer_, steps);
      });
    };
    return (!is_tied || all_hold(extra->tie_checks)) && all_hold(extra->checks);
  }

  // Whatever may become its door leads an event that matches to the conjunction.
  void expect_ways(std::span<const CodeTest> tests, const Extra* extra, const EventValues& values) {
    const auto has = [&](PointId point) { return std::ranges::count(values.points(), point) == 1; };
    for (const CodeTest& test : tests) {
      if (test.is_point()) {
        EXPECT_TRUE(has(test.low - kPointCodeMin));
      } else if (test.is_range()) {
        EXPECT_EQ(std::ranges::count(values.ordered_columns(), test.column), 1);
      }
    }
    if (extra == nullptr) return;
    for (const Door& door : extra->doors) {
      const auto points = std::span(extra->points).subspan(door.points_begin, door.point_count);
      EXPECT_TRUE(std::ranges::any_of(points, has)) << values.event().json();
    }
  }

  std::vector<event::EventPtr> events_ = grid_events();
  filter::FixedScorer scorer_{1.0};
};

TEST_F(SpecCompilerTest, ComparisonsWithConstants) {
  for (const Operand& operand : operands()) {
    for (const Literal& constant : constants()) {
      for (const CompareOp op :
           {CompareOp::kEqual, CompareOp::kNotEqual, CompareOp::kLess, CompareOp::kLessEqual,
            CompareOp::kGreater, CompareOp::kGreaterEqual}) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::Compare{operand, op, constant}));
      }
    }
  }
}

TEST_F(SpecCompilerTest, Between) {
  for (const char* path : {"data.x", "time"}) {
    for (const Literal& low : constants()) {
      for (const Literal& high : constants()) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::Between{at(path), low, high}));
      }
    }
  }
}

TEST_F(SpecCompilerTest, Lists) {
  const std::vector<Literal> all = constants();
  for (const Operand& operand : operands()) {
    for (std::size_t count = 1; count <= 7; ++count) {
      for (std::size_t first = 0; first < all.size(); ++first) {
        filter::In in{operand, {}};
        for (std::size_t i = 0; i < count; ++i) in.values.push_back(all[(first + i) % all.size()]);
        if (first % 2 == 0) in.values.push_back(in.values.front());
        ASSERT_NO_FATAL_FAILURE(expect_agreement(in));
      }
    }
  }
}

TEST_F(SpecCompilerTest, PatternsPrefixesAndSuffixes) {
  for (const Operand& operand : operands()) {
    for (const char* text : {"", "%", "_", "a", "ab", "a%", "%b", "a_", "_b", "a%b", "%1", "2026%Z",
                             "\\%", "a\\b", "a\\_%", "%\\", "tr%", "__"}) {
      ASSERT_NO_FATAL_FAILURE(
          expect_agreement(filter::Like{operand, filter::LikePattern::compile(text)}));
      for (const auto side : {filter::Affix::Side::kPrefix, filter::Affix::Side::kSuffix}) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::Affix{operand, side, text}));
      }
    }
  }
}

TEST_F(SpecCompilerTest, PresenceAndComparisonsOfTwoOperands) {
  for (const char* path : {"data", "data.x", "data.y", "data.x[0]", "time", "ext", "type"}) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::Exists{at(path).path}));
    for (const Operand& operand : operands()) {
      for (const CompareOp op :
           {CompareOp::kEqual, CompareOp::kNotEqual, CompareOp::kLess, CompareOp::kGreaterEqual}) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::Compare{operand, op, at(path)}));
      }
    }
  }
}

TEST_F(SpecCompilerTest, TextAndCesql) {
  for (const char* text :
       {"text(data.x) about 'storm' score >= 1", "text(data.x) about 'storm' score >= 1.5",
        "cesql('ext = ''1''')", "cesql('ext IN (''a'', ''1'') AND EXISTS ext')",
        "cesql('ext LIKE ''a%''')", "cesql('ext > 0')", "cesql('ext = ''a'' OR ext = ''1''')",
        "cesql('ext LIKE ''a%'' OR EXISTS ext XOR ext = ''a''')"}) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::filter_of(text)));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(filter::filter_of(fmt::format("not {}", text))));
  }
}

// Several terms about the same operands, tied or not, in one conjunction.
TEST_F(SpecCompilerTest, RandomConjunctions) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const std::vector<Literal> literals = constants();
    const auto pick = [&](const auto& list) { return list[prng.below(list.size())]; };
    for (int round = 0; round < 1000; ++round) {
      std::vector<filter::ExprPtr> terms;
      for (std::size_t i = 2 + prng.below(4); i > 0; --i) {
        const filter::Predicate predicate =
            prng.chance(0.7)
                ? filter::Predicate(filter::Compare{
                      at("data.x"), static_cast<CompareOp>(prng.below(6)), pick(literals)})
                : filter::Predicate(filter::In{pick(operands()), {pick(literals), pick(literals)}});
        filter::ExprPtr term = filter::make(predicate);
        terms.push_back(prng.chance(0.4) ? filter::make_not(term) : term);
      }
      ASSERT_NO_FATAL_FAILURE(expect_agreement(filter_of(filter::make_and(std::move(terms)))));
    }
  }
}

// What holds of the tests alone: no filter is kept for it.
TEST_F(SpecCompilerTest, SimpleTermsNeedNoFilter) {
  for (const char* text :
       {"data.x = 1", "data.x != 1", "not data.x = 1", "exists data.x", "not exists data.x",
        "data.x < 20", "not data.x between 1 and 20", "data.x not in (1, 2, 'a', true)",
        "type like 'a'", "time > timestamp '2026-01-01T00:00:00Z'", "data.x > 0.1",
        "not data.x between -0.1 and 0.3"}) {
    Vocabulary vocabulary;
    SpecBatch batch;
    SpecCompiler(vocabulary).compile(SubscriptionId{1}, filter::filter_of(text), batch);
    const Spec& spec = batch.conjunctions[0];
    EXPECT_FALSE(batch.tests.empty()) << text;
    EXPECT_TRUE(!spec.extra || spec.extra->filter == nullptr) << text;
    EXPECT_TRUE(!spec.extra || spec.extra->checks.empty()) << text;
  }
}

// The matcher beside its oracle.
struct Pair {
  ContentMatcher content;
  BruteForce oracle;
  std::uint64_t last_id = 0;

  void add(const FilterPtr& filter) {
    const SubscriptionId id{++last_id};
    content.add(id, filter);
    oracle.add(id, filter);
  }
  std::size_t expect_agreement(const event::Event& event) {
    filter::FixedScorer scorer;
    std::vector<Match> found;
    std::vector<Match> expected;
    content.match(event, scorer, found);
    oracle.match(event, scorer, expected);
    EXPECT_EQ(found, expected);
    return found.size();
  }
  void remove_all() {
    for (std::uint64_t id = 1; id <= last_id; ++id) {
      ASSERT_TRUE(content.remove(SubscriptionId{id}));
    }
    EXPECT_EQ(content.sizes(), MatchSizes());
  }
};

// Around the number of tests that a record can hold, where one term becomes two tests or four.
TEST(SpecCompilerLimitsTest, AConjunctionMayHaveMoreTermsThanTests) {
  Pair pair;
  constexpr std::size_t kTestCountMax = RecordStore::kTestCountMax;
  for (const std::size_t count :
       {kTestCountMax - 2, kTestCountMax - 1, kTestCountMax, kTestCountMax + 1, std::size_t{300}}) {
    for (const char* last :
         {"data.z != 1", "data.z not in (1, 2, 3, 4)", "data.z in (0, 5)", "data.z = 0",
          "data.z between 0 and 0.1", "exists data.z", "not exists data.u", "data.z like '0'"}) {
      std::vector<filter::ExprPtr> terms;
      for (std::size_t i = 0; i < count; ++i) {
        terms.push_back(filter::make(
            filter::Compare{at("data.x"), i % 2 == 0 ? CompareOp::kGreater : CompareOp::kNotEqual,
                            Literal{-static_cast<std::int64_t>(i) - 1}}));
      }
      terms.push_back(filter::filter_of(last)->expr());
      pair.add(filter_of(filter::make_and(std::move(terms))));
    }
  }
  std::size_t match_count = 0;
  for (const char* x : {"0", "-1", "-2", "-250", "\"0\"", "null"}) {
    for (const char* z : {"0", "1", "3", "5", "0.1", "0.10000000000000002", "\"0\"", "null"}) {
      match_count += pair.expect_agreement(
          *event::event_of(fmt::format(R"({{"data":{{"x":{},"z":{}}}}})", x, z)));
    }
    pair.expect_agreement(*event::event_of(fmt::format(R"({{"data":{{"x":{},"u":0}}}})", x)));
  }
  EXPECT_GT(match_count, 100U);
  pair.remove_all();
}

// More paths than columns that tests can name.
TEST(SpecCompilerLimitsTest, PathsBeyondTheLastColumnAreCheckedInstead) {
  constexpr std::size_t kPathCount = kColumnBound / kColumnKindCount + 300;
  Pair pair;
  for (std::size_t i = 0; i < kPathCount; ++i) {
    switch (i % 8) {
      case 0:
        pair.add(filter::filter_of(fmt::format("data.p{} = 1", i)));
        break;
      case 1:
        pair.add(filter::filter_of(fmt::format("data.p{} != 1", i)));
        break;
      case 2:
        pair.add(filter::filter_of(fmt::format("data.p{} between 0.5 and 1.5", i)));
        break;
      case 3:
        pair.add(filter::filter_of(fmt::format("data.p{} in (1, 'a')", i)));
        break;
      case 4:
        pair.add(filter::filter_of(fmt::format("data.p{} prefix 'a'", i)));
        break;
      case 5:
        pair.add(filter::filter_of(fmt::format("exists data.p{0} and data.p{0} > 0.1", i)));
        break;
      case 6:
        pair.add(filter::filter_of(fmt::format("data.p{} like 'a' or type = 'x'", i)));
        break;
      default:
        pair.add(filter::filter_of(
            fmt::format("type = 'a' and data.p{0} not in (1, 2) and not exists data.p{0}", i)));
    }
  }
  constexpr std::uint64_t kSeed = 13;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  std::size_t match_count = 0;
  constexpr const char* kValues[] = {"1", "0.1", "2", "\"a\"", "null", "1.5000000000000002"};
  for (int round = 0; round < 30; ++round) {
    std::string data = "\"z\":0";
    for (std::size_t i = 0; i < kPathCount; i += 1 + prng.below(40)) {
      data += fmt::format(R"(,"p{}":{})", i, kValues[prng.below(std::size(kValues))]);
    }
    match_count += pair.expect_agreement(*event::event_of(
        fmt::format(R"({{"type":"{}","data":{{{}}}}})", round % 3 == 0 ? "a" : "b", data)));
  }
  EXPECT_GT(match_count, 100U);
  pair.remove_all();
}

TEST(SpecCompilerLimitsTest, PathsBeyondTheLastColumnAreFoundByTheirValues) {
  constexpr std::size_t kPathCount = kColumnBound / kColumnKindCount + 1;
  ContentMatcher matcher;
  for (std::size_t i = 0; i < kPathCount; ++i) {
    matcher.add(SubscriptionId{i}, filter::filter_of(fmt::format("data.p{} = 1", i)));
  }
  const auto candidates = [&](int value) {
    const std::uint64_t before = matcher.counters().candidates;
    filter::FixedScorer scorer;
    std::vector<Match> matches;
    matcher.match(
        *event::event_of(fmt::format(R"({{"data":{{"p{}":{}}}}})", kPathCount - 1, value)), scorer,
        matches);
    return matcher.counters().candidates - before;
  };
  EXPECT_EQ(candidates(1), 1U);
  EXPECT_EQ(candidates(2), 0U);
}

}  // namespace
}  // namespace weir::match::content
