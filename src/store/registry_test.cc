// SPDX-License-Identifier: Apache-2.0
#include "store/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "store/database.h"

namespace weir::store {
namespace {

using base::describe;
using base::Instant;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

SubscriptionRow subscription(std::uint64_t number, std::string id) {
  return {.number = number,
          .id = std::move(id),
          .owner = "alice",
          .definition = R"({"filter":"type = 'naïve'"})",
          .created = Instant{-5},
          .since_sequence = 77};
}

DeadLetterRow dead_letter(std::uint64_t number, std::uint64_t delivery) {
  return {.subscription = number,
          .delivery = delivery,
          .at = Instant{1'700'000'000'000'000'000},
          .reason = "HTTP 410",
          .events = R"([{"id":"1"}])"};
}

TokenRow token(std::string name, std::string lookup) {
  return {.name = std::move(name),
          .lookup = std::move(lookup),
          .hash = "$argon2id$...",
          .grants = "{}",
          .created = Instant{3}};
}

class RegistryTest : public testing::Test {
 protected:
  std::unique_ptr<Registry> open() {
    auto registry = Registry::open(file_);
    EXPECT_EQ(describe(registry), "ok");
    return std::move(registry).value();
  }

  void apply(const std::vector<RegistryChange>& changes) {
    ASSERT_EQ(describe(registry_->apply(changes)), "ok");
  }

  RegistryContents contents() {
    auto contents = registry_->contents();
    EXPECT_EQ(describe(contents), "ok");
    return std::move(contents).value();
  }

  void reopen() {
    registry_.reset();
    registry_ = open();
  }

  std::vector<std::uint64_t> dead_letters(std::uint64_t number, std::uint64_t after,
                                          std::size_t count_max) {
    std::vector<std::uint64_t> deliveries;
    const auto rows = registry_->dead_letters(number, after, count_max);
    EXPECT_EQ(describe(rows), "ok");
    for (const DeadLetterRow& row : *rows) deliveries.push_back(row.delivery);
    return deliveries;
  }

  base::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "registry.db";
  std::unique_ptr<Registry> registry_ = open();
};

TEST_F(RegistryTest, KeepsTheSecretsOfSinksWithTheirSubscription) {
  apply({subscription(1, "a"), subscription(2, "b"), SinkSecretsRow{1, "{}"},
         SinkSecretsRow{2, R"({"secret":"x"})"}, SinkSecretsRow{3, "{}"}});
  apply({SinkSecretsRow{1, R"({"secret":"y"})"}});
  reopen();
  const std::vector<SinkSecretsRow> expected = {{1, R"({"secret":"y"})"}, {2, R"({"secret":"x"})"}};
  EXPECT_EQ(contents().sink_secrets, expected) << "none of a subscription that is not there";
  apply({RemoveSinkSecrets{1}, RemoveSubscription{2}});
  EXPECT_TRUE(contents().sink_secrets.empty());
}

TEST_F(RegistryTest, IsEmptyWhenNew) {
  const RegistryContents empty = contents();
  EXPECT_TRUE(empty.subscriptions.empty());
  EXPECT_TRUE(empty.cursors.empty());
  EXPECT_TRUE(empty.checkpoints.empty());
  EXPECT_TRUE(empty.shared_states.empty());
  EXPECT_EQ(empty.checkpoint_sequence, 0U);
  EXPECT_EQ(empty.last_subscription_number, 0U);
  EXPECT_TRUE(registry_->tokens()->empty());
  EXPECT_EQ(describe(registry_->apply({})), "ok");
}

TEST_F(RegistryTest, ReadsBackEveryKindOfRowAfterReopening) {
  const CursorRow cursor{.subscription = 2,
                         .settled_through = 9,
                         .scan_sequence = kMax,
                         .settled_beyond = std::string("\0\1", 2),
                         .counts = {1, 2, 3, 1, 1, 3}};
  const CheckpointRow checkpoint{.subscription = 1, .state = std::string("\0\xff\x80", 3)};
  const SharedState first{.name = "a", .state = ""};
  const SharedState second{.name = "b", .state = std::string(100'000, '\0')};
  apply({subscription(2, "two"), subscription(1, "one"), cursor, checkpoint, second, first,
         CheckpointMark{.sequence = 1234}, dead_letter(1, 5)});
  reopen();

  const RegistryContents read = contents();
  EXPECT_EQ(read.subscriptions, (std::vector{subscription(1, "one"), subscription(2, "two")}));
  EXPECT_EQ(read.cursors, std::vector{cursor});
  EXPECT_EQ(read.checkpoints, std::vector{checkpoint});
  EXPECT_EQ(read.shared_states, (std::vector{first, second}));
  EXPECT_EQ(read.checkpoint_sequence, 1234U);
  EXPECT_EQ(read.last_subscription_number, 2U);
  EXPECT_EQ(*registry_->dead_letters(1, 0, 10), std::vector{dead_letter(1, 5)});
}

TEST_F(RegistryTest, PutsARowInPlaceOfOneWithTheSameNumber) {
  apply({subscription(1, "one"), CursorRow{1, 1, 1}, CheckpointRow{1, "a"}, dead_letter(1, 5),
         SharedState{"s", "old"}, CheckpointMark{9}});
  DeadLetterRow letter = dead_letter(1, 5);
  letter.reason = "HTTP 500";
  apply({subscription(1, "renamed"), CursorRow{1, 2, 3}, CheckpointRow{1, "b"}, letter,
         SharedState{"s", "new"}, CheckpointMark{4}});

  const RegistryContents read = contents();
  EXPECT_EQ(read.subscriptions, std::vector{subscription(1, "renamed")});
  EXPECT_EQ(read.cursors, (std::vector{CursorRow{1, 2, 3}}));
  EXPECT_EQ(read.checkpoints, (std::vector{CheckpointRow{1, "b"}}));
  EXPECT_EQ(read.shared_states, (std::vector{SharedState{"s", "new"}}));
  EXPECT_EQ(read.checkpoint_sequence, 4U);
  EXPECT_EQ(*registry_->dead_letters(1, 0, 10), std::vector{letter});
}

std::string random_state(base::Prng& prng, std::size_t byte_count) {
  std::string state(byte_count, '\0');
  for (char& byte : state) byte = static_cast<char>(prng.next());
  return state;
}

// Of a state that is saved again and again, what stays is not written again.
TEST_F(RegistryTest, WritesOnlyTheChunksOfAStateThatAreNew) {
  base::Prng prng(1);
  std::string state = random_state(prng, 3'000'000);
  apply({subscription(1, "one"), CheckpointRow{1, state}});
  const auto database = Database::open(file_, {});
  const auto count = [&](std::string_view where) {
    return *(*database)->query_integer(
        fmt::format("SELECT count(*) FROM checkpoint_chunks WHERE {}", where));
  };
  const auto newest = (*database)->query_integer("SELECT max(rowid) FROM checkpoint_chunks");
  const std::int64_t before = count("true");
  EXPECT_GT(before, 20);
  state[1'500'000] = static_cast<char>(~state[1'500'000]);
  apply({CheckpointRow{1, state}});
  EXPECT_LE(count(fmt::format("rowid > {}", *newest)), 2);
  EXPECT_LE(count("true"), before + 1) << "what is no longer used is gone";
  EXPECT_TRUE(contents().checkpoints == (std::vector{CheckpointRow{1, state}}));
  apply({CheckpointRow{1, ""}});
  EXPECT_EQ(count("true"), 0);
  EXPECT_EQ(contents().checkpoints, (std::vector{CheckpointRow{1, ""}}));
}

TEST_F(RegistryTest, ReadsBackWhateverWasWrittenLast) {
  base::Prng prng(2);
  apply({subscription(1, "one"), subscription(2, "two")});
  const std::string part = random_state(prng, 200'000);
  std::array<std::string, 2> states;
  for (int i = 0; i < 40; ++i) {
    const std::size_t which = prng.below(2);
    states[which] = random_state(prng, prng.below(100'000));
    for (std::uint64_t parts = prng.below(4); parts > 0; --parts) states[which] += part;
    apply({CheckpointRow{which + 1, states[which]}});
    for (const CheckpointRow& row : contents().checkpoints) {
      ASSERT_TRUE(row.state == states[row.subscription - 1]) << i;
    }
  }
}

TEST_F(RegistryTest, LeavesOutWhatBelongsToNoSubscription) {
  apply({CursorRow{7, 1, 1}, CheckpointRow{7, "a"}, dead_letter(7, 5), RemoveSubscription{7},
         RemoveCheckpoint{7}, RemoveDeadLetter{7, 5}});
  const RegistryContents read = contents();
  EXPECT_TRUE(read.cursors.empty());
  EXPECT_TRUE(read.checkpoints.empty());
  EXPECT_EQ(registry_->dead_letter_count(7).value(), 0U);
}

TEST_F(RegistryTest, RemovesASubscriptionWithAllThatIsItsOwn) {
  apply({subscription(1, "one"), subscription(2, "two"), CursorRow{1, 1, 1}, CursorRow{2, 1, 1},
         CheckpointRow{1, "a"}, CheckpointRow{2, "b"}, dead_letter(1, 5), dead_letter(2, 5)});
  apply({RemoveSubscription{1}});

  const RegistryContents read = contents();
  EXPECT_EQ(read.subscriptions, std::vector{subscription(2, "two")});
  EXPECT_EQ(read.cursors, (std::vector{CursorRow{2, 1, 1}}));
  EXPECT_EQ(read.checkpoints, (std::vector{CheckpointRow{2, "b"}}));
  EXPECT_EQ(registry_->dead_letter_count(1).value(), 0U);
  EXPECT_EQ(registry_->dead_letter_count(2).value(), 1U);
}

TEST_F(RegistryTest, RemovesOneCheckpointAndOneDeadLetter) {
  apply({subscription(1, "one"), subscription(2, "two"), CheckpointRow{1, "a"},
         CheckpointRow{2, "b"}, dead_letter(1, 5), dead_letter(1, 6), dead_letter(2, 5)});
  apply({RemoveCheckpoint{1}, RemoveDeadLetter{1, 5}});
  EXPECT_EQ(contents().checkpoints, (std::vector{CheckpointRow{2, "b"}}));
  EXPECT_EQ(dead_letters(1, 0, 10), std::vector<std::uint64_t>{6});
  EXPECT_EQ(dead_letters(2, 0, 10), std::vector<std::uint64_t>{5});
}

TEST_F(RegistryTest, RemembersTheHighestNumberEverGiven) {
  apply({subscription(1, "one"), subscription(9, "nine"), subscription(3, "three")});
  apply({RemoveSubscription{9}, RemoveSubscription{3}});
  reopen();
  EXPECT_EQ(contents().last_subscription_number, 9U);
}

TEST_F(RegistryTest, AppliesAllChangesOrNone) {
  apply({subscription(1, "one"), CursorRow{1, 1, 1}});
  const std::vector<RegistryChange> changes = {CursorRow{1, 2, 2}, subscription(8, "eight"),
                                               CheckpointMark{5}, subscription(9, "one"),
                                               RemoveSubscription{1}};
  const auto applied = registry_->apply(changes);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(describe(applied),
            "store.database - " + file_.string() + ": UNIQUE constraint failed: subscriptions.id");

  const RegistryContents read = contents();
  EXPECT_EQ(read.subscriptions, std::vector{subscription(1, "one")});
  EXPECT_EQ(read.cursors, (std::vector{CursorRow{1, 1, 1}}));
  EXPECT_EQ(read.checkpoint_sequence, 0U);
  EXPECT_EQ(read.last_subscription_number, 1U);
  apply({subscription(2, "two")});
  EXPECT_EQ(contents().subscriptions.size(), 2U);
}

TEST_F(RegistryTest, GivesAnIdToAnotherSubscriptionWithinOneChangeList) {
  apply({subscription(1, "one")});
  apply({RemoveSubscription{1}, subscription(2, "one")});
  EXPECT_EQ(contents().subscriptions, std::vector{subscription(2, "one")});
}

TEST_F(RegistryTest, PagesThroughDeadLettersOldestFirst) {
  apply({subscription(1, "one"), subscription(2, "two"), dead_letter(1, 30), dead_letter(1, 10),
         dead_letter(1, 40), dead_letter(1, 20), dead_letter(2, 15)});
  using Deliveries = std::vector<std::uint64_t>;
  EXPECT_EQ(dead_letters(1, 0, 3), (Deliveries{10, 20, 30}));
  EXPECT_EQ(dead_letters(1, 30, 3), Deliveries{40});
  EXPECT_EQ(dead_letters(1, 25, 1), Deliveries{30});
  EXPECT_EQ(dead_letters(1, 40, 3), Deliveries{});
  EXPECT_EQ(dead_letters(1, kMax, 3), Deliveries{});
  EXPECT_EQ(dead_letters(1, 0, 0), Deliveries{});
  EXPECT_EQ(dead_letters(1, 0, std::numeric_limits<std::size_t>::max()).size(), 4U);
  EXPECT_EQ(dead_letters(3, 0, 3), Deliveries{});
  EXPECT_EQ(registry_->dead_letter_count(1).value(), 4U);
}

TEST_F(RegistryTest, KeepsTokens) {
  TokenRow expiring = token("b", "l2");
  expiring.expires = Instant{0};
  TokenRow revoked = token("c", "l3");
  revoked.revoked = true;
  for (const TokenRow& row : {revoked, expiring, token("a", "l1")}) {
    ASSERT_EQ(describe(registry_->add_token(row)), "ok");
  }
  reopen();
  EXPECT_EQ(*registry_->tokens(), (std::vector{token("a", "l1"), expiring, revoked}));
}

TEST_F(RegistryTest, RefusesATokenWhoseNameOrLookupIsTaken) {
  ASSERT_EQ(describe(registry_->add_token(token("a", "l1"))), "ok");
  EXPECT_EQ(describe(registry_->add_token(token("a", "l2"))),
            "store.database - " + file_.string() + ": UNIQUE constraint failed: tokens.name");
  EXPECT_EQ(describe(registry_->add_token(token("b", "l1"))),
            "store.database - " + file_.string() + ": UNIQUE constraint failed: tokens.lookup");
  EXPECT_EQ(registry_->tokens()->size(), 1U);
}

TEST_F(RegistryTest, RevokesATokenOnce) {
  ASSERT_EQ(describe(registry_->add_token(token("a", "l1"))), "ok");
  EXPECT_TRUE(registry_->revoke_token("a").value());
  EXPECT_TRUE(registry_->revoke_token("a").value());
  EXPECT_FALSE(registry_->revoke_token("b").value());
  EXPECT_TRUE(registry_->tokens()->at(0).revoked);
}

TEST_F(RegistryTest, RotatesATokenAndKeepsItsFormerSecretsUntilTheirTimes) {
  ASSERT_EQ(describe(registry_->add_token(token("a", "l1"))), "ok");
  ASSERT_EQ(describe(registry_->add_token(token("b", "m1"))), "ok");
  const auto rotate = [this](std::string lookup, std::int64_t now, std::int64_t until) {
    return registry_->rotate_token({.name = "a",
                                    .lookup = lookup,
                                    .hash = "hash of " + lookup,
                                    .now = Instant{now},
                                    .former_until = Instant{until}});
  };
  EXPECT_TRUE(rotate("l2", 100, 150).value());
  EXPECT_TRUE(rotate("l3", 110, 200).value());
  registry_ = open();
  TokenRow expected = token("a", "l3");
  expected.hash = "hash of l3";
  expected.former = {{"l1", "$argon2id$...", Instant{150}}, {"l2", "hash of l2", Instant{200}}};
  EXPECT_EQ(*registry_->tokens(), (std::vector{expected, token("b", "m1")}));

  EXPECT_TRUE(rotate("l4", 150, 150).value()) << "without an overlap";
  expected.lookup = "l4";
  expected.hash = "hash of l4";
  expected.former = {{"l2", "hash of l2", Instant{200}}};
  EXPECT_EQ(registry_->tokens()->at(0), expected);
}

TEST_F(RegistryTest, RotatesNoTokenThatIsUnknownOrRevoked) {
  ASSERT_EQ(describe(registry_->add_token(token("a", "l1"))), "ok");
  const TokenRotation known{
      .name = "a", .lookup = "l2", .hash = "h", .now = Instant{1}, .former_until = Instant{9}};
  TokenRotation unknown = known;
  unknown.name = "b";
  EXPECT_FALSE(registry_->rotate_token(unknown).value());
  EXPECT_TRUE(registry_->rotate_token(known).value());
  EXPECT_TRUE(registry_->revoke_token("a").value());
  EXPECT_TRUE(registry_->tokens()->at(0).former.empty()) << "nothing of it is valid";
  TokenRotation revoked = known;
  revoked.lookup = "l3";
  EXPECT_FALSE(registry_->rotate_token(revoked).value());
  EXPECT_EQ(registry_->tokens()->at(0).lookup, "l2");
  EXPECT_TRUE(registry_->tokens()->at(0).former.empty());
}

TEST_F(RegistryTest, TellsWhetherAnotherHasWritten) {
  EXPECT_FALSE(registry_->changed_by_others().value());
  ASSERT_EQ(describe(registry_->add_token(token("a", "l1"))), "ok");
  EXPECT_FALSE(registry_->changed_by_others().value()) << "it was itself";
  {
    const auto other = open();
    EXPECT_EQ(other->tokens()->size(), 1U);
  }
  EXPECT_FALSE(registry_->changed_by_others().value()) << "the other has read only";
  ASSERT_TRUE(open()->revoke_token("a").value());
  EXPECT_TRUE(registry_->changed_by_others().value());
  EXPECT_FALSE(registry_->changed_by_others().value()) << "nothing more since";
}

}  // namespace
}  // namespace weir::store
