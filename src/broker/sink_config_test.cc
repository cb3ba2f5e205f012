// SPDX-License-Identifier: Apache-2.0
#include "broker/sink_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error_testing.h"
#include "broker/definition.h"

namespace weir::broker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string document(std::string_view sink_config) {
  return fmt::format(R"({{"id":"h","sink":"https://a.example/h","config":{{"sink":{}}}}})",
                     sink_config);
}

std::string error_of(std::string_view sink_config) {
  const auto definition = Definition::parse(document(sink_config));
  return definition ? "ok" : definition.error().to_string();
}

TEST(SinkConfigTest, IsStructuredWithoutSecretsUnlessItSaysOtherwise) {
  const auto definition = Definition::parse(R"({"sink":"https://a.example/h"})").value();
  EXPECT_EQ(definition->sink_config().options, SinkOptions{});
  EXPECT_EQ(definition->sink_config().authorization.kind, SecretWish::Kind::kNone);
  EXPECT_EQ(definition->sink_config().secret.kind, SecretWish::Kind::kNone);
}

TEST(SinkConfigTest, ReadsModeAndBounds) {
  const auto definition =
      Definition::parse(document(R"({"mode":"batch","batch_count":7,"batch_wait":"1s500ms"})"))
          .value();
  const SinkOptions expected{
      .mode = SinkMode::kBatch, .batch_count = 7, .batch_wait = base::Duration::milliseconds(1500)};
  EXPECT_EQ(definition->sink_config().options, expected);
  EXPECT_EQ(Definition::parse(document(R"({"mode":"binary"})")).value()->sink_config().options.mode,
            SinkMode::kBinary);
}

// Neither what is stored nor what is shown has a secret, and what is shown can be put again.
TEST(SinkConfigTest, ShowsOnlyThatASecretIsSet) {
  const auto given =
      Definition::parse(
          document(fmt::format(R"({{"authorization":"Bearer abc","secret":"{}","mode":"binary"}})",
                               kSecret)))
          .value();
  EXPECT_EQ(given->sink_config().authorization.text, "Bearer abc");
  EXPECT_EQ(given->sink_config().secret.text, kSecret);
  const std::string shown = given->to_json();
  EXPECT_EQ(shown, document(R"({"authorization":{"set":true},"secret":{"set":true},)"
                            R"("mode":"binary"})"));
  const auto again = Definition::parse(shown).value();
  EXPECT_EQ(again->sink_config().authorization.kind, SecretWish::Kind::kKeep);
  EXPECT_EQ(again->sink_config().secret.kind, SecretWish::Kind::kKeep);
  EXPECT_EQ(again->to_json(), shown);
  const auto made = Definition::parse(document(R"({"secret":"generate"})")).value();
  EXPECT_EQ(made->sink_config().secret.kind, SecretWish::Kind::kGenerate);
  EXPECT_THAT(made->members(), Not(HasSubstr("generate")));
}

TEST(SinkConfigTest, IgnoresWhatAnswersHaveBesides) {
  const auto definition = Definition::parse(
      R"({"id":"a","source":"/s","owner":"x","created":"2026-01-01T00:00:00Z","status":{"n":1}})");
  EXPECT_EQ(definition.value()->to_json(), R"({"id":"a","source":"/s"})");
}

TEST(SinkConfigTest, SaysWhatItExpected) {
  EXPECT_EQ(error_of("7"), "line 1, column 57: expected config.sink to be an object");
  EXPECT_THAT(error_of(R"({"mod":1})"),
              HasSubstr("config.sink has no member 'mod': did you mean 'mode'?; expected mode"));
  EXPECT_THAT(error_of(R"({"mode":"fast"})"), HasSubstr("one of structured, binary, batch"));
  EXPECT_THAT(error_of(R"({"batch_count":0})"), HasSubstr("an integer from 1 to 1000"));
  EXPECT_THAT(error_of(R"({"batch_wait":"2h"})"), HasSubstr("a duration such as \"200ms\""));
  EXPECT_THAT(error_of(R"({"authorization":{"set":false}})"), HasSubstr("the value of a header"));
  const auto homeless = Definition::parse(R"({"config":{"sink":{}}})");
  EXPECT_THAT(homeless.error().to_string(), HasSubstr("the document has none"));
}

TEST(SinkConfigTest, RefusesWhatIsNoSecretWithoutRepeatingIt) {
  for (const std::string_view text :
       {"whsec_c2hvcnQ=", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "", "whsec_",
        "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB"
        "QUFB"}) {
    const std::string error = error_of(fmt::format(R"({{"secret":"{}"}})", text));
    EXPECT_THAT(error, HasSubstr("expected secret to be \"whsec_\" and the base64 of 24 to 64"));
    if (text.size() > 6) EXPECT_THAT(error, Not(HasSubstr(std::string(text))));
  }
  const std::string error = error_of(R"({"authorization":"Bearer a\r\nEvil: 1"})");
  EXPECT_THAT(error, HasSubstr("printable ASCII"));
  EXPECT_THAT(error, Not(HasSubstr("Evil")));
}

}  // namespace
}  // namespace weir::broker
