// SPDX-License-Identifier: Apache-2.0
// Deliveries of a ChangeFilter with several changes: against its definition, and case by case.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/change_filter.h"
#include "match/change_stream_testing.h"

namespace weir::match {
namespace {

using Stream = ChangeStream;

// One leaf of a conjunction: a source and how far it must move.
struct Leaf {
  std::size_t source = 0;
  double threshold = 0;
  std::optional<double> last = {};
  std::optional<double> current = {};
  int event = -1;  // of the current value
};
using Leaves = std::vector<Leaf>;

std::string text_of(const std::vector<Leaves>& conjunctions) {
  std::string text;
  for (const Leaves& leaves : conjunctions) {
    if (!text.empty()) text += " or ";
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      text += fmt::format("{}change(data.v, subject = 's{}') > {}", i == 0 ? "" : " and ",
                          leaves[i].source, leaves[i].threshold);
    }
  }
  return text;
}

// The definition of section C, worked out anew for every reading.
class Judge {
 public:
  explicit Judge(std::vector<Leaves> conjunctions) : conjunctions_(std::move(conjunctions)) {}

  // As a ChangeStream tells it; event 0 has the id 1.
  std::string read(int event, std::size_t source, double value) {
    std::map<int, bool> shown;  // and whether it is repeated
    bool is_group = false;
    for (Leaves& leaves : conjunctions_) {
      if (!fires(leaves, event, source, value)) continue;
      is_group = is_group || leaves.size() > 1;
      for (Leaf& leaf : leaves) {
        leaf.last = leaf.current;
        shown.emplace(leaf.event, delivered_.contains(leaf.event));
      }
    }
    std::string told;
    for (const auto& [id, is_repeated] : shown) {
      told += fmt::format("{}{}{}", told.empty() ? "" : " ", id + 1, is_repeated ? "*" : "");
      delivered_.insert(id);
    }
    return is_group && shown.size() == 1 ? '[' + told + ']' : told;
  }

 private:
  static bool fires(Leaves& leaves, int event, std::size_t source, double value) {
    bool is_touched = false;
    for (Leaf& leaf : leaves) {
      if (leaf.source != source) continue;
      leaf.current = value;
      leaf.event = event;
      is_touched = true;
    }
    return is_touched && std::ranges::all_of(leaves, [](const Leaf& leaf) {
             return leaf.current &&
                    (!leaf.last || std::abs(*leaf.current - *leaf.last) > leaf.threshold);
           });
  }

  std::vector<Leaves> conjunctions_;
  std::set<int> delivered_;
};

event::EventPtr reading(int event, std::size_t source, double value) {
  return event::event_of(
      fmt::format(R"({{"id":"{}","subject":"s{}","data":{{"v":{}}}}})", event + 1, source, value));
}

// And/or over four sources, up to three conjunctions of up to three.
TEST(ChangeCompositeTest, RandomCompositesAgreeWithTheDefinition) {
  std::size_t repeated_count = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    std::vector<Leaves> conjunctions(1 + prng.below(3));
    for (Leaves& leaves : conjunctions) {
      const std::size_t dimension = 1 + prng.below(3);
      for (std::size_t i = 0; i < dimension; ++i) {
        // Thresholds that are all different keep equal conjunctions from being merged.
        leaves.push_back({prng.below(4), 1 + prng.fraction() * 3});
      }
    }
    Stream stream(text_of(conjunctions));
    Judge judge(conjunctions);
    std::array<double, 4> values = {10, 10, 10, 10};
    for (int i = 0; i < 400; ++i) {
      const auto source = prng.below(4);
      values[source] += (prng.fraction() - 0.5) * 4;
      const std::string told = stream.publish(i, reading(i, source, values[source]));
      ASSERT_EQ(told, judge.read(i, source, values[source]))
          << text_of(conjunctions) << " at " << i;
      repeated_count += told.find('*') != std::string::npos ? 1U : 0U;
    }
  }
  EXPECT_GT(repeated_count, 20U);
}

// Every filter of one or two conjunctions over three sources, every sequence of five readings that
// move or do not.
TEST(ChangeCompositeTest, EverySmallCaseAgreesWithTheDefinition) {
  constexpr int kLength = 5;
  constexpr std::size_t kKinds = 6;  // three sources, two values
  constexpr std::array<std::array<bool, 3>, 7> kConjunctions = {{{true, false, false},
                                                                 {false, true, false},
                                                                 {false, false, true},
                                                                 {true, true, false},
                                                                 {true, false, true},
                                                                 {false, true, true},
                                                                 {true, true, true}}};
  std::vector<std::vector<event::EventPtr>> events(kLength);
  for (int i = 0; i < kLength; ++i) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      events[static_cast<std::size_t>(i)].push_back(
          reading(i, kind / 2, static_cast<double>(kind % 2 * 5)));
    }
  }
  const auto leaves_of = [&](std::size_t shape) {
    Leaves leaves;
    for (std::size_t source = 0; source < 3; ++source) {
      if (kConjunctions[shape][source]) leaves.push_back({source, 1});
    }
    return leaves;
  };
  for (std::size_t first = 0; first < kConjunctions.size(); ++first) {
    for (std::size_t second = first; second < kConjunctions.size(); ++second) {
      std::vector<Leaves> conjunctions = {leaves_of(first)};
      if (second != first) conjunctions.push_back(leaves_of(second));
      const auto filter = filter::filter_of(text_of(conjunctions));
      for (std::size_t code = 0; code < 7776; ++code) {
        Stream stream(filter);
        Judge judge(conjunctions);
        std::size_t rest = code;
        for (int i = 0; i < kLength; ++i, rest /= kKinds) {
          const std::size_t kind = rest % kKinds;
          ASSERT_EQ(stream.publish(i, events[static_cast<std::size_t>(i)][kind]),
                    judge.read(i, kind / 2, static_cast<double>(kind % 2 * 5)))
              << filter->to_text() << " sequence " << code << " at " << i;
        }
      }
    }
  }
}

constexpr std::string_view kSharedSource =
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1 or "
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'D') > 1";

std::string members(std::string_view subject, double value) {
  return fmt::format(R"("subject":"{}","data":{{"v":{}}})", subject, value);
}

TEST(ChangeCompositeTest, ADeliveryHasTheCurrentEventOfEverySourceAndAMarkOnThoseDeliveredBefore) {
  Stream stream(kSharedSource);
  EXPECT_EQ(stream.publish(0, "a1", members("A", 10)), "");
  EXPECT_EQ(stream.publish(1, "c1", members("C", 10)), "a1 c1");
  EXPECT_EQ(stream.publish(2, "d1", members("D", 10)), "a1* d1") << "not d1 alone";
  EXPECT_EQ(stream.publish(3, "c2", members("C", 20)), "");
  EXPECT_EQ(stream.publish(4, "d2", members("D", 20)), "");
  EXPECT_EQ(stream.publish(5, "a2", members("A", 20)), "c2 d2 a2");
}

TEST(ChangeCompositeTest, AnAlternativeOfOneChangeDeliversAnEventOnce) {
  Stream stream(
      "change(data.v, subject = 'A') > 1 or "
      "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'B') > 1");
  EXPECT_EQ(stream.publish(0, "a1", members("A", 10)), "a1");
  EXPECT_EQ(stream.publish(1, "b1", members("B", 10)), "a1* b1");
}

TEST(ChangeCompositeTest, OneEventThatMovesAllSourcesIsListedOnceInAGroup) {
  Stream stream("change(data.v) > 1 and change(data.w) > 1");
  EXPECT_EQ(stream.publish(0, "a", R"("data":{"v":1,"w":1})"), "[a]");
  EXPECT_EQ(stream.publish(1, "b", R"("data":{"v":9})"), "");
  EXPECT_EQ(stream.publish(2, "c", R"("data":{"v":9,"w":9})"), "[c]");
  EXPECT_EQ(stream.publish(3, "d", R"("data":{"w":1})"), "");
  EXPECT_EQ(stream.publish(4, "e", R"("data":{"v":1})"), "d e");
}

TEST(ChangeCompositeTest, BeyondTheLimitOfKeysAnEventIsAGroupOfItsOwn) {
  Stream stream("change(data.v, by subject) > 1 and change(data.w, by subject) > 1",
                {.key_count_max = 0});
  EXPECT_EQ(stream.publish(0, "a", members("x", 1)), "[a]");
}

// The second alternative is due with events that the first has delivered.
TEST(ChangeCompositeTest, WhatIsDueWithNothingNewIsNotDelivered) {
  Stream stream(
      "change(data.v) > 1 and change(data.w) > 1 or "
      "change(data.v) > 1 at most every 10s and change(data.w) > 1 at most every 10s");
  EXPECT_EQ(stream.publish(0, "a", R"("data":{"v":1,"w":1})"), "[a]");
  EXPECT_EQ(stream.publish(1, "b", R"("data":{"v":9,"w":9})"), "[b]");
  EXPECT_EQ(stream.change().next_wake(), Stream::at(10));
  EXPECT_EQ(stream.advance(10), "");
  EXPECT_EQ(stream.publish(11, "c", R"("data":{"v":1,"w":1})"), "[c]");
  EXPECT_EQ(stream.change().next_wake(), Stream::at(20));
}

TEST(ChangeCompositeTest, WhatIsDueAtOneInstantIsOneDeliveryOldestFirst) {
  Stream stream(
      "change(data.v, by subject) > 1 at most every 10s and "
      "change(data.w, by subject) > 1 at most every 10s");
  const auto both = [](std::string_view subject, int value) {
    return fmt::format(R"("subject":"{}","data":{{"v":{},"w":{}}})", subject, value, value);
  };
  EXPECT_EQ(stream.publish(0, "y1", both("y", 1)), "[y1]");
  EXPECT_EQ(stream.publish(0, "x1", both("x", 1)), "[x1]");
  EXPECT_EQ(stream.publish(1, "y2", both("y", 9)), "");
  EXPECT_EQ(stream.publish(2, "x2", both("x", 9)), "");
  EXPECT_EQ(stream.advance(10), "y2 x2");
}

TEST(ChangeCompositeTest, AStateKnowsWhatWasDeliveredAndMayComeAgain) {
  Stream before(kSharedSource);
  EXPECT_EQ(before.publish(0, "a1", members("A", 10)), "");
  EXPECT_EQ(before.publish(1, "c1", members("C", 10)), "a1 c1");
  base::ByteWriter writer;
  before.change().save(writer);
  const std::string bytes = writer.take();
  Stream after(kSharedSource);
  base::ByteReader reader(bytes);
  base::Instant latest;
  ASSERT_TRUE(after.change().restore(ChangeLayout::kMarked, reader, latest));
  ASSERT_TRUE(reader.done());
  base::ByteWriter again;
  after.change().save(again);
  EXPECT_EQ(again.take(), bytes);
  EXPECT_EQ(after.publish(2, "d1", members("D", 10)), "a1* d1");
}

// Readings from before the subscription.
class Beginning {
 public:
  explicit Beginning(std::string_view filter, ChangeOptions options = {})
      : stream(filter, options) {
    stream.learn(5, "a1", members("A", 10));
    stream.learn(5, "c1", members("C", 10));
    stream.learn(5, "a2", members("A", 20));
  }
  Stream stream;
};

constexpr std::string_view kTwo =
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1";

TEST(ChangeCompositeTest, ANewOneFiresWithTheNextReadingOfAnySourceIfTheOthersAreKnown) {
  Beginning known(kTwo);
  EXPECT_EQ(known.stream.publish(6, "c2", members("C", 10)), "a2 c2");
  Beginning other(kTwo);
  EXPECT_EQ(other.stream.publish(6, "a3", members("A", 10)), "c1 a3");
  Beginning third(kSharedSource);
  EXPECT_EQ(third.stream.publish(6, "d1", members("D", 1)), "a2 d1");
  EXPECT_EQ(third.stream.publish(7, "c2", members("C", 1)), "a2* c2");
}

TEST(ChangeCompositeTest, WithInitialNoneWhatIsKnownIsWhereItStarts) {
  Beginning known(kTwo, {.initial = Initial::kNone});
  EXPECT_EQ(known.stream.publish(6, "c2", members("C", 20)), "") << "A has not moved";
  EXPECT_EQ(known.stream.publish(7, "a3", members("A", 20.5)), "") << "from 20, not from 10";
  EXPECT_EQ(known.stream.publish(8, "a4", members("A", 22)), "c2 a4");
}

TEST(ChangeCompositeTest, WhatIsKnownCanBeDeliveredAtOnce) {
  Beginning known(kTwo);
  EXPECT_EQ(known.stream.begin(5), "c1 a2");
  EXPECT_EQ(known.stream.publish(6, "c2", members("C", 20)), "");
  EXPECT_EQ(known.stream.publish(7, "a3", members("A", 30)), "c2 a3");

  Beginning partly(kSharedSource);
  EXPECT_EQ(partly.stream.begin(5), "c1 a2") << "D is not known";
  EXPECT_EQ(partly.stream.publish(6, "d1", members("D", 1)), "a2* d1");

  Beginning all(kSharedSource);
  all.stream.learn(5, "d1", members("D", 1));
  EXPECT_EQ(all.stream.begin(5), "c1 a2 | a2* d1") << "as their newest readings came";
}

TEST(ChangeCompositeTest, LearnsNoKeysBeyondTheLimit) {
  Stream stream("change(data.v, by subject) > 1 and change(data.w, by subject) > 1",
                {.key_count_max = 1});
  stream.learn(0, "a", members("x", 1));
  stream.learn(0, "b", members("y", 1));
  EXPECT_EQ(stream.change().key_count(), 1U);
  EXPECT_EQ(stream.change().overflow_count(), 0U);
}

}  // namespace
}  // namespace weir::match
