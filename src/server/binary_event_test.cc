// SPDX-License-Identifier: Apache-2.0
#include "server/binary_event.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"
#include "server/event_headers.h"

namespace weir::server {
namespace {

HttpCall call_of(std::string_view json) {
  const auto event = event::decode_event(json);
  EXPECT_EQ(base::describe(event), "ok");
  HttpCall call;
  EXPECT_TRUE(put_binary_event(**event, call));
  return call;
}

std::string read_back(const HttpCall& call) {
  std::vector<Field> fields;
  for (const HttpField& field : call.fields) fields.push_back({field.name, field.value});
  const auto event = decode_binary_event(fields, call.body);
  return event ? std::string((*event)->json()) : base::describe(event);
}

TEST(BinaryEventTest, IsReadBackAsItWas) {
  constexpr std::string_view kHead = R"({"specversion":"1.0","id":"1 \"ü\" %","source":"/s",)"
                                     R"("type":"t",)";
  for (const std::string_view rest :
       {R"("datacontenttype":"application/json","data":{"a":[1,2.50]}})",
        R"("datacontenttype":"application/json","data":"x"})",
        R"("datacontenttype":"text/plain","data":"two\nlines ü"})",
        R"("datacontenttype":"image/png","data_base64":"AAEC/w=="})",
        R"("subject":"a b","traceparent":"00-x","datacontenttype":"text/plain"})"}) {
    const std::string json = std::string(kHead) + std::string(rest);
    const auto expected = event::decode_event(json);
    const auto got = event::decode_event(read_back(call_of(json)));
    ASSERT_EQ(base::describe(got), "ok") << json;
    EXPECT_EQ((*got)->id(), (*expected)->id());
    EXPECT_EQ((*got)->data_kind(), (*expected)->data_kind()) << json;
    EXPECT_EQ((*got)->data_bytes(), (*expected)->data_bytes());
    EXPECT_EQ((*got)->attributes().size(), (*expected)->attributes().size());
    if ((*expected)->data()) {
      std::string one;
      std::string two;
      event::append_compact((*expected)->data(), one);
      event::append_compact((*got)->data(), two);
      EXPECT_EQ(two, one);
    }
  }
}

TEST(BinaryEventTest, HasTheDataAsItIs) {
  const HttpCall text =
      call_of(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","lot":7,"ok":true,)"
              R"("datacontenttype":"text/plain","data":"two\nlines"})");
  EXPECT_EQ(text.body, "two\nlines");
  const std::vector<HttpField> expected = {{"Content-Type", "text/plain"},
                                           {"ce-specversion", "1.0"},
                                           {"ce-id", "1"},
                                           {"ce-source", "/s"},
                                           {"ce-type", "t"},
                                           {"ce-lot", "7"},
                                           {"ce-ok", "true"}};
  EXPECT_EQ(text.fields, expected);
  const HttpCall json =
      call_of(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":"x"})");
  EXPECT_EQ(json.body, R"("x")");
  EXPECT_EQ(json.fields.front(), (HttpField{"Content-Type", "application/json"}));
}

TEST(BinaryEventTest, IsNotForAContentTypeThatSaysOtherwise) {
  for (const std::string_view type : {"application/cloudevents+json", "Application/CloudEvents"}) {
    const auto event = event::decode_event(
        R"({"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":")" +
        std::string(type) + R"(","data":1})");
    ASSERT_EQ(base::describe(event), "ok");
    HttpCall call;
    EXPECT_FALSE(put_binary_event(**event, call));
    EXPECT_TRUE(call.fields.empty());
  }
}

}  // namespace
}  // namespace weir::server
