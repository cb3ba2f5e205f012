// SPDX-License-Identifier: Apache-2.0
#include "server/negotiation.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_testing.h"

namespace weir::server {
namespace {

std::string accept(std::vector<Field> fields, std::string_view produced = "application/json") {
  Request request;
  request.fields = std::move(fields);
  return base::describe(check_accept(request, produced));
}

std::string accept(std::string_view value) { return accept({{"Accept", value}}); }

TEST(NegotiationTest, SendsWhatIsAccepted) {
  EXPECT_EQ(accept(std::vector<Field>{}), "ok");
  for (const char* const value :
       {"", "*/*", "application/json", "Application/JSON; charset=utf-8", "application/*",
        "text/html, application/json;q=0.1", "text/html;q=1, */*;q=0.1", "application/json;q=0.001",
        "text/plain;q=0,*/*"}) {
    EXPECT_EQ(accept(value), "ok") << value;
  }
  EXPECT_EQ(accept({{"Accept", "text/html"}, {"accept", "application/json"}}), "ok");
  EXPECT_EQ(accept({{"Accept", "image/png"}}, ""), "ok") << "there is no body";
}

TEST(NegotiationTest, RefusesWhatIsNotAccepted) {
  constexpr const char* kRefused =
      "http.accept - the answer is application/json, which Accept does not allow";
  for (const char* const value :
       {"text/html", "image/*", "application/jsonx", "application/jso*", "json", "*",
        "application/json;q=0", "application/json; q=0.000, */*", "*/*;q=0", "text/*, */*;q=0.0"}) {
    EXPECT_EQ(accept(value), kRefused) << value;
  }
}

TEST(NegotiationTest, KnowsWhetherATypeIsAcceptedByItsName) {
  const auto named = [](std::vector<Field> fields) {
    Request request;
    request.fields = std::move(fields);
    return accepts_by_name(request, "text/event-stream");
  };
  EXPECT_TRUE(named({{"Accept", "text/event-stream"}}));
  EXPECT_TRUE(named({{"accept", "*/*;q=0.1, Text/Event-Stream; q=0.5"}}));
  EXPECT_TRUE(named({{"Accept", "text/html"}, {"Accept", "text/event-stream"}}));
  EXPECT_FALSE(named({}));
  for (const char* const value : {"", "*/*", "text/*", "image/avif,image/webp,*/*;q=0.8",
                                  "text/event-stream;q=0", "text/event-stream;q=0, */*"}) {
    EXPECT_FALSE(named({{"Accept", value}})) << value;
  }
}

TEST(NegotiationTest, TakesNoEncodedBodies) {
  const auto encoding = [](std::vector<Field> fields) {
    Request request;
    request.fields = std::move(fields);
    return base::describe(check_encoding(request));
  };
  EXPECT_EQ(encoding({}), "ok");
  EXPECT_EQ(encoding({{"Content-Encoding", "Identity"}}), "ok");
  EXPECT_EQ(encoding({{"Content-Encoding", ""}}), "ok");
  EXPECT_EQ(encoding({{"content-encoding", "gzip"}}),
            "http.encoding - expected a body without Content-Encoding, not 'gzip'");
  EXPECT_EQ(encoding({{"Content-Encoding", "identity, br"}}),
            "http.encoding - expected a body without Content-Encoding, not 'br'");
  EXPECT_EQ(encoding({{"Content-Encoding", "identity"}, {"Content-Encoding", "gzip"}}),
            "http.encoding - expected a body without Content-Encoding, not 'gzip'");
}

}  // namespace
}  // namespace weir::server
