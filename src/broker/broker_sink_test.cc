// SPDX-License-Identifier: Apache-2.0
// Subscriptions with a sink, as the broker keeps them: their secrets and their troubles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker.h"
#include "broker/broker_testing.h"
#include "store/registry.h"

namespace weir::broker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string kWithSecrets = R"({"id":"h","sink":"https://a.example/h","config":{"sink":)"
                                 R"({"authorization":"Bearer abc","secret":")" +
                                 kSecret + R"("}}})";
constexpr std::string_view kPlain = R"({"id":"h","sink":"https://a.example/h"})";

class Sinks final : public SinkListener {
 public:
  void on_sink(const SubscriptionInfo& subscription) override {
    const std::scoped_lock lock(mutex_);
    last_ = subscription;
  }
  void on_sink_removed(const std::string& /*id*/) override {
    const std::scoped_lock lock(mutex_);
    last_.reset();
  }
  std::optional<SubscriptionInfo> last() {
    const std::scoped_lock lock(mutex_);
    return last_;
  }

 private:
  std::mutex mutex_;
  std::optional<SubscriptionInfo> last_;
};

class BrokerSinkTest : public ::testing::Test {
 protected:
  BrokerSinkTest() : broker_({.directory = directory_.path()}) { listen(); }

  void listen() { broker_->listen_to_sinks(sinks_); }
  SubscriptionInfo put(std::string_view json) {
    std::promise<base::Result<SubscriptionInfo>> answer;
    broker_->put(everyone(), Definition::parse(json).value(), std::nullopt,
                 PutMode::kCreateOrReplace,
                 [&](base::Result<SubscriptionInfo> info) { answer.set_value(std::move(info)); });
    auto info = answer.get_future().get();
    EXPECT_EQ(base::describe(info), "ok");
    return std::move(info).value();
  }
  store::RegistryContents stored() {
    auto registry = store::Registry::open(directory_.path() / "registry.sqlite");
    return (*registry)->contents().value();
  }

  base::TemporaryDirectory directory_;
  std::shared_ptr<Sinks> sinks_ = std::make_shared<Sinks>();
  TestBroker broker_;
};

TEST_F(BrokerSinkTest, KeepsSecretsApartFromTheDefinition) {
  const SubscriptionInfo answer = put(kWithSecrets);
  EXPECT_EQ(answer.made_secret, "");
  EXPECT_THAT(answer.definition->members(), Not(HasSubstr("abc")));
  const store::RegistryContents contents = stored();
  EXPECT_THAT(contents.subscriptions.at(0).definition, Not(HasSubstr("abc")));
  EXPECT_THAT(contents.subscriptions.at(0).definition, Not(HasSubstr(kSecret)));
  EXPECT_THAT(contents.sink_secrets.at(0).secrets, HasSubstr("Bearer abc"));
  ASSERT_TRUE(sinks_->last());
  EXPECT_EQ(sinks_->last()->sink_secrets->authorization, "Bearer abc");
}

TEST_F(BrokerSinkTest, KeepsSecretsOverARestartAndWhenItsOwnDocumentIsPutAgain) {
  put(kWithSecrets);
  broker_.stop();
  broker_.open_again();
  listen();
  ASSERT_TRUE(sinks_->last()->sink_secrets);
  EXPECT_EQ(sinks_->last()->sink_secrets->secret, kSecret);
  put(broker_->get(everyone(), "h")->definition->to_json());
  EXPECT_EQ(sinks_->last()->sink_secrets->secret, kSecret);
  EXPECT_EQ(sinks_->last()->sink_secrets->authorization, "Bearer abc");
  put(kPlain);
  EXPECT_EQ(sinks_->last()->sink_secrets, nullptr);
  EXPECT_TRUE(stored().sink_secrets.empty());
}

TEST_F(BrokerSinkTest, ShowsASecretThatItMadeOnce) {
  const SubscriptionInfo answer =
      put(R"({"id":"h","sink":"https://a.example/h","config":{"sink":{"secret":"generate"}}})");
  EXPECT_THAT(answer.made_secret, ::testing::StartsWith("whsec_"));
  EXPECT_EQ(sinks_->last()->sink_secrets->secret, answer.made_secret);
  EXPECT_EQ(broker_->get(everyone(), "h")->made_secret, "");
  EXPECT_EQ(broker_->list(everyone(), "", 10).at(0).made_secret, "");
  EXPECT_EQ(sinks_->last()->made_secret, "");
}

TEST_F(BrokerSinkTest, RefusesToKeepASecretForAnotherHost) {
  put(kWithSecrets);
  EXPECT_EQ(broker_.put(R"({"id":"h","sink":"https://evil.example/h",)"
                        R"("config":{"sink":{"authorization":{"set":true}}}})"),
            "broker.definition");
  EXPECT_EQ(sinks_->last()->sink_secrets->authorization, "Bearer abc") << "the sink stays";
  EXPECT_EQ(broker_.put(R"({"id":"new","sink":"https://a.example/h",)"
                        R"("config":{"sink":{"secret":{"set":true}}}})"),
            "broker.definition");
}

TEST_F(BrokerSinkTest, ForgetsTheTroubleOfASinkThatIsReplacedOrRemoved) {
  const auto trouble = [&] { return broker_->get(everyone(), "h")->trouble; };
  const std::uint64_t first = put(kPlain).sink_number;
  broker_->report_trouble("h", first, "it burns");
  EXPECT_EQ(trouble(), "it burns");
  const std::uint64_t second = put(R"({"id":"h","sink":"https://b.example/h"})").sink_number;
  EXPECT_EQ(trouble(), "");
  broker_->report_trouble("h", first, "it still burns");
  EXPECT_EQ(trouble(), "") << "of a sink that is gone";
  broker_->report_trouble("h", second, "it rains");
  EXPECT_EQ(trouble(), "it rains");
  put(R"({"id":"h"})");
  EXPECT_EQ(trouble(), "");
}

}  // namespace
}  // namespace weir::broker
