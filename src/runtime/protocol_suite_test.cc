// SPDX-License-Identifier: Apache-2.0
// The properties of every overlay in every world: in the simulator, and as processes over a
// nats-server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/ring.h"
#include "runtime/world_testing.h"

namespace weir::runtime {
namespace {

using Kind = Told::Kind;

std::string key_of(const std::string& word) {
  return fmt::format("{:016x}", protocol::Ring().key_of(word).value);
}

class ProtocolSuite : public testing::TestWithParam<WorldKind> {
 protected:
  ProtocolSuite() : world_(GetParam().make()) {}

  void start_all() {
    for (std::size_t i = 0; i < kWorldMembers; ++i) world_->start(i);
    be_calm(kWorldMembers);
  }
  void be_calm(std::size_t member_count) {
    ASSERT_TRUE(world_->wait([&] { return world_->is_calm(member_count); }));
  }

  std::size_t count(std::size_t member, Kind kind, const std::string& key) {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_->told(member),
        [&](const Told& told) { return told.kind == kind && told.key == key; }));
  }

  void put(std::size_t member, const std::string& word, const std::string& text) {
    const std::size_t before = count(member, Kind::kStored, key_of(word));
    world_->put(member, word, text);
    ASSERT_TRUE(world_->wait([&] {
      return count(member, Kind::kStored, key_of(word)) == before + 1;
    })) << word;
  }

  // Returns the answer to one get of a member.
  std::optional<std::string> get(std::size_t member, const std::string& word) {
    const std::size_t before = count(member, Kind::kGot, key_of(word));
    world_->get(member, word);
    const bool has_answer =
        world_->wait([&] { return count(member, Kind::kGot, key_of(word)) > before; });
    EXPECT_TRUE(has_answer) << word;
    if (!has_answer) return {};
    const auto& told = world_->told(member);
    const auto last = std::find_if(told.rbegin(), told.rend(), [&](const Told& it) {
      return it.kind == Kind::kGot && it.key == key_of(word);
    });
    return last->text;
  }

  // Returns the keys of each arrival of a member's cast number 1.
  std::vector<std::string> arrivals() {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < kWorldMembers; ++i) {
      for (const Told& told : world_->told(i)) {
        if (told.kind == Kind::kArrived) keys.push_back(told.key);
      }
    }
    return keys;
  }

  bool all_have_sum(std::int64_t sum, std::uint64_t member_count) {
    for (std::size_t i = 0; i < kWorldMembers; ++i) {
      const auto& told = world_->told(i);
      const auto last = std::find_if(told.rbegin(), told.rend(),
                                     [](const Told& it) { return it.kind == Kind::kSum; });
      if (last == told.rend() || last->number != sum || last->member_count != member_count) {
        return false;
      }
    }
    return true;
  }

  std::unique_ptr<World> world_;
};

TEST_P(ProtocolSuite, WhatIsPutIsFoundFromEverywhere) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  for (std::size_t i = 0; i < 12; ++i) {
    const std::string word = fmt::format("word-{}", i);
    ASSERT_NO_FATAL_FAILURE(put(i % kWorldMembers, word, fmt::format("text-{}", i)));
  }
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t member = 0; member < kWorldMembers; ++member) {
      EXPECT_EQ(get(member, fmt::format("word-{}", i)), fmt::format("text-{}", i));
    }
  }
  EXPECT_EQ(get(0, "never-put"), std::nullopt);
}

TEST_P(ProtocolSuite, ACastArrivesOnceForEachKeyAndOnceAtEachHome) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 40; ++i) words.push_back(fmt::format("word-{}", i));
  world_->cast(1, words);
  const auto arrived_bytes = [&] {
    std::size_t bytes = 0;
    for (const std::string& keys : arrivals()) bytes += keys.size();
    return bytes;
  };
  ASSERT_TRUE(world_->wait([&] { return arrived_bytes() >= 16 * words.size(); }));
  // A later put was answered, so no copy of the cast is on its way any more.
  ASSERT_NO_FATAL_FAILURE(put(1, "behind", "x"));
  std::string all;
  for (const std::string& keys : arrivals()) all += keys;
  EXPECT_EQ(all.size(), 16 * words.size());
  for (const std::string& word : words) EXPECT_NE(all.find(key_of(word)), std::string::npos);
  EXPECT_LE(arrivals().size(), kWorldMembers);
}

TEST_P(ProtocolSuite, ACastToTheWholeRingArrivesOnceAtEachMember) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  world_->cast_to_all(2);
  ASSERT_TRUE(world_->wait([&] { return arrivals().size() >= kWorldMembers; }));
  ASSERT_NO_FATAL_FAILURE(put(2, "behind", "x"));
  for (std::size_t i = 0; i < kWorldMembers; ++i) EXPECT_EQ(count(i, Kind::kArrived, ""), 1U) << i;
}

TEST_P(ProtocolSuite, ItemsMoveToWhoComesAndFromWhoLeaves) {
  world_->start(0);
  ASSERT_NO_FATAL_FAILURE(be_calm(1));
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_NO_FATAL_FAILURE(put(0, fmt::format("word-{}", i), fmt::format("text-{}", i)));
  }
  world_->start(1);
  world_->start(2);
  ASSERT_NO_FATAL_FAILURE(be_calm(3));
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(get(1, fmt::format("word-{}", i)), fmt::format("text-{}", i));
  }
  world_->leave(0);
  ASSERT_TRUE(world_->wait([&] { return !world_->is_calm(3); }));
  ASSERT_NO_FATAL_FAILURE(be_calm(2));
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(get(2, fmt::format("word-{}", i)), fmt::format("text-{}", i));
  }
}

TEST_P(ProtocolSuite, AfterAKillAndARestartEveryKeyHasOneHomeAgain) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  world_->kill(1);
  ASSERT_NO_FATAL_FAILURE(be_calm(2));
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_NO_FATAL_FAILURE(put(0, fmt::format("word-{}", i), "before"));
  }
  world_->start(1);
  ASSERT_NO_FATAL_FAILURE(be_calm(3));
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(get(1, fmt::format("word-{}", i)), "before");
    ASSERT_NO_FATAL_FAILURE(put(1, fmt::format("word-{}", i), "after"));
    EXPECT_EQ(get(2, fmt::format("word-{}", i)), "after");
  }
}

TEST_P(ProtocolSuite, SumsAreExactAlsoAfterAKill) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  world_->add(0, 5);
  world_->add(1, 70);
  world_->add(2, -300);
  EXPECT_TRUE(world_->wait([&] { return all_have_sum(-225, 3); }));
  world_->kill(0);
  world_->start(0);
  EXPECT_TRUE(world_->wait([&] { return all_have_sum(-230, 3); }));
}

TEST_P(ProtocolSuite, HostileBytesAndNonsenseAreCountedAndDropped) {
  ASSERT_NO_FATAL_FAILURE(start_all());
  const std::uint64_t before = world_->dropped_count(0);
  world_->send_hostile(0, "");
  world_->send_hostile(0, std::string(100, '\xff'));
  world_->send_hostile(0, std::string("\2\4\1\0\0\0\0", 7));
  // Well-formed messages that no member sends: a command, the end of a leave, an unasked answer.
  world_->send_hostile(0, std::string("\2\4\4", 3));
  world_->send_hostile(0, std::string("\2\4\3\1", 4));
  EXPECT_TRUE(world_->wait([&] { return world_->dropped_count(0) >= before + 5; }));
  ASSERT_NO_FATAL_FAILURE(be_calm(kWorldMembers));
  ASSERT_NO_FATAL_FAILURE(put(0, "still", "there"));
  EXPECT_EQ(get(1, "still"), "there");
}

INSTANTIATE_TEST_SUITE_P(Worlds, ProtocolSuite,
                         testing::Values(WorldKind{"SlotsInTheSimulator", make_slots_in_simulator},
                                         WorldKind{"ChordInTheSimulator", make_chord_in_simulator},
                                         WorldKind{"ProcessesOverNats",
                                                   [] { return make_processes(WEIR_PROGRAM); }}),
                         [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace weir::runtime
