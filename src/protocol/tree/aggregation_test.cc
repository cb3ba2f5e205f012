// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/aggregation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/tree/sum_summary.h"

namespace weir::protocol::tree {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr NodeId kSelf{1};
constexpr NodeId kParent{2};
constexpr NodeId kOtherParent{3};
constexpr NodeId kChild{4};
constexpr NodeId kOtherChild{5};
constexpr Key kTree{77};

class Told : public Placement {
 public:
  NodeId self() const override { return kSelf; }
  bool is_home(Key /*key*/) const override { return !parent && distance == 0; }
  std::optional<NodeId> towards(Key /*key*/) const override { return parent; }
  std::uint64_t distance_to(Key /*key*/) const override { return distance; }

  std::optional<NodeId> parent;
  std::uint64_t distance = 0;
};

class AggregationTest : public testing::Test {
 protected:
  AggregationTest() { make({}); }

  void make(AggregationOptions options) {
    options.root_key = kTree;
    options_ = options;
    aggregation_.emplace(options, std::make_unique<SumSummary>());
  }

  Application::Step step() { return {.now = now_, .placement = placement_, .effects = effects_}; }

  void pass(Duration duration) { now_ = now_ + duration; }
  void wake() { aggregation_->on_wake(step()); }
  void place(std::optional<NodeId> parent, std::uint64_t distance) {
    placement_.parent = parent;
    placement_.distance = distance;
    aggregation_->on_placement(step());
  }
  void add(std::int64_t value) { aggregation_->set_own(step(), SumSummary::of(value)); }
  void hear(NodeId source, const std::string& bytes) {
    aggregation_->on_message(step(), source, bytes);
  }
  // Gives the member a parent, and lets it send its first report.
  void attach(std::uint64_t distance = 5) {
    place(kParent, distance);
    wake();
    pass(options_.change_interval);
    effects_.clear();
  }

  static Report report(std::int64_t value, std::uint64_t session = 1, std::uint64_t number = 1) {
    return {.tree = kTree,
            .session = session,
            .number = number,
            .distance = 9,
            .member_count = 1,
            .held = {},
            .summary = SumSummary::of(value)};
  }
  static Renew renew(std::uint64_t session = 1, std::uint64_t number = 1) {
    return {.tree = kTree, .session = session, .number = number, .distance = 9, .held = {}};
  }
  Result result(std::int64_t value, std::uint64_t sequence = 1) const {
    return {.tree = kTree,
            .session = aggregation_->session(),
            .sequence = sequence,
            .version = {.root = kParent, .number = 100 + sequence},
            .member_count = 3,
            .summary = SumSummary::of(value)};
  }

  // Returns the messages of one kind to a member; forgets all other effects.
  template <typename Message>
  std::vector<Message> sent(NodeId target) {
    std::vector<Message> found;
    for (const Effect& effect : effects_.list()) {
      const auto* send = std::get_if<Send>(&effect);
      if (!send || send->target != target) continue;
      if (const auto message = read<Message>(send->bytes)) found.push_back(*message);
    }
    effects_.clear();
    return found;
  }
  std::vector<DropReason> dropped() {
    std::vector<DropReason> reasons;
    for (const Effect& effect : effects_.list()) {
      if (const auto* drop = std::get_if<Drop>(&effect)) reasons.push_back(drop->reason);
    }
    effects_.clear();
    return reasons;
  }
  std::optional<std::int64_t> sum() const {
    if (!aggregation_->result()) return {};
    return SumSummary::read(aggregation_->result()->summary).sum;
  }

  Instant now_{Duration::seconds(100).nanoseconds};
  Told placement_;
  Effects effects_;
  AggregationOptions options_;
  std::optional<Aggregation> aggregation_;
};

TEST_F(AggregationTest, ARootAloneHasItsOwnSum) {
  wake();
  EXPECT_TRUE(aggregation_->take_news());
  EXPECT_FALSE(aggregation_->take_news());
  EXPECT_EQ(sum(), 0);
  pass(options_.change_interval);
  add(7);
  EXPECT_TRUE(aggregation_->take_news());
  EXPECT_EQ(sum(), 7);
  EXPECT_EQ(aggregation_->result()->member_count, 1U);
  EXPECT_EQ(aggregation_->result_version().root, kSelf);
}

TEST_F(AggregationTest, ARootMergesItsChildrenAndSpreadsTheResult) {
  wake();
  add(7);
  pass(options_.change_interval);
  hear(kChild, encode(report(10)));
  EXPECT_EQ(sum(), 17);
  EXPECT_EQ(aggregation_->result()->member_count, 2U);
  const auto results = sent<Result>(kChild);
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(SumSummary::read(results.back().summary).sum, 17);
  EXPECT_EQ(results.back().session, 1U);
  EXPECT_EQ(results.back().version, aggregation_->result_version());
}

TEST_F(AggregationTest, ChangesThatComeSoonGoTogether) {
  attach();
  add(1);
  EXPECT_EQ(sent<Report>(kParent).size(), 1U);
  add(2);
  add(3);
  EXPECT_THAT(sent<Report>(kParent), IsEmpty());
  EXPECT_EQ(aggregation_->next_wake(), now_ + options_.change_interval);
  pass(options_.change_interval);
  wake();
  const auto reports = sent<Report>(kParent);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(SumSummary::read(reports[0].summary).sum, 3);
}

TEST_F(AggregationTest, WhoHasNothingNewSaysOnlyThat) {
  attach();
  add(1);
  const auto reports = sent<Report>(kParent);
  ASSERT_EQ(reports.size(), 1U);
  for (int i = 0; i < 3; ++i) {
    now_ = aggregation_->next_wake();
    wake();
    ASSERT_EQ(effects_.list().size(), 1U);
    const auto renewals = sent<Renew>(kParent);
    ASSERT_EQ(renewals.size(), 1U);
    EXPECT_EQ(renewals[0].session, reports[0].session);
    EXPECT_EQ(renewals[0].number, reports[0].number);
  }
  add(1);
  EXPECT_THAT(effects_.list(), IsEmpty());
}

TEST_F(AggregationTest, ALostReportIsAskedForAgain) {
  wake();
  pass(options_.change_interval);
  hear(kChild, encode(renew(1, 1)));
  EXPECT_THAT(sent<Again>(kChild), ElementsAre(Again{.tree = kTree, .session = 1}));
  hear(kChild, encode(report(10, 1, 1)));
  effects_.clear();
  hear(kChild, encode(renew(1, 1)));
  EXPECT_THAT(sent<Again>(kChild), IsEmpty());
  hear(kChild, encode(renew(1, 2)));
  EXPECT_THAT(sent<Again>(kChild), ElementsAre(Again{.tree = kTree, .session = 1}));
}

TEST_F(AggregationTest, AForgottenSessionIsNotTakenUpAgain) {
  wake();
  hear(kChild, encode(report(10, 1, 1)));
  hear(kChild, encode(report(11, 1, 2)));
  EXPECT_TRUE(aggregation_->children().map().contains(kChild));
  pass(options_.lease);
  wake();
  effects_.clear();
  hear(kChild, encode(report(12, 1, 3)));
  EXPECT_THAT(sent<Again>(kChild), ElementsAre(Again{.tree = kTree, .session = 1}));
  EXPECT_FALSE(aggregation_->children().map().contains(kChild));
}

TEST_F(AggregationTest, ResultsAreInOrderAlsoAfterTheirSenderForgotTheChild) {
  wake();
  pass(options_.change_interval);
  hear(kChild, encode(report(10, 1, 1)));
  const auto before = sent<Result>(kChild);
  ASSERT_FALSE(before.empty());
  make({});
  pass(options_.change_interval);
  wake();
  hear(kChild, encode(report(10, 1, 1)));
  const auto after = sent<Result>(kChild);
  ASSERT_FALSE(after.empty());
  EXPECT_GT(after.front().sequence, before.back().sequence);
}

TEST_F(AggregationTest, WhoIsAskedAgainBeginsANewSession) {
  attach();
  add(4);
  const auto before = sent<Report>(kParent).at(0);
  pass(options_.change_interval);
  const std::string again = encode(Again{.tree = kTree, .session = before.session});
  hear(kOtherParent, again);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale));
  hear(kParent, again);
  const auto after = sent<Report>(kParent).at(0);
  EXPECT_GT(after.session, before.session);
  EXPECT_EQ(after.summary, before.summary);
  hear(kParent, again);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale));
}

TEST_F(AggregationTest, ALostResultIsSentAgainAfterARenewal) {
  wake();
  pass(options_.change_interval);
  hear(kChild, encode(report(10)));
  effects_.clear();
  hear(kChild, encode(renew()));
  EXPECT_THAT(sent<Result>(kChild), IsEmpty()) << "the first may be under way";
  pass(options_.renewal_interval);
  hear(kChild, encode(renew()));
  EXPECT_EQ(sent<Result>(kChild).size(), 1U);
  pass(options_.renewal_interval);
  Renew good = renew();
  good.held = aggregation_->result_version();
  hear(kChild, encode(good));
  EXPECT_THAT(effects_.list(), IsEmpty());
}

TEST_F(AggregationTest, AChildThatIsNotHeardIsNoneAfterItsLease) {
  wake();
  pass(options_.change_interval);
  hear(kChild, encode(report(10)));
  EXPECT_EQ(sum(), 10);
  pass(Duration::seconds(5));
  hear(kChild, encode(renew()));
  pass(Duration::seconds(5));
  wake();
  EXPECT_EQ(sum(), 10);
  pass(Duration::seconds(2));
  EXPECT_LE(aggregation_->next_wake(), now_);
  wake();
  EXPECT_EQ(sum(), 0);
}

TEST_F(AggregationTest, WhoTookLeaveIsNotBroughtBackByALateReport) {
  wake();
  pass(options_.change_interval);
  hear(kChild, encode(report(10, 1, 1)));
  pass(options_.change_interval);
  hear(kChild, encode(Leave{.tree = kTree, .session = 1}));
  EXPECT_EQ(sum(), 0);
  effects_.clear();
  hear(kChild, encode(report(11, 1, 2)));
  hear(kChild, encode(renew(1, 2)));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale, DropReason::kStale));
  pass(options_.change_interval);
  hear(kChild, encode(report(12, 2, 1)));
  EXPECT_EQ(sum(), 12);
}

TEST_F(AggregationTest, LateAndRepeatedReportsChangeNothing) {
  wake();
  hear(kChild, encode(report(9, 5, 1)));
  hear(kChild, encode(report(10, 5, 2)));
  effects_.clear();
  hear(kChild, encode(report(11, 5, 2)));
  hear(kChild, encode(report(12, 5, 1)));
  hear(kChild, encode(report(13, 4, 9)));
  hear(kChild, encode(renew(4, 9)));
  hear(kChild, encode(Leave{.tree = kTree, .session = 4}));
  EXPECT_THAT(dropped(), testing::Each(DropReason::kStale));
  pass(options_.change_interval);
  wake();
  EXPECT_EQ(sum(), 10);
}

TEST_F(AggregationTest, WhoChangesItsParentTakesLeave) {
  attach();
  const std::uint64_t session = aggregation_->session();
  place(kOtherParent, 5);
  EXPECT_THAT(sent<Leave>(kParent), ElementsAre(Leave{.tree = kTree, .session = session}));
  EXPECT_GT(aggregation_->session(), session);
  pass(options_.change_interval);
  wake();
  place({}, 0);
  EXPECT_EQ(sent<Leave>(kOtherParent).size(), 1U);
  EXPECT_TRUE(aggregation_->place().is_root);
}

TEST_F(AggregationTest, ANewDistanceIsANewSessionWithTheSameParent) {
  attach(5);
  const std::uint64_t session = aggregation_->session();
  pass(options_.change_interval);
  place(kParent, 4);
  EXPECT_GT(aggregation_->session(), session);
  const auto reports = sent<Report>(kParent);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].distance, 4U);
  EXPECT_EQ(reports[0].session, aggregation_->session());
}

TEST_F(AggregationTest, OnlyMembersFurtherAwayBecomeAndStayChildren) {
  attach(9);
  hear(kChild, encode(report(10)));
  hear(kChild, encode(renew()));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale, DropReason::kStale));
  place(kParent, 8);
  hear(kChild, encode(report(10)));
  EXPECT_TRUE(aggregation_->children().map().contains(kChild));
  place(kParent, 9);
  EXPECT_FALSE(aggregation_->children().map().contains(kChild));
  pass(options_.change_interval);
  effects_.clear();
  wake();
  EXPECT_EQ(sent<Report>(kParent).at(0).member_count, 1U);
}

TEST_F(AggregationTest, OneThatKnowsNoWayKeepsItsChildrenAndSaysNothing) {
  place({}, 5);
  effects_.clear();
  hear(kChild, encode(report(10)));
  pass(options_.change_interval);
  wake();
  add(3);
  EXPECT_THAT(effects_.list(), IsEmpty());
  EXPECT_EQ(sum(), std::nullopt);
  place(kParent, 5);
  const auto reports = sent<Report>(kParent);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].member_count, 2U);
  EXPECT_EQ(SumSummary::read(reports[0].summary).sum, 13);
}

TEST_F(AggregationTest, ResultsComeFromTheParentInOrderAndGoOn) {
  attach();
  hear(kChild, encode(report(10)));
  effects_.clear();
  hear(kParent, encode(result(50, 2)));
  EXPECT_EQ(sum(), 50);
  EXPECT_TRUE(aggregation_->take_news());
  const auto passed_on = sent<Result>(kChild);
  ASSERT_EQ(passed_on.size(), 1U);
  EXPECT_EQ(passed_on[0].session, 1U);
  EXPECT_EQ(passed_on[0].version, result(50, 2).version);

  hear(kParent, encode(result(40, 1)));
  hear(kParent, encode(result(50, 2)));
  hear(kOtherParent, encode(result(60, 3)));
  Result foreign = result(60, 3);
  --foreign.session;
  hear(kParent, encode(foreign));
  EXPECT_THAT(dropped(), testing::AllOf(testing::SizeIs(4), testing::Each(DropReason::kStale)));
  EXPECT_EQ(sum(), 50);
  EXPECT_FALSE(aggregation_->take_news());
}

TEST_F(AggregationTest, AnEqualResultOfANewRootIsNoNews) {
  attach();
  Result heard = result(0);
  heard.member_count = 1;
  heard.summary = SumSummary().identity();
  hear(kParent, encode(heard));
  EXPECT_TRUE(aggregation_->take_news());
  place({}, 0);
  pass(options_.change_interval);
  wake();
  EXPECT_FALSE(aggregation_->take_news());
  EXPECT_EQ(aggregation_->result_version(), heard.version);
}

TEST_F(AggregationTest, NonsenseIsDroppedAndOthersStay) {
  wake();
  hear(kOtherChild, encode(report(5)));
  effects_.clear();
  Report garbage = report(10);
  garbage.summary = "garbage";
  hear(kChild, encode(garbage));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  Report nobody = report(10);
  nobody.member_count = 0;
  hear(kChild, encode(nobody));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  Report moving = report(10, 1, 2);
  moving.distance = 8;
  hear(kOtherChild, encode(moving));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  Report foreign = report(10);
  foreign.tree = {78};
  hear(kChild, encode(foreign));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kUnknown));
  hear(kChild, encode(report(10)).substr(0, 20));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kMalformed));
  hear(kUser, encode(report(10)));
  hear(kSelf, encode(report(10)));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense, DropReason::kNonsense));
  hear(kChild, begin_message({.protocol = ProtocolId::kTree, .number = 9}).take());
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kUnknown));
  pass(options_.change_interval);
  wake();
  EXPECT_EQ(sum(), 5);
}

TEST_F(AggregationTest, ANonsenseResultIsDropped) {
  attach();
  Result garbage = result(50);
  garbage.summary = "garbage";
  hear(kParent, encode(garbage));
  Result rootless = result(50);
  rootless.version.root = kUser;
  hear(kParent, encode(rootless));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense, DropReason::kNonsense));
  hear(kParent, encode(result(50)));
  EXPECT_EQ(sum(), 50);
}

TEST_F(AggregationTest, CountsOfLiarsSaturate) {
  wake();
  pass(options_.change_interval);
  Report large = report(10);
  large.member_count = ~0ULL;
  hear(kChild, encode(large));
  EXPECT_EQ(aggregation_->result()->member_count, ~0ULL);
}

TEST_F(AggregationTest, ChildrenAndTheirBytesAreLimited) {
  make({.root_key = {}, .child_count_max = 1});
  wake();
  hear(kChild, encode(report(10)));
  effects_.clear();
  hear(kOtherChild, encode(report(20)));
  hear(kOtherChild, encode(renew()));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit, DropReason::kLimit));
  hear(kChild, encode(report(11, 1, 2)));
  EXPECT_THAT(dropped(), IsEmpty());

  make({.root_key = {}, .summary_bytes_max = SumSummary().identity().size() - 1});
  wake();
  effects_.clear();
  hear(kChild, encode(report(10)));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
}

}  // namespace
}  // namespace weir::protocol::tree
