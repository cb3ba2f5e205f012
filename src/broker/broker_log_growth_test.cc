// SPDX-License-Identifier: Apache-2.0
// The log grows by at most three times the published bytes and 16 bytes per delivery,
// whatever deliveries say of their texts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "event/event_testing.h"

namespace weir::broker {
namespace {

using testing::HasSubstr;

class BrokerLogGrowthTest : public testing::Test {
 protected:
  void publish(const std::string& json) {
    ASSERT_EQ(broker_.publish(json), "accepted");
    published_bytes_ += event::event_of(json)->json().size();
  }

  // Stops the broker, so that all notes are written.
  void expect_small_log(std::uint64_t delivery_count) {
    ASSERT_TRUE(eventually([&] { return broker_->stats().pending == delivery_count; }))
        << broker_->stats().pending;
    broker_.stop();
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "data" / "log")) {
      bytes += entry.file_size();
    }
    EXPECT_LE(bytes, 3 * published_bytes_ + 16 * delivery_count);
  }

  base::TemporaryDirectory directory_;
  TestBroker broker_{{.directory = directory_ / "data", .shard_count = 2}};
  std::uint64_t published_bytes_ = 0;
};

TEST_F(BrokerLogGrowthTest, IsSmallForThousandsOfPlainDeliveries) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(broker_.put(fmt::format(R"({{"id":"s{}"}})", i)), "ok");
  }
  for (int i = 0; i < 20; ++i) publish(fmt::format(R"({{"id":"{}"}})", i));
  expect_small_log(200 * 20);
}

TEST_F(BrokerLogGrowthTest, IsSmallForTextsThatAreShown) {
  const std::string mark(64, '*');
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(
        broker_.put(fmt::format(
            R"({{"id":"s{}","filters":[{{"weir":"text(data.t) in 'none' about any 'x y{}'"}}],)"
            R"("config":{{"highlight":{{"characters":2000,"snippets":20,)"
            R"("before":"{}","after":"{}"}}}}}})",
            i, i, mark, mark)),
        "ok");
  }
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x ";
  publish(fmt::format(R"({{"id":"1","data":{{"t":"{}"}}}})", text));
  const auto consumer = broker_.attach("s7");
  ASSERT_TRUE(consumer->wait_count(1));
  const std::string said = consumer->received()[0].texts[0];
  EXPECT_THAT(said, HasSubstr(R"("weirscore":"0.0000","weirepoch":1,"weirterms":"x=0.0000",)"));
  EXPECT_THAT(said, HasSubstr(mark));
  EXPECT_LE(said.size(), text.size() + match::kHighlightBytesMax + 1000);
  expect_small_log(60);
}

// Each filter has many terms, each corpus its own scores.
TEST_F(BrokerLogGrowthTest, IsSmallForManyTermsInManyCorpora) {
  std::string words;
  for (int i = 0; i < 500; ++i) words += fmt::format("w{} ", i);
  constexpr const char* kFields[] = {"data.a",         "data.b",         "data.c",
                                     "data.a, data.b", "data.a, data.c", "data.b, data.c"};
  int count = 0;
  for (const char* const fields : kFields) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(broker_.put(fmt::format(
                    R"({{"id":"s{}","filters":[{{"weir":"text({}) about any '{}'"}}]}})", count++,
                    fields, words)),
                "ok");
    }
  }
  for (int i = 0; i < 4; ++i) {
    publish(fmt::format(R"({{"id":"{}","data":{{"a":"{}","b":"{}","c":"{}"}}}})", i, words, words,
                        words));
  }
  expect_small_log(static_cast<std::uint64_t>(count) * 4);
}

}  // namespace
}  // namespace weir::broker
