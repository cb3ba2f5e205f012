// SPDX-License-Identifier: Apache-2.0
#include "server/event_headers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_testing.h"

namespace weir::server {
namespace {

using base::describe;

std::vector<Field> with(std::vector<Field> more) {
  std::vector<Field> fields = {{"CE-SpecVersion", "1.0"},
                               {"ce-id", "1"},
                               {"ce-source", "/s"},
                               {"ce-type", "t"},
                               {"Host", "localhost"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::string json_of(const std::vector<Field>& fields, std::string_view body = "") {
  const auto event = decode_binary_event(fields, body);
  return event ? std::string((*event)->json()) : describe(event);
}

TEST(EventHeadersTest, TellsTheContentMode) {
  const auto mode = [](std::string_view type) {
    const std::vector<Field> fields = {{"content-type", type}};
    return content_mode(fields);
  };
  EXPECT_EQ(content_mode({}).value(), ContentMode::kBinary);
  EXPECT_EQ(mode("application/json").value(), ContentMode::kBinary);
  EXPECT_EQ(mode("application/cloudevents+json").value(), ContentMode::kStructured);
  EXPECT_EQ(mode("Application/CloudEvents+JSON; Charset=\"UTF-8\"").value(),
            ContentMode::kStructured);
  EXPECT_EQ(mode("application/cloudevents-batch+json;charset=utf-8").value(), ContentMode::kBatch);
  EXPECT_EQ(mode("application/cloudevents+json; charset=latin1").error().id,
            base::ErrorId::kHttpMediaType);
  EXPECT_EQ(mode("application/cloudevents+avro").error().id, base::ErrorId::kHttpMediaType);
  EXPECT_EQ(mode("application/cloudevents").error().id, base::ErrorId::kHttpMediaType);
  EXPECT_EQ(mode("nonsense").error().id, base::ErrorId::kHttpMediaType);
}

TEST(EventHeadersTest, MakesAnEventOfHeaders) {
  EXPECT_EQ(json_of(with({})), R"({"specversion":"1.0","id":"1","source":"/s","type":"t"})");
  EXPECT_EQ(json_of(with({{"Ce-Lot", "7"}})),
            R"({"specversion":"1.0","id":"1","source":"/s","type":"t","lot":"7"})");
}

TEST(EventHeadersTest, PutsTheBodyWhereItsTypeSays) {
  const auto data = [](std::string_view type, std::string_view body) {
    const std::string json = json_of(with({{"Content-Type", type}}), body);
    const std::size_t at = json.find(",\"data");
    const std::size_t data_at = json.find(",\"data", at + 1);
    return data_at == std::string::npos ? json : json.substr(data_at);
  };
  EXPECT_EQ(data("application/json", R"({"a": 1})"), R"(,"data":{"a": 1}})");
  EXPECT_EQ(data("text/json", "7"), R"(,"data":7})");
  EXPECT_EQ(data("application/vnd.x+json; charset=utf-8", "[]"), R"(,"data":[]})");
  EXPECT_EQ(data("application/json; charset=utf-16", "{}"), R"(,"data_base64":"e30="})");
  EXPECT_EQ(data("text/plain", "say \"hi\"\n"), R"(,"data":"say \"hi\"\u000a"})");
  EXPECT_EQ(data("text/plain; charset=latin1", "x"), R"(,"data_base64":"eA=="})");
  EXPECT_EQ(data("text/plain", "\xFF"), R"(,"data_base64":"/w=="})");
  EXPECT_EQ(data("application/octet-stream", "x"), R"(,"data_base64":"eA=="})");
  EXPECT_EQ(json_of(with({}), "x"),
            R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"eA=="})");
}

TEST(EventHeadersTest, DecodesValuesOnce) {
  const auto decode = [](std::string_view value) {
    const auto text = decode_event_header("ce-x", value);
    return text ? *text : describe(text);
  };
  EXPECT_EQ(decode("plain"), "plain");
  EXPECT_EQ(decode(R"("quoted \"text\"")"), "quoted \"text\"");
  EXPECT_EQ(decode("Euro%20%E2%82%AC%20%F0%9F%98%80"), "Euro \u20AC \U0001F600");
  EXPECT_EQ(decode("%2541"), "%41");
  EXPECT_EQ(decode("\"%22\""), "\"");
  EXPECT_EQ(decode("\""), "\"");
  EXPECT_EQ(decode(""), "");
  EXPECT_EQ(decode("a%2"),
            "http.event_header - in the header ce-x a '%' is not followed by two hexadecimal "
            "digits");
  EXPECT_EQ(decode("%C0%80"), "http.event_header - the header ce-x is not UTF-8");
  EXPECT_EQ(decode("\xFF"), "http.event_header - the header ce-x is not UTF-8");
  EXPECT_EQ(decode(R"("a"b")"),
            "http.event_header - the header ce-x has a quote inside its quotes");
  EXPECT_EQ(decode(R"("a\")"), "http.event_header - the header ce-x ends in a backslash");
}

TEST(EventHeadersTest, EncodesWhatItDecodes) {
  for (const std::string_view text : {"", "plain", "a b", "\"", "100%", "\u20AC\U0001F600", "\n"}) {
    EXPECT_EQ(decode_event_header("ce-x", encode_event_header(text)).value(), text);
  }
}

TEST(EventHeadersTest, RefusesWhatIsNoEvent) {
  const std::vector<Field> none = {{"content-type", "application/json"}};
  EXPECT_EQ(decode_binary_event(none, "{}").error().id, base::ErrorId::kHttpEventHeader);
  const std::vector<Field> unversioned = {{"ce-id", "1"}, {"ce-source", "/s"}, {"ce-type", "t"}};
  EXPECT_EQ(json_of(unversioned), "event.missing_attribute - expected the header ce-specversion");
  const std::vector<Field> old = {{"ce-specversion", "0.3"}};
  EXPECT_EQ(json_of(old), "event.specversion - expected 1.0 in the header ce-specversion");
  EXPECT_EQ(json_of(with({{"CE-ID", "2"}})), "http.event_header - the header CE-ID is given twice");
  EXPECT_EQ(json_of(with({{"ce-", "2"}})).substr(0, 17), "http.event_header");
  EXPECT_EQ(json_of(with({{"ce-a_b", "2"}})).substr(0, 17), "http.event_header");
  EXPECT_EQ(json_of(with({{"ce-data", "2"}})).substr(0, 17), "http.event_header");
  EXPECT_EQ(json_of(with({{"ce-data_base64", "2"}})).substr(0, 17), "http.event_header");
  EXPECT_EQ(json_of(with({{"ce-datacontenttype", "a/b"}})),
            "http.event_header - expected no header ce-datacontenttype: that attribute is the "
            "header Content-Type");
}

TEST(EventHeadersTest, TellsPlacesInTheBodyOnly) {
  const auto fields = with({{"Content-Type", "application/json"}});
  const auto bad_json = decode_binary_event(fields, "{\"a\":\n ?}");
  ASSERT_TRUE(bad_json.error().position.has_value());
  EXPECT_EQ(bad_json.error().position->line, 2U);
  const auto bad_time = decode_binary_event(with({{"ce-time", "noon"}}), "");
  EXPECT_EQ(bad_time.error().id, base::ErrorId::kEventTime);
  EXPECT_FALSE(bad_time.error().position.has_value());
  // Data that would end the event and go on after it is no data.
  EXPECT_FALSE(decode_binary_event(fields, R"(1,"id":"2")").has_value());
}

}  // namespace
}  // namespace weir::server
