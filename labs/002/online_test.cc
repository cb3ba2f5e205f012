// SPDX-License-Identifier: Apache-2.0
#include "002/online.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "002/generator.h"
#include "002/offline.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/change_filter.h"
#include "match/text_scorer.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;

// Indices of what the engine's filter delivers of the same stream.
std::vector<std::size_t> delivered_by_change_filter(const Stream& stream, Value threshold) {
  const auto filter = filter::filter_of(fmt::format("change(data.v) > {}", threshold));
  match::ChangeFilter change(filter, {});
  match::TextScorer scorer({}, {});
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const auto event = event::event_of(fmt::format(R"({{"data":{{"v":{}}}}})", stream[i]));
    match::FiredEvents fired;
    change.update({0}, event, {static_cast<std::int64_t>(i)}, scorer, fired);
    if (!fired.events.empty()) indices.push_back(i);
  }
  return indices;
}

TEST(OnlineGreedyTest, DeliversWhatIsFartherThanTheThresholdFromTheLastDelivered) {
  OnlineGreedy greedy(3);
  EXPECT_THAT(delivered_by(greedy, Stream{4, 7, 8, 5, 11, 12, 9, 8}), ElementsAre(0, 2, 5, 7));
}

TEST(OnlineGreedyTest, DeliversTheSameSequenceAsTheEnginesChangeFilter) {
  for (const Law law : kLaws) {
    const Workload walks =
        make_walks({.name = "walks", .law = law, .stream_count = 2, .length = 400, .seed = 3});
    for (const Stream& stream : walks.streams) {
      for (const Value threshold : {0, 1, 3, 8, 20}) {
        OnlineGreedy greedy(threshold);
        ASSERT_EQ(delivered_by(greedy, stream), delivered_by_change_filter(stream, threshold))
            << name_of(law) << " " << threshold;
      }
    }
  }
}

TEST(OnlineAlgorithmTest, AllKeepConformanceAndAreNeverBelowTheOptimum) {
  for (const Law law : kLaws) {
    const Workload walks =
        make_walks({.name = "walks", .law = law, .stream_count = 3, .length = 300, .seed = 5});
    for (const Stream& stream : walks.streams) {
      for (const NamedAlgorithm& algorithm : online_algorithms()) {
        const auto delivered = delivered_by(*algorithm.make(6), stream);
        EXPECT_TRUE(conforms(stream, delivered, 6)) << algorithm.name << " " << name_of(law);
        EXPECT_GE(delivered.size(), global_opt(stream, 6).size()) << algorithm.name;
      }
    }
  }
}

TEST(OnlineAlgorithmTest, EachHasItsOwnWishes) {
  const Stream stream{0, 5, 2, 2, 2, 2, 2, 2, 2, 2, 10};
  std::vector<std::vector<std::size_t>> delivered;
  for (const NamedAlgorithm& algorithm : online_algorithms()) {
    delivered.push_back(delivered_by(*algorithm.make(4), stream));
  }
  EXPECT_THAT(delivered, ElementsAre(ElementsAre(0, 1, 10),              // OnlineGreedy
                                     ElementsAre(0, 1, 2, 10),           // half threshold
                                     ElementsAre(0, 1, 2, 4, 6, 8, 10),  // every second
                                     ElementsAre(0, 1, 8, 10),           // recentred
                                     ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)));
}

TEST(OnlineAlgorithmTest, AScriptDecidesItemByItemWhatIsFree) {
  Scripted scripted(4, 0b0010'0010);
  EXPECT_THAT(delivered_by(scripted, Stream{0, 2, 3, 3, 2, 1, 9, 9, 9}), ElementsAre(0, 1, 5, 6));
}

}  // namespace
}  // namespace weir::lab
