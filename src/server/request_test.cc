// SPDX-License-Identifier: Apache-2.0
#include "server/request.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "base/error_testing.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using base::describe;
using base::Error;
using base::ErrorId;

constexpr std::array<std::string_view, 2> kAllowed = {"after", "limit"};

TEST(QueryTest, ReadsParameters) {
  const auto query = Query::parse("after=a%26b+c&limit=7&access_token=x&", kAllowed);
  ASSERT_EQ(describe(query), "ok");
  EXPECT_EQ(query->text("after"), "a&b c");
  EXPECT_EQ(query->count("limit", 1, 10).value(), 7U);
  EXPECT_EQ(query->count("other", 3, 10).value(), 3U);
  EXPECT_FALSE(query->flag("other").value());
}

TEST(QueryTest, RefusesWhatItDoesNotKnow) {
  const auto mistake = [](std::string_view text) { return describe(Query::parse(text, kAllowed)); };
  EXPECT_EQ(mistake("limt=7"),
            "http.parameter - there is no query parameter 'limt': did you mean 'limit'?");
  EXPECT_EQ(mistake("limit=7&limit=8"),
            "http.parameter - the query parameter 'limit' is given twice");
  EXPECT_EQ(mistake("limit=%7"),
            "http.parameter - in the query a '%' is not followed by two hexadecimal digits");
  const auto query = Query::parse("limit=11&after=-1", kAllowed);
  EXPECT_EQ(describe(query->count("limit", 1, 10)),
            "http.parameter - expected a number from 1 to 10 as query parameter 'limit'");
  EXPECT_EQ(describe(query->number("after")),
            "http.parameter - expected a number as query parameter 'after'");
  EXPECT_EQ(describe(query->flag("after")),
            "http.parameter - expected true or false as query parameter 'after'");
}

TEST(ProblemTest, GivesEveryErrorAStatusOfItsKind) {
  for (const base::ErrorInfo& info : base::error_table()) {
    const unsigned status = http_status({info.id, "", {}});
    EXPECT_GE(status, 400U) << info.name;
    EXPECT_NE(reason_phrase(status), "Unknown") << info.name;
    const bool is_server_side =
        info.code == base::ErrorCode::kUnavailable || info.code == base::ErrorCode::kCorrupt;
    EXPECT_EQ(status >= 500, is_server_side) << info.name;
  }
}

TEST(ProblemTest, SaysAllThatIsKnown) {
  const Error error = {ErrorId::kFilterSyntax, "expected \"x\"", base::Position{2, 3, 9}};
  const Response response = problem_response(error);
  EXPECT_EQ(response.status, 400U);
  EXPECT_EQ(response.content_type, kProblemType);
  EXPECT_EQ(response.body,
            R"({"type":"about:blank","title":"the filter does not parse","status":400,)"
            R"("detail":"line 2, column 3: expected \"x\"","error":201,"name":"filter.syntax",)"
            R"("position":{"line":2,"column":3,"offset":9}})");
}

TEST(ResponseTest, HasTheFieldsOfItsStatus) {
  const std::string refused =
      head_of(problem_response({ErrorId::kBrokerUnauthenticated, "", {}}), false);
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401 Unauthorized\r\nDate: ")) << refused;
  EXPECT_NE(refused.find("\r\nWWW-Authenticate: Bearer\r\n"), std::string::npos);
  EXPECT_TRUE(refused.ends_with("\r\nConnection: close\r\n\r\n"));
  const std::string busy = head_of(problem_response({ErrorId::kBrokerBusy, "", {}}), true);
  EXPECT_NE(busy.find("\r\nRetry-After: 1\r\n"), std::string::npos);
  EXPECT_EQ(head_of(Response{.status = 204}, true).find("Content-"), std::string::npos);
}

}  // namespace
}  // namespace weir::server
