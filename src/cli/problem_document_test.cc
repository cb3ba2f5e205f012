// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/api_client.h"
#include "server/problem.h"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

TEST(ProblemTest, ReadsWhatTheServerWrites) {
  const base::Error error{base::ErrorId::kFilterSyntax, "expected a value",
                          base::Position{.line = 2, .column = 7, .offset_bytes = 30}};
  std::string json;
  server::append_problem(error, json);
  const auto problem = read_problem(json);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->error.id, error.id);
  EXPECT_EQ(problem->error.message, error.message);
  EXPECT_EQ(problem->error.position, error.position);
  EXPECT_EQ(problem->status, 400);
  EXPECT_FALSE(problem->is_passing());
}

TEST(ProblemTest, KnowsWhatPasses) {
  for (const auto id : {base::ErrorId::kBrokerBusy, base::ErrorId::kStoreFull}) {
    std::string json;
    server::append_problem({id, "x", std::nullopt}, json);
    EXPECT_TRUE(read_problem(json)->is_passing());
  }
}

TEST(ProblemTest, ReadsNothingElse) {
  for (const char* other :
       {"", "x", "[]", "{}", R"({"error":1,"status":400,"detail":"x"})",
        R"({"error":"201","status":400,"detail":"x"})", R"({"error":201,"status":400})"}) {
    EXPECT_FALSE(read_problem(other)) << other;
  }
}

TEST(ProblemTest, FallsBackOnTheStatus) {
  const auto problem_with = [](int status) {
    return problem_of("GET", "/x", {.status = status, .reason = "R", .fields = {}, .body = "<p>"});
  };
  EXPECT_EQ(problem_with(404).error.code(), base::ErrorCode::kNotFound);
  EXPECT_EQ(problem_with(403).error.code(), base::ErrorCode::kInvalidInput);
  EXPECT_EQ(problem_with(502).error.code(), base::ErrorCode::kUnavailable);
  EXPECT_TRUE(problem_with(503).is_passing());
  EXPECT_THAT(problem_with(502).error.message, HasSubstr("GET /x: 502 R"));
}

TEST(ProblemTest, ReadsTheAnswerThatARefusalQuotes) {
  server::HttpAnswer answer{.status = 404, .reason = "Not Found", .fields = {}, .body = {}};
  server::append_problem({base::ErrorId::kBrokerNoSuchSubscription, "there is none", std::nullopt},
                         answer.body);
  const Problem problem = problem_of_refusal(server::refusal("GET", "/x", answer));
  EXPECT_EQ(problem.error.id, base::ErrorId::kBrokerNoSuchSubscription);
  EXPECT_EQ(problem.error.message, "there is none");
  answer.body = "{cut";
  EXPECT_EQ(problem_of_refusal(server::refusal("GET", "/x", answer)).error.id,
            base::ErrorId::kHttpRefused);
}

TEST(ApiClientTest, EncodesWhatIsNotPlain) {
  EXPECT_EQ(percent_encoded("a-b.c_d~9"), "a-b.c_d~9");
  EXPECT_EQ(percent_encoded("a = '\xC3\xA9'&/?%"), "a%20%3D%20%27%C3%A9%27%26%2F%3F%25");
  EXPECT_EQ(subscription_target("a/b"), "/subscriptions/a%2Fb");
}

TEST(ApiClientTest, PointsAtAWrongUrl) {
  const auto client = ApiClient::create({.url = "ftp://x"});
  EXPECT_EQ(client.error().error.id, base::ErrorId::kCliUsage);
  EXPECT_EQ(client.error().what, "--url");
}

}  // namespace
}  // namespace weir::cli
