// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/simulator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;
using protocol::NodeId;
using testing::ElementsAre;

constexpr protocol::MessageKind kKind{.protocol = protocol::ProtocolId::kProbe, .number = 0};

// Passes messages on to the next of a ring of members until a count is used up, and tells its user
// each time. Tells its user every second that it is awake.
class Relay : public protocol::Node {
 public:
  Relay(NodeId self, std::uint64_t node_count) : self_(self), node_count_(node_count) {}

  void on_message(Instant /*now*/, NodeId /*source*/, std::string_view message,
                  protocol::Effects& effects) override {
    effects.deliver(kKind, std::string(message));
    if (message.size() > 1) {
      effects.send({self_.value % node_count_ + 1}, kKind, std::string(message.substr(1)));
    }
  }

  void on_wake(Instant now, protocol::Effects& effects) override {
    effects.deliver(kKind, "awake");
    effects.wake_at(now + Duration::seconds(1));
  }

 private:
  NodeId self_;
  std::uint64_t node_count_;
};

struct Seen {
  std::int64_t ms = 0;
  std::uint64_t node = 0;
  std::string what;

  bool operator==(const Seen&) const = default;
};

class SimulatorTest : public testing::Test {
 protected:
  void start(const SimulatorOptions& options = {}, std::uint64_t node_count = 3) {
    sim_ = std::make_unique<Simulator>(options, [node_count](NodeId node, std::uint64_t /*seed*/) {
      return std::make_unique<Relay>(node, node_count);
    });
    seen_.clear();
    sim_->on_deliver([this](Instant at, NodeId node, const protocol::Deliver& what) {
      seen_.push_back({.ms = at.nanoseconds / 1'000'000, .node = node.value, .what = what.bytes});
    });
    for (std::uint64_t i = 0; i < node_count; ++i) sim_->add();
  }

  void run_until_ms(std::int64_t ms) { sim_->run_until({Duration::milliseconds(ms).nanoseconds}); }

  std::unique_ptr<Simulator> sim_;
  std::vector<Seen> seen_;
};

TEST_F(SimulatorTest, MessagesTakeTheirLatencyAndWakesComeWhenAsked) {
  start();
  run_until_ms(0);
  EXPECT_THAT(seen_, ElementsAre(Seen{0, 1, "awake"}, Seen{0, 2, "awake"}, Seen{0, 3, "awake"}));
  seen_.clear();
  sim_->tell({2}, "xxxx");
  run_until_ms(999);
  EXPECT_THAT(seen_, ElementsAre(Seen{0, 2, "xxxx"}, Seen{10, 3, "xxx"}, Seen{20, 1, "xx"},
                                 Seen{30, 2, "x"}));
  seen_.clear();
  run_until_ms(1000);
  EXPECT_EQ(seen_.size(), 3U);
  EXPECT_EQ(sim_->costs().of(kKind).hop_count, 3U);
}

TEST_F(SimulatorTest, ACrashedMemberHearsNothingAndComesBack) {
  start();
  run_until_ms(0);
  sim_->crash({3});
  sim_->tell({2}, "xx");
  run_until_ms(1500);
  sim_->restart({3}, true);
  seen_.clear();
  run_until_ms(1500);
  EXPECT_THAT(seen_, ElementsAre(Seen{1500, 3, "awake"}));
  EXPECT_EQ(sim_->message_count(), 0U);
}

TEST_F(SimulatorTest, AMembersFirstCallIsItsWake) {
  start();
  sim_->tell({2}, "x");
  run_until_ms(0);
  sim_->crash({2});
  sim_->restart({2}, false);
  sim_->tell({2}, "y");
  run_until_ms(0);
  EXPECT_THAT(seen_, ElementsAre(Seen{0, 2, "awake"}, Seen{0, 2, "x"}, Seen{0, 1, "awake"},
                                 Seen{0, 3, "awake"}, Seen{0, 2, "awake"}, Seen{0, 2, "y"}));
}

TEST_F(SimulatorTest, GroupsDoNotHearEachOtherUntilHealed) {
  start();
  run_until_ms(0);
  sim_->network().set_group({3}, 1);
  sim_->tell({2}, "xx");
  run_until_ms(100);
  EXPECT_EQ(sim_->message_count(), 0U);
  sim_->network().heal();
  sim_->tell({2}, "xx");
  run_until_ms(200);
  EXPECT_EQ(sim_->message_count(), 1U);
}

TEST_F(SimulatorTest, ASlowMemberTakesOneMessageAfterAnother) {
  start();
  run_until_ms(0);
  sim_->set_slowness({3}, Duration::milliseconds(50));
  seen_.clear();
  for (int i = 0; i < 3; ++i) sim_->tell({2}, "xy");
  run_until_ms(500);
  EXPECT_THAT(seen_, testing::Contains(Seen{110, 3, "y"}));
}

TEST_F(SimulatorTest, ASlowMemberKeepsTheOrderOfItsMessages) {
  start();
  run_until_ms(0);
  sim_->set_slowness({3}, Duration::milliseconds(7));
  sim_->tell({2}, "xa");
  sim_->tell({2}, "xb");
  run_until_ms(7);
  sim_->tell({2}, "xc");  // arrives at the instant at which the first is done
  seen_.clear();
  run_until_ms(500);
  EXPECT_THAT(seen_, ElementsAre(Seen{10, 3, "a"}, Seen{17, 3, "b"}, Seen{24, 3, "c"}));
}

TEST_F(SimulatorTest, AMemberWithAFastClockWakesEarly) {
  start();
  run_until_ms(0);
  sim_->set_clock_drift({2}, 250'000);
  seen_.clear();
  run_until_ms(900);
  EXPECT_THAT(seen_, ElementsAre(Seen{800, 2, "awake"}));
}

TEST_F(SimulatorTest, AClockThatJumpsAheadWakesAtOnceAndOneThatJumpsBackSleepsLonger) {
  start();
  run_until_ms(500);
  sim_->set_clock_offset({1}, Duration::milliseconds(600));
  sim_->set_clock_offset({2}, Duration::milliseconds(-600));
  seen_.clear();
  run_until_ms(1400);
  EXPECT_THAT(seen_, ElementsAre(Seen{500, 1, "awake"}, Seen{1000, 3, "awake"}));
  run_until_ms(1600);
  EXPECT_THAT(seen_, testing::Contains(Seen{1600, 2, "awake"}));
}

// Asks for its next wake ten times as often as it is woken.
TEST_F(SimulatorTest, ALaterWishForAWakeReplacesTheEarlierOne) {
  class Restless : public protocol::Node {
   public:
    void on_message(Instant now, NodeId /*source*/, std::string_view message,
                    protocol::Effects& effects) override {
      effects.wake_at(now + Duration::milliseconds(message == "soon" ? 10 : 1000));
    }
    void on_wake(Instant /*now*/, protocol::Effects& effects) override {
      effects.deliver(kKind, "awake");
    }
  };
  Simulator sim({}, [](NodeId, std::uint64_t) { return std::make_unique<Restless>(); });
  std::vector<std::int64_t> wakes_ms;
  sim.on_deliver([&](Instant at, NodeId, const protocol::Deliver&) {
    wakes_ms.push_back(at.nanoseconds / 1'000'000);
  });
  const NodeId node = sim.add();
  const auto run_ms = [&](std::int64_t ms) { sim.run_until({ms * 1'000'000}); };
  run_ms(0);
  sim.tell(node, "late");
  sim.tell(node, "soon");
  run_ms(5);
  sim.tell(node, "late");
  run_ms(20);
  EXPECT_THAT(wakes_ms, ElementsAre(0));
  sim.tell(node, "soon");
  run_ms(3000);
  EXPECT_THAT(wakes_ms, ElementsAre(0, 30));
}

TEST_F(SimulatorTest, AnObserverSeesWhatIsHeardAndWhatIsDone) {
  class Log : public Observer {
   public:
    void on_hear(Instant, NodeId node, NodeId source, std::string_view message) override {
      lines.push_back(fmt::format("{} hears {} from {}", node.value, message, source.value));
    }
    void on_effect(Instant, NodeId node, const protocol::Effect& effect) override {
      lines.push_back(fmt::format("{} effect {}", node.value, effect.index()));
    }
    void on_crash(Instant, NodeId node) override {
      lines.push_back(fmt::format("{} crashes", node.value));
    }
    void on_restart(Instant, NodeId node, bool keeps_state) override {
      lines.push_back(fmt::format("{} is back {}", node.value, keeps_state));
    }
    std::vector<std::string> lines;
  };
  start();
  run_until_ms(0);
  Log log;
  sim_->watch(&log);
  sim_->crash({1});
  sim_->tell({2}, "xy");
  run_until_ms(100);
  sim_->restart({1}, false);
  EXPECT_THAT(log.lines, ElementsAre("1 crashes", "2 hears xy from 0", "2 effect 4", "2 effect 0",
                                     "3 hears y from 2", "3 effect 4", "1 is back false"));
}

TEST_F(SimulatorTest, TheSameSeedGivesTheSameEffects) {
  const auto hash = [this](std::uint64_t seed) {
    const LinkOptions link{.latency_max = Duration::milliseconds(30),
                           .loss = {.numerator = 1, .denominator = 20},
                           .duplication = {.numerator = 1, .denominator = 20},
                           .reordering = {.numerator = 1, .denominator = 10}};
    start({.seed = seed, .link = link}, 10);
    sim_->tell({4}, std::string(200, 'z'));
    run_until_ms(10'000);
    return sim_->hash();
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

// Listens to slot 0 from the start, and routes the commands of its user there.
class Listener : public protocol::Node {
 public:
  void on_message(Instant /*now*/, NodeId source, std::string_view message,
                  protocol::Effects& effects) override {
    if (source == protocol::kUser) {
      effects.route({0}, kKind, std::string(message));
    } else {
      effects.deliver(kKind, std::string(message));
    }
  }
  void on_wake(Instant /*now*/, protocol::Effects& effects) override { effects.listen(0, true); }
};

TEST(SimulatorListenTest, ARoutedMessageGoesToOneOfThoseWhoListen) {
  Simulator sim({}, [](NodeId, std::uint64_t) { return std::make_unique<Listener>(); });
  std::vector<std::uint64_t> heard;
  sim.on_deliver(
      [&](Instant, NodeId node, const protocol::Deliver&) { heard.push_back(node.value); });
  for (int i = 0; i < 3; ++i) sim.add();
  sim.run_until({Duration::seconds(1).nanoseconds});
  sim.crash({3});
  for (int i = 0; i < 20; ++i) sim.tell({1}, "x");
  sim.run_until({Duration::seconds(2).nanoseconds});
  EXPECT_EQ(heard.size(), 20U);
  EXPECT_THAT(heard, testing::Contains(1U));
  EXPECT_THAT(heard, testing::Contains(2U));
  EXPECT_THAT(heard, testing::Not(testing::Contains(3U)));
}

}  // namespace
}  // namespace weir::runtime::sim
