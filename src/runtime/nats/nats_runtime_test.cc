// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/nats_runtime.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/nats_server_testing.h"
#include "base/temporary_directory_testing.h"

namespace weir::runtime::nats {
namespace {

using base::Duration;
using base::ErrorId;
using base::Instant;
using protocol::Key;
using protocol::NodeId;
using testing::HasSubstr;

constexpr protocol::MessageKind kKind{.protocol = protocol::ProtocolId::kProbe, .number = 3};

std::string message(std::string_view text) {
  base::ByteWriter writer = protocol::begin_message(kKind);
  writer.raw(text);
  return writer.take();
}

Key key_in(std::uint32_t slot) { return {std::uint64_t{slot} << protocol::kSlotShift}; }

// Obeys commands of one letter, and delivers each message with its source.
//   s<member>:<text> send   r<slot>:<text> route   m<slot>-<slot>:<text> multicast   a:<text> to
//   all l<slot> listen   u<slot> cease to listen   w wake in 10 ms   d drop
class Puppet : public protocol::Node {
 public:
  void on_message(Instant now, NodeId source, std::string_view bytes,
                  protocol::Effects& effects) override {
    if (source != protocol::kUser) {
      const std::string text(bytes.substr(std::min<std::size_t>(3, bytes.size())));
      return effects.deliver(kKind, fmt::format("{:x} {}", source.value, text));
    }
    const std::string word(bytes.substr(1, bytes.find(':') - 1));
    const std::string text = message(bytes.substr(std::min(bytes.find(':') + 1, bytes.size())));
    const auto slot = [](const std::string& digits) {
      return static_cast<std::uint32_t>(std::stoul(digits));
    };
    switch (bytes[0]) {
      case 's':
        return effects.send(node_id_of(word), kKind, text);
      case 'r':
        return effects.route(key_in(slot(word)), kKind, text);
      case 'm':
        return effects.multicast(
            std::vector<Key>{key_in(slot(word)), key_in(slot(word.substr(word.find('-') + 1)))},
            kKind, text);
      case 'a':
        return effects.multicast(protocol::KeyArc{}, kKind, text);
      case 'l':
        return effects.listen(slot(word), true);
      case 'u':
        return effects.listen(slot(word), false);
      case 'w':
        return effects.wake_at(now + Duration::milliseconds(10));
      default:
        return effects.drop(protocol::DropReason::kStale);
    }
  }

  void on_wake(Instant /*now*/, protocol::Effects& effects) override {
    effects.deliver(kKind, "awake");
  }
};

class Member {
 public:
  explicit Member(const NatsOptions& options) {
    auto started = NatsRuntime::start(options, std::make_unique<Puppet>(),
                                      [this](const protocol::Deliver& deliver) {
                                        const std::lock_guard lock(mutex_);
                                        heard_.push_back(deliver.bytes);
                                      });
    if (started) {
      runtime = *std::move(started);
    } else {
      ADD_FAILURE() << started.error().to_string();
    }
  }
  // The runtime stops before heard_ is destroyed, since its thread writes there.
  ~Member() {
    if (runtime) runtime->stop();
  }

  std::size_t count(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(heard_, text));
  }
  bool hears(const std::string& text) const {
    return base::eventually([&] { return count(text) > 0; });
  }

  std::unique_ptr<NatsRuntime> runtime;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
};

std::string from(std::string_view member, std::string_view text) {
  return fmt::format("{:x} {}", node_id_of(member).value, text);
}

class NatsRuntimeTest : public testing::Test {
 protected:
  NatsOptions options(std::string member) const {
    NatsOptions options;
    options.url = server_.url();
    options.member = std::move(member);
    options.reconnect_wait_max = Duration::milliseconds(100);
    return options;
  }

  base::NatsServer server_;
};

TEST_F(NatsRuntimeTest, MessagesReachTheirMembersFromTheirSources) {
  Member a(options("a"));
  Member b(options("b"));
  EXPECT_TRUE(a.hears("awake"));
  a.runtime->tell("sb:hello");
  EXPECT_TRUE(b.hears(from("a", "hello")));
  b.runtime->tell("a:all");
  EXPECT_TRUE(a.hears(from("b", "all")));
  EXPECT_TRUE(b.hears(from("b", "all")));
  a.runtime->tell("sa:self");
  EXPECT_TRUE(a.hears(from("a", "self")));
  const NatsStats stats = a.runtime->stats();
  EXPECT_TRUE(stats.connection.is_connected);
  EXPECT_EQ(stats.sent.of(kKind).message_count, 2U);
  EXPECT_EQ(stats.received.of(kKind).message_count, 1U);
  EXPECT_EQ(stats.received.of(kKind).bytes, message("all").size());
}

TEST_F(NatsRuntimeTest, ARouteGoesToOneListenerAndAMulticastOnceToEach) {
  Member a(options("a"));
  Member b(options("b"));
  Member c(options("c"));
  for (Member* member : {&b, &c}) {
    member->runtime->tell("l5");
  }
  b.runtime->tell("l6");
  b.runtime->tell("l7");
  ASSERT_TRUE(base::eventually([&] { return b.runtime->stats().slot_count == 3; }));
  ASSERT_TRUE(base::eventually([&] { return c.runtime->stats().slot_count == 1; }));
  b.runtime->tell("sa:ready");
  c.runtime->tell("sa:ready");
  ASSERT_TRUE(a.hears(from("b", "ready")));
  ASSERT_TRUE(a.hears(from("c", "ready")));
  for (int i = 0; i < 50; ++i) a.runtime->tell("r5:one");
  const std::string one = from("a", "one");
  EXPECT_TRUE(base::eventually([&] { return b.count(one) + c.count(one) >= 50; }));
  a.runtime->tell("m6-7:many");
  EXPECT_TRUE(b.hears(from("a", "many")));
  a.runtime->tell("sb:last");
  EXPECT_TRUE(b.hears(from("a", "last")));
  EXPECT_EQ(b.count(one) + c.count(one), 50U);
  EXPECT_EQ(b.count(from("a", "many")), 1U);
}

TEST_F(NatsRuntimeTest, WhoCeasesToListenHearsNoMore) {
  Member a(options("a"));
  Member b(options("b"));
  for (int slot = 0; slot < 300; ++slot) b.runtime->tell(fmt::format("l{}", slot));
  b.runtime->tell("sa:ready");
  ASSERT_TRUE(a.hears(from("b", "ready")));
  a.runtime->tell("r7:before");
  EXPECT_TRUE(b.hears(from("a", "before")));
  for (int slot = 0; slot < 300; ++slot) b.runtime->tell(fmt::format("u{}", slot));
  b.runtime->tell("sa:gone");
  ASSERT_TRUE(a.hears(from("b", "gone")));
  EXPECT_EQ(b.runtime->stats().slot_count, 0U);
  a.runtime->tell("r7:after");
  a.runtime->tell("sb:last");
  EXPECT_TRUE(b.hears(from("a", "last")));
  EXPECT_EQ(b.count(from("a", "after")), 0U);
}

TEST_F(NatsRuntimeTest, WakesWhenAskedAndCountsDrops) {
  Member a(options("a"));
  ASSERT_TRUE(a.hears("awake"));
  a.runtime->tell("w");
  EXPECT_TRUE(base::eventually([&] { return a.count("awake") == 2; }));
  a.runtime->tell("d");
  EXPECT_TRUE(base::eventually(
      [&] { return a.runtime->stats().sent.dropped(protocol::DropReason::kStale) == 1; }));
}

TEST_F(NatsRuntimeTest, GoesOnWhenTheServerIsBack) {
  Member a(options("a"));
  Member b(options("b"));
  b.runtime->tell("l9");
  ASSERT_TRUE(base::eventually([&] { return b.runtime->stats().slot_count == 1; }));
  server_.stop();
  ASSERT_TRUE(base::eventually([&] { return !a.runtime->stats().connection.is_connected; }));
  a.runtime->tell("sb:lost");
  EXPECT_TRUE(base::eventually([&] { return a.runtime->stats().unsent_count == 1; }));
  server_.start();
  for (const Member* member : {&a, &b}) {
    EXPECT_TRUE(
        base::eventually([&] { return member->runtime->stats().connection.reconnect_count == 1; }));
    EXPECT_EQ(member->runtime->stats().connection.disconnect_count, 1U);
  }
  // The server drops messages to b until it knows the subscriptions of b again.
  EXPECT_TRUE(base::eventually([&] {
    a.runtime->tell("sb:again");
    a.runtime->tell("r9:home");
    return b.count(from("a", "again")) > 0 && b.count(from("a", "home")) > 0;
  }));
  EXPECT_EQ(b.count(from("a", "lost")), 0U);
}

TEST_F(NatsRuntimeTest, StopSendsWhatWasSaid) {
  Member b(options("b"));
  {
    Member a(options("a"));
    ASSERT_TRUE(a.hears("awake"));
    for (int i = 0; i < 1000; ++i) a.runtime->tell("sb:x");
    a.runtime->tell("sa:done");
    ASSERT_TRUE(a.hears(from("a", "done")));
    a.runtime->stop();
    EXPECT_FALSE(a.runtime->stats().connection.is_connected);
    EXPECT_FALSE(a.runtime->tell("sb:late"));
  }
  EXPECT_TRUE(base::eventually([&] { return b.count(from("a", "x")) == 1000; }));
}

TEST_F(NatsRuntimeTest, StopsWhileTheServerIsAway) {
  Member a(options("a"));
  a.runtime->tell("l1");
  ASSERT_TRUE(base::eventually([&] { return a.runtime->stats().slot_count == 1; }));
  server_.stop();
  ASSERT_TRUE(base::eventually([&] { return !a.runtime->stats().connection.is_connected; }));
  a.runtime->tell("u1");
  ASSERT_TRUE(base::eventually([&] { return a.runtime->stats().slot_count == 0; }));
  a.runtime->stop();
}

TEST_F(NatsRuntimeTest, AServerThatIsNotThereIsNamed) {
  NatsOptions wrong = options("a");
  wrong.url = fmt::format("nats://user:secret@127.0.0.1:{}", base::free_port());
  const auto started = NatsRuntime::start(wrong, std::make_unique<Puppet>(), {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().id, ErrorId::kNatsConnect);
  EXPECT_EQ(started.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(started.error().message, HasSubstr(wrong.url.substr(wrong.url.find('@'))));
  EXPECT_THAT(started.error().message, testing::Not(HasSubstr("secret")));
}

TEST_F(NatsRuntimeTest, NamesAreChecked) {
  for (const std::string& name : {std::string(), std::string("a.b"), std::string("*"),
                                  std::string(65, 'x'), std::string("a b")}) {
    const auto started = NatsRuntime::start(options(name), std::make_unique<Puppet>(), {});
    ASSERT_FALSE(started) << name;
    EXPECT_EQ(started.error().id, ErrorId::kNatsOption);
    EXPECT_THAT(started.error().message, HasSubstr("expected 1 to 64 letters"));
  }
}

// A publisher may send anything: bytes that are no frames, and frames with false sources.
TEST_F(NatsRuntimeTest, HostileBytesAreCountedAndDropped) {
  Member a(options("a"));
  auto hostile = Client::connect(options("hostile"), [](std::string_view) {});
  ASSERT_TRUE(hostile);
  const std::string subject = fmt::format("weir.weir.node.{:016x}", node_id_of("a").value);
  (*hostile)->publish(subject, "");
  (*hostile)->publish(subject, std::string(1000, '\xff'));
  for (const NodeId source : {protocol::kUser, node_id_of("a")}) {
    (*hostile)->publish(subject,
                        encode(Frame{.source = source, .number = 1, .message = message("lie")}));
  }
  (*hostile)->publish(subject,
                      encode(Frame{.source = {77}, .number = 1, .message = message("truth")}));
  EXPECT_TRUE(a.hears("4d truth"));
  EXPECT_EQ(a.runtime->stats().refused_count, 4U);
  EXPECT_EQ(a.count("0 lie"), 0U);
}

TEST_F(NatsRuntimeTest, AFullQueueDropsAndCounts) {
  NatsOptions small = options("a");
  small.queue_messages_max = 1;
  Member a(small);
  ASSERT_TRUE(a.hears("awake"));
  for (int i = 0; i < 100'000 && a.runtime->stats().queue.refused_count == 0; ++i) {
    a.runtime->tell("sa:x");
  }
  EXPECT_GT(a.runtime->stats().queue.refused_count, 0U);
  EXPECT_LE(a.runtime->stats().queue.length, 1U);
}

TEST(NatsPayloadTest, WhatTheServerDoesNotTakeIsCounted) {
  const base::TemporaryDirectory directory;
  const std::filesystem::path config = directory.path() / "nats.conf";
  std::ofstream(config) << "max_payload: 2000\n";
  const base::NatsServer server({"-c", config.string()});
  NatsOptions options;
  options.url = server.url();
  options.member = "a";
  Member a(options);
  options.member = "b";
  Member b(options);
  a.runtime->tell("sb:" + std::string(3000, 'x'));
  a.runtime->tell("sb:small");
  EXPECT_TRUE(b.hears(from("a", "small")));
  EXPECT_EQ(a.runtime->stats().too_large_count, 1U);
}

}  // namespace
}  // namespace weir::runtime::nats
