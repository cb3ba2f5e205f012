// SPDX-License-Identifier: Apache-2.0
// The tree and aggregation alone, on an overlay whose views the test sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/seed_count_testing.h"
#include "protocol/tree/messages.h"
#include "protocol/tree/or_summary.h"
#include "protocol/tree/sum_summary.h"
#include "runtime/sim/member_counts_testing.h"
#include "runtime/sim/tree_world_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Prng;
using protocol::NodeId;
using protocol::tree::OrSummary;
using protocol::tree::SumSummary;

constexpr std::size_t kFilterBytes = 64;
constexpr base::SeedCounts kSeeds{.quick = 200, .full = 5000};

// A kind of summary, and how to make random values.
struct Content {
  TreeWorld::SummaryFactory summary;
  std::function<std::string(NodeId node, Prng& prng)> own;
};

Content member_counts() {
  return {.summary = [] { return std::make_unique<MemberCounts>(); },
          .own = [](NodeId node, Prng&) { return MemberCounts::of({{node.value, 1}}); }};
}

Content sums() {
  return {.summary = [] { return std::make_unique<SumSummary>(); },
          .own = [](NodeId,
                    Prng& prng) { return SumSummary::of(static_cast<std::int64_t>(prng.next())); }};
}

// Filters with some bits set.
Content filters() {
  return {.summary = [] { return std::make_unique<OrSummary>(kFilterBytes); },
          .own =
              [](NodeId, Prng& prng) {
                std::string bits(kFilterBytes, '\0');
                for (int i = 0; i < 3; ++i) {
                  bits[prng.next() % kFilterBytes] = static_cast<char>(1U << prng.next() % 8);
                }
                return bits;
              }};
}

// Faults of every kind, drawn from a seed.
class Schedule {
 public:
  Schedule(std::uint64_t seed, Content content)
      : prng_(seed),
        content_(std::move(content)),
        world_({.seed = seed, .link = link()}, content_.summary) {
    const std::uint64_t count = 2 + prng_.next() % 20;
    for (std::uint64_t i = 0; i < count; ++i) {
      all_.push_back(world_.add());
      const auto offset = static_cast<std::int64_t>(prng_.next() % 5000);
      world_.sim().set_clock_offset(all_.back(), Duration::milliseconds(offset));
    }
    world_.set_views(all_);
    for (const NodeId node : all_) change(node);
  }

  TreeWorld& world() { return world_; }

  void run() {
    for (int i = 0; i < 120; ++i) {
      strike();
      world_.run_for(Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 1000)));
    }
    end();
  }

 private:
  static LinkOptions link() {
    return {.latency_min = Duration::milliseconds(1),
            .latency_max = Duration::milliseconds(80),
            .loss = {.numerator = 1, .denominator = 10},
            .duplication = {.numerator = 1, .denominator = 10},
            .reordering = {.numerator = 1, .denominator = 5},
            .reordering_delay_max = Duration::milliseconds(1500)};
  }

  NodeId any() { return all_[prng_.next() % all_.size()]; }

  void change(NodeId node) {
    if (world_.sim().is_up(node)) world_.set_own(node, content_.own(node, prng_));
  }

  std::vector<NodeId> shuffled(std::vector<NodeId> nodes) {
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[prng_.next() % i]);
    return nodes;
  }

  void strike() {
    switch (prng_.next() % 8) {
      case 0:
      case 1:
        return change(any());
      case 2:
        return crash_or_restart(any());
      case 3:
        for (const NodeId node : all_) {
          world_.sim().network().set_group(node, static_cast<std::uint32_t>(prng_.next() % 2));
        }
        return;
      case 4:
        return world_.sim().network().heal();
      case 5:
        return world_.set_views(shuffled(world_.live()));
      default: {
        std::vector<NodeId> view = shuffled(all_);
        view.resize(1 + prng_.next() % view.size());
        return world_.set_view(any(), view);
      }
    }
  }

  void crash_or_restart(NodeId node) {
    if (world_.sim().is_up(node)) {
      world_.crash(node);
    } else {
      world_.restart(node, prng_.next() % 2 == 0);
    }
  }

  // No more faults, but some members stay down.
  void end() {
    world_.sim().network().heal();
    world_.sim().network().options().loss = {};
    world_.sim().network().options().duplication = {};
    world_.sim().network().options().reordering = {};
    if (world_.live().empty()) world_.restart(any(), true);
    world_.set_views(shuffled(world_.live()));
    world_.run_for(Duration::seconds(20));
  }

  Prng prng_;
  Content content_;
  TreeWorld world_;
  std::vector<NodeId> all_;
};

TEST(TreeTest, IsSafeUnderFaultsAndExactAfterThem) {
  const Content contents[] = {member_counts(), sums(), filters()};
  for (std::uint64_t seed = 1; seed <= base::seed_count(kSeeds); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule(seed, contents[seed % std::size(contents)]);
    schedule.run();
    schedule.world().expect_exact();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TreeTest, TheSameSeedGivesTheSameRun) {
  const auto hash = [](std::uint64_t seed) {
    Schedule schedule(seed, sums());
    schedule.run();
    return schedule.world().sim().hash();
  };
  for (std::uint64_t seed = 1; seed <= base::seed_count(kSeeds) / 10; ++seed) {
    EXPECT_EQ(hash(seed), hash(seed)) << "seed " << seed;
  }
  EXPECT_NE(hash(1), hash(2));
}

// A link must not outlive the distance for which it was accepted: it would form a cycle of two.
TEST(TreeTest, WhoComesNearerIsNotHeldByItsOldLink) {
  TreeWorld world({}, member_counts().summary);
  const NodeId a = world.add();
  const NodeId b = world.add();
  const NodeId c = world.add();
  const NodeId d = world.add();
  world.set_view(a, {d, c, a});     // distance 2, below d
  world.set_view(b, {c, a, d, b});  // distance 3, below a
  world.run_for(Duration::seconds(1));
  ASSERT_TRUE(world.member(a).aggregation().children().map().contains(b));
  world.set_view(b, {a, b});     // distance 1, still below a
  world.set_view(a, {b, c, a});  // distance 2, below b
  world.run_for(Duration::seconds(10));
  EXPECT_TRUE(world.member(b).aggregation().children().map().contains(a));
  EXPECT_FALSE(world.member(a).aggregation().children().map().contains(b));
}

// 31 members as a full binary tree of depth 4, without faults.
class QuietTreeTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kCount = 31;

  QuietTreeTest() {
    Prng prng(1);
    std::vector<NodeId> all;
    for (std::uint64_t i = 0; i < kCount; ++i) all.push_back(world_.add());
    world_.set_views(all);
    for (const NodeId node : all) world_.set_own(node, MemberCounts::of({{node.value, 1}}));
    world_.run_for(Duration::seconds(60));
  }

  template <typename Message>
  std::uint64_t messages() const {
    return world_.sim().costs().of(protocol::kind_of<Message>()).message_count;
  }

  // Counts of messages.
  struct Sent {
    std::uint64_t reports = 0;
    std::uint64_t renewals = 0;
    std::uint64_t results = 0;
    std::uint64_t others = 0;

    bool operator==(const Sent&) const = default;
  };
  Sent sent() const {
    return {.reports = messages<protocol::tree::Report>(),
            .renewals = messages<protocol::tree::Renew>(),
            .results = messages<protocol::tree::Result>(),
            .others = messages<protocol::tree::Leave>() + messages<protocol::tree::Again>()};
  }
  Sent sent_since(const Sent& before) const {
    const Sent now = sent();
    return {.reports = now.reports - before.reports,
            .renewals = now.renewals - before.renewals,
            .results = now.results - before.results,
            .others = now.others - before.others};
  }

  mutable TreeWorld world_{{}, member_counts().summary};
};

TEST_F(QuietTreeTest, CostsOneShortMessageForEachLinkAndInterval) {
  world_.expect_exact();
  const Sent before = sent();
  world_.run_for(Duration::seconds(20));
  EXPECT_EQ(sent_since(before),
            (Sent{.reports = 0, .renewals = 10 * (kCount - 1), .results = 0, .others = 0}));
}

TEST_F(QuietTreeTest, AChangeCostsItsDepthUpAndOneResultForEachLinkDown) {
  const Sent before = sent();
  world_.set_own({kCount}, MemberCounts::of({{kCount, 2}}));
  world_.run_for(Duration::milliseconds(500));
  world_.expect_exact();
  const Sent after = sent_since(before);
  EXPECT_EQ(after.reports, 4U);
  EXPECT_EQ(after.results, kCount - 1);
  EXPECT_EQ(after.others, 0U);
}

TEST_F(QuietTreeTest, ALostReportIsMadeGoodWithinARenewalInterval) {
  Network& network = world_.sim().network();
  network.set_loss({kCount}, {(kCount - 1) / 2}, {.numerator = 1, .denominator = 1});
  world_.set_own({kCount}, MemberCounts::of({{kCount, 2}}));
  world_.run_for(Duration::milliseconds(500));
  network.set_loss({kCount}, {(kCount - 1) / 2}, {});
  world_.run_for(Duration::milliseconds(1500));
  EXPECT_NE(world_.member({1}).aggregation().result(), world_.exact());
  world_.run_for(Duration::milliseconds(500));
  world_.expect_exact();
}

TEST_F(QuietTreeTest, ALostResultIsMadeGoodWithinTwoRenewalIntervals) {
  Network& network = world_.sim().network();
  network.set_loss({(kCount - 1) / 2}, {kCount}, {.numerator = 1, .denominator = 1});
  world_.set_own({1}, MemberCounts::of({{1, 2}}));
  world_.run_for(Duration::milliseconds(500));
  network.set_loss({(kCount - 1) / 2}, {kCount}, {});
  EXPECT_NE(world_.member({kCount}).aggregation().result(), world_.exact());
  world_.run_for(Duration::milliseconds(3700));
  world_.expect_exact();
}

TEST_F(QuietTreeTest, ACrashedInnerMemberIsGoneAfterItsLeaseAndItsChildrenFindAWay) {
  world_.crash({2});
  std::vector<NodeId> rest = world_.live();
  world_.set_views(rest);
  world_.run_for(Duration::seconds(9));
  world_.expect_exact();
  EXPECT_EQ(world_.exact().member_count, kCount - 1);
}

// Sends well-formed lies to all members.
class Liar : public protocol::Node {
 public:
  Liar(std::uint64_t node_count, std::uint64_t seed, std::string summary)
      : node_count_(node_count), prng_(seed), summary_(std::move(summary)) {}

  void on_message(base::Instant /*now*/, NodeId /*source*/, std::string_view /*message*/,
                  protocol::Effects& /*effects*/) override {}

  void on_wake(base::Instant now, protocol::Effects& effects) override {
    for (int i = 0; i < 10; ++i) {
      const NodeId target{1 + prng_.next() % node_count_};
      effects.send(target, protocol::kind_of<protocol::tree::Report>(), lie());
    }
    effects.wake_at(now + Duration::milliseconds(100));
  }

 private:
  std::uint64_t number() {
    const std::uint64_t numbers[] = {0, 1, 2, prng_.next(), ~0ULL};
    return numbers[prng_.next() % std::size(numbers)];
  }

  std::string lie() {
    using namespace protocol::tree;
    const protocol::Key tree{prng_.next() % 4 == 0 ? number() : 0};
    const ResultVersion version{.root = {number()}, .number = number()};
    switch (prng_.next() % 7) {
      case 0:
        return encode(Renew{tree, number(), number(), number(), version});
      case 1:
        return encode(Leave{tree, number()});
      case 2:
        return encode(Again{tree, number()});
      case 3:
        return encode(Result{tree, number(), number(), version, number(), summary_});
      case 4:
        return encode(Leave{tree, number()}).substr(0, prng_.next() % 10);
      default:
        return encode(Report{tree, number(), number(), number(), number(), version, summary_});
    }
  }

  std::uint64_t node_count_;
  Prng prng_;
  std::string summary_;
};

class LyingTreeTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kHonestCount = 12;

  // Runs honest members, and one that lies with this summary.
  void run(const std::string& summary) {
    const auto factory = [&](NodeId node, std::uint64_t seed) -> std::unique_ptr<protocol::Node> {
      if (node.value > kHonestCount) {
        return std::make_unique<Liar>(kHonestCount, seed, summary);
      }
      return std::make_unique<TreeMember>(*world_, node, world_->make_summary());
    };
    world_ = std::make_unique<TreeWorld>(SimulatorOptions{}, member_counts().summary, factory);
    std::vector<NodeId> honest;
    for (std::uint64_t i = 0; i < kHonestCount; ++i) honest.push_back(world_->add());
    world_->add();
    for (const NodeId node : honest) {
      world_->set_view(node, honest);
      world_->set_own(node, MemberCounts::of({{node.value, 1}}));
    }
    world_->run_for(Duration::seconds(60));
  }

  std::uint64_t dropped(protocol::DropReason reason) {
    return world_->sim().costs().dropped(reason);
  }

  std::unique_ptr<TreeWorld> world_;
};

TEST_F(LyingTreeTest, GarbageIsDroppedAndCountedAndChangesNothing) {
  run("garbage");
  EXPECT_GT(dropped(protocol::DropReason::kNonsense), 100U);
  EXPECT_GT(dropped(protocol::DropReason::kStale), 100U);
  EXPECT_GT(dropped(protocol::DropReason::kMalformed), 100U);
  EXPECT_GT(dropped(protocol::DropReason::kUnknown), 100U);
  MemberCounts::Counts wanted;
  for (std::uint64_t i = 1; i <= kHonestCount; ++i) wanted[i] = 1;
  for (std::uint64_t i = 1; i <= kHonestCount; ++i) {
    const auto& result = world_->member({i}).aggregation().result();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->member_count, kHonestCount);
    EXPECT_EQ(MemberCounts::read(result->summary), wanted);
  }
}

TEST_F(LyingTreeTest, AWellFormedLieChangesNobodyElsesPart) {
  run(MemberCounts::of({{1000, 1}}));
  const auto& result = world_->member({1}).aggregation().result();
  ASSERT_TRUE(result);
  const auto counts = MemberCounts::read(result->summary);
  for (std::uint64_t i = 1; i <= kHonestCount; ++i) EXPECT_EQ(counts->at(i), 1U);
}

}  // namespace
}  // namespace weir::runtime::sim
