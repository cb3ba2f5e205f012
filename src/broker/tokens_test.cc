// SPDX-License-Identifier: Apache-2.0
#include "broker/tokens.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"

namespace weir::broker {
namespace {

using base::describe;
using base::Duration;
using base::Instant;

constexpr Instant kNow{1'000'000'000};
constexpr std::string_view kRefusal = "broker.unauthenticated - no valid token was presented";

// Cheap, counted, and with a place to step in.
class CountingHasher final : public SecretHasher {
 public:
  base::Result<std::string> hash(std::string_view secret) const override {
    return "hash of " + std::string(secret);
  }
  base::Result<bool> verify(const std::string& hash, std::string_view secret) const override {
    ++verification_count;
    const int inside = ++inside_count;
    int most = inside_count_most;
    while (inside > most && !inside_count_most.compare_exchange_weak(most, inside)) {
    }
    if (during_verify) during_verify();
    --inside_count;
    if (is_out_of_memory) return base::Error{base::ErrorId::kBrokerBusy, "no memory", {}};
    return hash == "hash of " + std::string(secret);
  }
  bool could_be(std::string_view hash, std::string_view secret) const override {
    return !has_checks || hash == "hash of " + std::string(secret);
  }

  mutable std::atomic<int> verification_count = 0;
  mutable std::atomic<int> inside_count = 0;
  mutable std::atomic<int> inside_count_most = 0;
  std::function<void()> during_verify;
  bool is_out_of_memory = false;
  bool has_checks = false;  // hashes rule out wrong secrets
};

class TokensTest : public testing::Test {
 protected:
  std::string create(std::string_view name, std::optional<Instant> expires = {}) {
    auto token = tokens_.create(*registry_, name, grants_, expires, kNow);
    EXPECT_EQ(describe(token), "ok");
    reload();
    return token.value().text;
  }

  std::string rotate(std::string_view name, Duration overlap, Instant now = kNow) {
    auto token = tokens_.rotate(*registry_, name, overlap, now);
    EXPECT_EQ(describe(token), "ok");
    return token ? token->text : std::string();
  }

  std::string authenticate(std::string_view text, Instant now = kNow) {
    const auto principal = tokens_.authenticate(text, now);
    return principal ? (*principal)->name : describe(principal);
  }

  TokenChanges reload(Instant now = kNow) {
    auto changes = tokens_.reload(*registry_, now);
    EXPECT_EQ(describe(changes), "ok");
    return std::move(changes).value();
  }

  base::TemporaryDirectory directory_;
  std::unique_ptr<store::Registry> registry_ =
      store::Registry::open(directory_ / "registry.db").value();
  CountingHasher hasher_;
  Grants grants_{.publish = {{"/nyse/", ""}}, .subscribe = {{}}};
  Tokens tokens_{TokensOptions{.failure_count_max = 3}, hasher_};
};

// A token's text with another last character of its secret.
std::string tampered(std::string text) {
  text.back() = text.back() == 'A' ? 'B' : 'A';
  return text;
}

TEST_F(TokensTest, TellWhoPresentsAToken) {
  const std::string alice = create("alice");
  const std::string bob = create("bob");
  EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(authenticate(bob), "bob");
  EXPECT_EQ(tokens_.authenticate(alice, kNow).value()->grants, grants_);
  EXPECT_EQ(tokens_.authenticate(alice, kNow).value()->lookup, split_token(alice)->lookup);
  EXPECT_EQ(tokens_.find("alice")->grants, grants_);
  EXPECT_EQ(tokens_.find("alice")->lookup, "") << "an owner is one whatever its secret";
  EXPECT_EQ(tokens_.find("carol"), nullptr);
}

TEST_F(TokensTest, KeepNoSecretInTheRegistry) {
  const auto made = tokens_.create(*registry_, "alice", grants_, Instant{2'000'000'000}, kNow);
  ASSERT_EQ(describe(made), "ok");
  const store::TokenRow row = registry_->tokens().value().at(0);
  EXPECT_EQ(row, made->row);
  EXPECT_EQ(row.name, "alice");
  EXPECT_EQ(row.lookup, split_token(made->text)->lookup);
  EXPECT_EQ(row.grants, grants_.to_json());
  EXPECT_EQ(row.created, kNow);
  EXPECT_EQ(row.expires, Instant{2'000'000'000});
  EXPECT_FALSE(row.revoked);
}

TEST_F(TokensTest, RefuseEveryBadTokenWithTheSameError) {
  const std::string good = create("alice");
  const std::string expired = create("bob", kNow + Duration::seconds(1));
  const std::string revoked = create("carol");
  ASSERT_TRUE(registry_->revoke_token("carol").value());
  reload();
  std::string other_lookup = good;
  other_lookup[5] = good[5] == '0' ? '1' : '0';
  const std::string mixed = good.substr(0, 22) + expired.substr(22);
  for (const std::string& text :
       {std::string(), std::string("weir_"), good + " ", good.substr(1), tampered(good),
        other_lookup, mixed, expired, revoked, make_token_text()}) {
    EXPECT_EQ(authenticate(text, kNow + Duration::seconds(1)), kRefusal) << text;
    EXPECT_EQ(authenticate(text, kNow + Duration::seconds(1)), kRefusal) << text;
  }
  EXPECT_EQ(authenticate(good, kNow + Duration::seconds(1)), "alice");
}

TEST_F(TokensTest, VerifyAGoodTokenOnce) {
  const std::string alice = create("alice");
  EXPECT_FALSE(tokens_.recall(alice, kNow).has_value());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(hasher_.verification_count, 1);
  ASSERT_TRUE(tokens_.recall(alice, kNow).has_value());
  EXPECT_EQ(tokens_.recall(alice, kNow)->value()->name, "alice");
}

TEST_F(TokensTest, VerifyAWrongSecretOnce) {
  const std::string wrong_secret = tampered(create("alice"));
  EXPECT_FALSE(tokens_.recall(wrong_secret, kNow).has_value());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(authenticate(wrong_secret), kRefusal);
  EXPECT_EQ(hasher_.verification_count, 1);
  EXPECT_EQ(describe(*tokens_.recall(wrong_secret, kNow)), kRefusal);
}

TEST_F(TokensTest, VerifyNothingWhosePublicPartIsUnknown) {
  create("alice");
  for (int i = 0; i < 10; ++i) {
    const std::string unknown = make_token_text();
    EXPECT_EQ(describe(*tokens_.recall(unknown, kNow)), kRefusal) << "at once";
    EXPECT_EQ(authenticate(unknown), kRefusal);
  }
  EXPECT_EQ(hasher_.verification_count, 0);
}

TEST_F(TokensTest, VerifyNothingThatTheCheckRulesOut) {
  const std::string alice = create("alice");
  hasher_.has_checks = true;
  EXPECT_EQ(describe(*tokens_.recall(tampered(alice), kNow)), kRefusal) << "at once";
  EXPECT_EQ(authenticate(tampered(alice)), kRefusal);
  EXPECT_EQ(hasher_.verification_count, 0);
  EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(hasher_.verification_count, 1);
}

TEST_F(TokensTest, VerifyNoOtherSecretOnceTheRightOneIsKnown) {
  const std::string alice = create("alice");
  EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(describe(*tokens_.recall(tampered(alice), kNow)), kRefusal) << "at once";
  EXPECT_EQ(hasher_.verification_count, 1);
  EXPECT_EQ(authenticate(alice), "alice");
}

TEST_F(TokensTest, VerifyNothingThatHasNotTheShapeOfAToken) {
  for (const std::string_view text : {"", "weir_", "Bearer x", "weir_0123456789abcdef_short"}) {
    EXPECT_EQ(authenticate(text), kRefusal);
    EXPECT_EQ(describe(*tokens_.recall(text, kNow)), kRefusal);
  }
  EXPECT_EQ(hasher_.verification_count, 0);
}

TEST_F(TokensTest, RememberOnlyTheLastFewBadTokens) {
  std::vector<std::string> texts;
  for (const char* const name : {"a", "b", "c", "d"}) texts.push_back(tampered(create(name)));
  for (const std::string& text : texts) EXPECT_EQ(authenticate(text), kRefusal);
  EXPECT_FALSE(tokens_.recall(texts[0], kNow).has_value());
  EXPECT_TRUE(tokens_.recall(texts[1], kNow).has_value());
  EXPECT_TRUE(tokens_.recall(texts[3], kNow).has_value());
}

TEST_F(TokensTest, AreNotMisledByAWrongSecretAboutTheRightOne) {
  const std::string alice = create("alice");
  EXPECT_EQ(authenticate(tampered(alice)), kRefusal);
  EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(authenticate(tampered(alice)), kRefusal);
  EXPECT_EQ(authenticate(alice), "alice");
  EXPECT_EQ(hasher_.verification_count, 2);
}

TEST_F(TokensTest, ExpireAtTheirTime) {
  const Instant end = kNow + Duration::seconds(10);
  const std::string alice = create("alice", end);
  EXPECT_EQ(authenticate(alice, Instant{end.nanoseconds - 1}), "alice");
  EXPECT_EQ(authenticate(alice, end), kRefusal);
  EXPECT_EQ(hasher_.verification_count, 1);
  EXPECT_EQ(tokens_.find("alice")->expires, end);
}

TEST_F(TokensTest, ForgetRevokedTokensAtAReload) {
  const std::string alice = create("alice");
  const std::string bob = create("bob");
  const PrincipalPtr kept = tokens_.authenticate(bob, kNow).value();
  EXPECT_EQ(authenticate(alice), "alice");
  ASSERT_TRUE(registry_->revoke_token("alice").value());
  EXPECT_EQ(authenticate(alice), "alice");

  EXPECT_EQ(reload().gone, std::vector<std::string>{"alice"});
  EXPECT_EQ(authenticate(alice), kRefusal);
  EXPECT_EQ(tokens_.find("alice"), nullptr);
  EXPECT_EQ(reload().gone, std::vector<std::string>{});

  hasher_.verification_count = 0;
  EXPECT_EQ(tokens_.authenticate(bob, kNow).value(), kept);
  EXPECT_EQ(hasher_.verification_count, 0);
}

TEST_F(TokensTest, LearnAtAReloadOfTokensThatAnotherProcessMade) {
  Tokens other({}, hasher_);
  const std::string text = other.create(*registry_, "alice", grants_, {}, kNow).value().text;
  EXPECT_EQ(authenticate(text), kRefusal);
  EXPECT_EQ(authenticate(text), kRefusal);
  const TokenChanges changes = reload();
  EXPECT_TRUE(changes.gone.empty());
  EXPECT_TRUE(changes.unreadable.empty());
  EXPECT_EQ(authenticate(text), "alice");
}

TEST_F(TokensTest, DoNotHoldAgainstATokenWhatWasFoundBeforeAReload) {
  const std::string alice = create("alice");
  hasher_.during_verify = [this] { reload(); };
  EXPECT_EQ(authenticate(tampered(alice)), kRefusal);
  hasher_.during_verify = nullptr;
  EXPECT_FALSE(tokens_.recall(tampered(alice), kNow).has_value()) << "nothing is known of it";
}

TEST_F(TokensTest, RefuseATokenThatIsRevokedWhileItIsVerified) {
  const std::string alice = create("alice");
  ASSERT_TRUE(registry_->revoke_token("alice").value());
  hasher_.during_verify = [this] { reload(); };
  EXPECT_EQ(authenticate(alice), kRefusal);
}

TEST_F(TokensTest, TellOfRowsWithoutReadableGrantsAndUseTheRest) {
  const std::string bob = create("bob");
  ASSERT_EQ(describe(registry_->add_token({.name = "alice",
                                           .lookup = "0123456789abcdef",
                                           .hash = "h",
                                           .grants = R"({"pubish":[]})",
                                           .created = kNow})),
            "ok");
  const TokenChanges changes = reload();
  ASSERT_EQ(changes.unreadable.size(), 1U);
  EXPECT_EQ(describe(changes.unreadable[0]),
            "broker.token - the grants of token 'alice': line 1, column 2: grants has no member "
            "'pubish': did you mean 'publish'?; expected publish, subscribe, block, admin");
  EXPECT_EQ(tokens_.find("alice"), nullptr);
  EXPECT_EQ(authenticate(bob), "bob");
}

TEST_F(TokensTest, RefuseToMakeWhatIsMalformed) {
  const auto make = [this](std::string_view name, std::optional<Instant> expires) {
    return describe(tokens_.create(*registry_, name, grants_, expires, kNow));
  };
  EXPECT_EQ(make("", {}), "broker.token - expected a name of 1 to 64 letters, digits and . _ -");
  EXPECT_EQ(make("a b", {}), "broker.token - expected a name of 1 to 64 letters, digits and . _ -");
  EXPECT_EQ(make("a", kNow), "broker.token - expected a time to expire that is to come");
  EXPECT_TRUE(registry_->tokens()->empty());
  create("a");
  EXPECT_EQ(make("a", {}),
            "broker.token_exists - there is, or was, already a token 'a': expected another name");
  ASSERT_TRUE(registry_->revoke_token("a").value());
  EXPECT_EQ(make("a", {}),
            "broker.token_exists - there is, or was, already a token 'a': expected another name");
}

TEST_F(TokensTest, KeepAFormerSecretForTheOverlap) {
  const std::string first = create("alice", kNow + Duration::seconds(1000));
  EXPECT_EQ(authenticate(first), "alice");
  const PrincipalPtr owner = tokens_.find("alice");
  const std::string second = rotate("alice", Duration::seconds(10));
  EXPECT_EQ(authenticate(second), kRefusal) << "not read yet";
  const TokenChanges changes = reload();
  EXPECT_TRUE(changes.gone.empty());
  EXPECT_TRUE(changes.ended.empty());
  hasher_.verification_count = 0;
  EXPECT_EQ(authenticate(first), "alice");
  EXPECT_EQ(hasher_.verification_count, 0) << "it was verified before";
  EXPECT_EQ(authenticate(second), "alice");
  EXPECT_EQ(tokens_.authenticate(second, kNow).value()->grants, grants_);
  EXPECT_EQ(tokens_.authenticate(second, kNow).value()->expires, kNow + Duration::seconds(1000));
  EXPECT_EQ(tokens_.find("alice"), owner);

  const Instant end = kNow + Duration::seconds(10);
  EXPECT_EQ(authenticate(first, Instant{end.nanoseconds - 1}), "alice");
  EXPECT_EQ(authenticate(first, end), kRefusal) << "also before anybody cleans up";
  EXPECT_TRUE(tokens_.end_overlaps(Instant{end.nanoseconds - 1}).empty());
  EXPECT_EQ(tokens_.end_overlaps(end), std::vector{std::string(split_token(first)->lookup)});
  EXPECT_TRUE(tokens_.end_overlaps(end).empty());
  EXPECT_EQ(authenticate(second, end), "alice");
}

TEST_F(TokensTest, KeepEachFormerSecretUntilItsOwnTime) {
  const std::string first = create("alice");
  const std::string second = rotate("alice", Duration::seconds(10));
  const std::string third = rotate("alice", Duration::seconds(30));
  reload();
  for (const std::string& text : {first, second, third}) EXPECT_EQ(authenticate(text), "alice");
  const Instant later = kNow + Duration::seconds(10);
  EXPECT_EQ(reload(later).ended, std::vector{std::string(split_token(first)->lookup)});
  EXPECT_EQ(authenticate(first, later), kRefusal);
  EXPECT_EQ(authenticate(second, later), "alice");
  rotate("alice", Duration::seconds(30), later);
  EXPECT_EQ(registry_->tokens()->at(0).former.size(), 2U) << "the expired one is removed";
}

TEST_F(TokensTest, EndASecretAtOnceWithoutAnOverlap) {
  const std::string first = create("alice");
  const std::string second = rotate("alice", Duration{});
  EXPECT_EQ(reload().ended, std::vector{std::string(split_token(first)->lookup)});
  EXPECT_EQ(authenticate(first), kRefusal);
  EXPECT_EQ(authenticate(second), "alice");
}

TEST_F(TokensTest, EndAllSecretsOfARevokedName) {
  const std::string first = create("alice");
  const std::string second = rotate("alice", Duration::seconds(10));
  reload();
  ASSERT_EQ(describe(tokens_.revoke(*registry_, "alice")), "ok");
  const TokenChanges changes = reload();
  EXPECT_EQ(changes.gone, std::vector<std::string>{"alice"});
  EXPECT_TRUE(changes.ended.empty()) << "they end with the name";
  EXPECT_EQ(authenticate(first), kRefusal);
  EXPECT_EQ(authenticate(second), kRefusal);
}

TEST_F(TokensTest, RefuseToRotateOrRevokeWhatIsNotThere) {
  const auto rotated = [this](std::string_view name, Duration overlap) {
    return describe(tokens_.rotate(*registry_, name, overlap, kNow));
  };
  EXPECT_EQ(rotated("nobody", {}), "broker.no_such_token - there is no token 'nobody'");
  EXPECT_EQ(describe(tokens_.revoke(*registry_, "nobody")),
            "broker.no_such_token - there is no token 'nobody'");
  create("alice");
  EXPECT_EQ(rotated("alice", Duration::seconds(-1)),
            "broker.token - expected an overlap from 0s to 366d");
  EXPECT_EQ(rotated("alice", Duration::seconds(367 * 24 * 3600)),
            "broker.token - expected an overlap from 0s to 366d");
  for (std::size_t i = 0; i < kFormerSecretCountMax; ++i) rotate("alice", Duration::seconds(60));
  EXPECT_EQ(
      rotated("alice", Duration::seconds(60)),
      "broker.token - 16 former secrets of token 'alice' are still valid, the limit: expected "
      "an overlap of 0s");
  EXPECT_EQ(rotated("alice", {}), "ok");
  ASSERT_EQ(describe(tokens_.revoke(*registry_, "alice")), "ok");
  EXPECT_EQ(describe(tokens_.revoke(*registry_, "alice")), "ok");
  EXPECT_EQ(rotated("alice", {}), "broker.no_such_token - there is no token 'alice'");
}

TEST_F(TokensTest, DoNotHoldALackOfMemoryAgainstAToken) {
  const std::string alice = create("alice");
  hasher_.is_out_of_memory = true;
  EXPECT_EQ(authenticate(alice), "broker.busy - no memory");
  hasher_.is_out_of_memory = false;
  EXPECT_EQ(authenticate(alice), "alice");
}

TEST_F(TokensTest, VerifyTwoAtATimeLetSomeWaitAndRefuseMore) {
  const std::string alice = create("alice");
  Tokens tokens({.verification = {.inside_count_max = 2, .waiting_count_max = 1}}, hasher_);
  ASSERT_EQ(describe(tokens.reload(*registry_, kNow)), "ok");
  std::latch two_inside(2);
  std::latch go(1);
  std::atomic<bool> is_open = false;
  hasher_.during_verify = [&] {
    if (is_open) return;
    two_inside.count_down();
    go.wait();
  };
  std::atomic<int> refused_count = 0;
  std::atomic<int> busy_count = 0;
  const auto present = [&] {
    const std::string wrong_secret = alice.substr(0, 22) + make_token_text().substr(22);
    const auto result = tokens.authenticate(wrong_secret, kNow);
    ++(result.error().id == base::ErrorId::kBrokerBusy ? busy_count : refused_count);
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(present);
    two_inside.wait();
    // Of four more, one waits; the last of the other three knows that they are refused.
    for (int i = 0; i < 4; ++i) threads.emplace_back(present);
    while (busy_count < 3) std::this_thread::yield();
    is_open = true;
    go.count_down();
  }
  EXPECT_EQ(busy_count, 3);
  EXPECT_EQ(refused_count, 3);
  EXPECT_EQ(hasher_.inside_count_most, 2);
}

TEST_F(TokensTest, TakeCallsFromSeveralThreads) {
  const std::string alice = create("alice");
  const std::string bob = create("bob");
  const std::string bad = tampered(alice);
  std::atomic<int> good_count = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          good_count += tokens_.authenticate(alice, kNow).has_value() ? 1U : 0U;
          good_count += tokens_.authenticate(bob, kNow).has_value() ? 1U : 0U;
          good_count += tokens_.authenticate(bad, kNow).has_value() ? 1U : 0U;
          good_count += tokens_.find("alice") != nullptr ? 1U : 0U;
        }
      });
    }
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) reload();
      create("carol");
    });
  }
  EXPECT_EQ(good_count, 4 * 200 * 3);
  EXPECT_NE(tokens_.find("carol"), nullptr);
  EXPECT_LE(hasher_.inside_count_most, 2);
}

TEST_F(TokensTest, VerifyOneTokenFromManyThreadsAtMostTwice) {
  const std::string alice = create("alice");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] { EXPECT_EQ(authenticate(alice), "alice"); });
    }
  }
  EXPECT_LE(hasher_.verification_count, 2);
}

TEST(Argon2idTest, KnowsTheSecretOfAHash) {
  const SecretHasher& hasher = argon2id_hasher();
  const std::string hash = hasher.hash("secret").value();
  EXPECT_TRUE(hash.starts_with("$argon2id$v=19$m=65536,t=2,p=1$")) << hash;
  EXPECT_TRUE(hasher.verify(hash, "secret").value());
  EXPECT_FALSE(hasher.verify(hash, "Secret").value());
  EXPECT_FALSE(hasher.verify("no hash", "secret").value());
}

TEST(Argon2idTest, RulesOutWrongSecretsByACheckOfTheHash) {
  const SecretHasher& hasher = argon2id_hasher();
  const std::string hash = hasher.hash("secret").value();
  EXPECT_TRUE(hasher.could_be(hash, "secret"));
  int passed_count = 0;
  for (int i = 0; i < 1000; ++i) passed_count += hasher.could_be(hash, std::to_string(i)) ? 1 : 0;
  EXPECT_LT(passed_count, 3) << "one in 65 536";
}

TEST(Argon2idTest, VerifiesHashesOfEarlierVersionsWhichHaveNoCheck) {
  const SecretHasher& hasher = argon2id_hasher();
  const std::string hash = hasher.hash("secret").value();
  const std::string earlier = hash.substr(0, hash.find(';'));
  ASSERT_LT(earlier.size(), hash.size());
  EXPECT_TRUE(hasher.could_be(earlier, "secret"));
  EXPECT_TRUE(hasher.could_be(earlier, "Secret"));
  EXPECT_TRUE(hasher.verify(earlier, "secret").value());
  EXPECT_FALSE(hasher.verify(earlier, "Secret").value());
}

TEST_F(TokensTest, WorkWithArgon2id) {
  Tokens tokens;
  const std::string text = tokens.create(*registry_, "alice", grants_, {}, kNow).value().text;
  ASSERT_EQ(describe(tokens.reload(*registry_, kNow)), "ok");
  EXPECT_EQ(tokens.authenticate(text, kNow).value()->name, "alice");
  EXPECT_EQ(describe(tokens.authenticate(tampered(text), kNow)), kRefusal);
}

}  // namespace
}  // namespace weir::broker
