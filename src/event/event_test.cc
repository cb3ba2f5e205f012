// SPDX-License-Identifier: Apache-2.0
#include "event/event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "event/event_testing.h"
#include "event/path.h"

namespace weir::event {
namespace {

using base::describe;

EventPtr decoded(std::string_view text) {
  auto event = decode_event(text);
  EXPECT_EQ(describe(event), "ok") << text;
  return event.value();
}

Value at(const EventPtr& event, std::string_view path) {
  return event->at(parse_path(path).value());
}

// The example of the specification.
constexpr std::string_view kPullRequest = R"({
    "specversion" : "1.0",
    "type" : "com.github.pull_request.opened",
    "source" : "https://github.com/cloudevents/spec/pull",
    "subject" : "123",
    "id" : "A234-1234-1234",
    "time" : "2018-04-05T17:31:00Z",
    "comexampleextension1" : "value",
    "comexampleothervalue" : 5,
    "datacontenttype" : "text/xml",
    "data" : "<much wow=\"xml\"/>"
})";

TEST(EventTest, ReadsTheExampleOfTheSpecification) {
  const EventPtr event = decoded(kPullRequest);
  EXPECT_EQ(event->id(), "A234-1234-1234");
  EXPECT_EQ(event->source(), "https://github.com/cloudevents/spec/pull");
  EXPECT_EQ(event->type(), "com.github.pull_request.opened");
  EXPECT_EQ(event->core_text(CoreAttribute::kSpecversion), "1.0");
  EXPECT_EQ(event->core_text(CoreAttribute::kSubject), "123");
  EXPECT_EQ(event->core_text(CoreAttribute::kTime), "2018-04-05T17:31:00Z");
  EXPECT_EQ(event->core_text(CoreAttribute::kDatacontenttype), "text/xml");
  EXPECT_EQ(event->core_text(CoreAttribute::kDataschema), "");
  EXPECT_EQ(event->find("comexampleextension1")->text, "value");
  EXPECT_EQ(event->find("comexampleothervalue")->value.as_int(), 5);
  EXPECT_EQ(event->data_kind(), DataKind::kJson);
  EXPECT_EQ(event->data().string(), "<much wow=\"xml\"/>");
}

TEST(EventTest, ListsAttributesInTheOrderOfTheText) {
  const EventPtr event = decoded(kPullRequest);
  std::vector<std::string_view> names;
  for (const Attribute& attribute : event->attributes()) names.push_back(attribute.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"specversion", "type", "source", "subject", "id",
                                                  "time", "comexampleextension1",
                                                  "comexampleothervalue", "datacontenttype"}));
}

TEST(EventTest, FindsAttributes) {
  const EventPtr event = decoded(kPullRequest);
  EXPECT_EQ(event->find("id"), event->find(CoreAttribute::kId));
  EXPECT_EQ(event->find(CoreAttribute::kDataschema), nullptr);
  EXPECT_EQ(event->find("dataschema"), nullptr);
  EXPECT_EQ(event->find("data"), nullptr);
  EXPECT_EQ(event->find(""), nullptr);
}

TEST(EventTest, KeepsItsJsonByteForByte) {
  std::string text(kPullRequest);
  const EventPtr event = decoded(" \n" + text + "\t ");
  EXPECT_EQ(event->json(), kPullRequest);

  // It does not live in the text it came from.
  const EventPtr second = decoded(text);
  text.assign(text.size(), '#');
  EXPECT_EQ(second->json(), kPullRequest);
  EXPECT_EQ(second->find("comexampleextension1")->name, "comexampleextension1");
  EXPECT_EQ(second->data().string(), "<much wow=\"xml\"/>");
}

TEST(EventTest, ParsesDataOnce) {
  const EventPtr event = event_of(R"({"data":{"a":{"b":"text"}}})");
  const std::string_view first = at(event, "data.a.b").as_string();
  EXPECT_EQ(at(event, "data.a.b").as_string().data(), first.data());
  EXPECT_GE(first.data(), event->json().data());
  EXPECT_LT(first.data(), event->json().data() + event->json().size());
}

TEST(EventTest, GivesAttributesTheirTypes) {
  const EventPtr event = event_of(
      R"({"flag":true,"off":false,"count":-7,"zero":-0,"text":"","time":"2026-01-31T13:00:00+01:00",
          "max":2147483647,"min":-2147483648,"like":"2026-01-31T12:00:00Z"})");
  EXPECT_TRUE(at(event, "flag").as_bool());
  EXPECT_FALSE(at(event, "off").as_bool());
  EXPECT_EQ(at(event, "count").as_int(), -7);
  EXPECT_EQ(at(event, "zero").as_int(), 0);
  EXPECT_EQ(at(event, "max").as_int(), INT32_MAX);
  EXPECT_EQ(at(event, "min").as_int(), INT32_MIN);
  EXPECT_EQ(at(event, "text").as_string(), "");
  EXPECT_EQ(at(event, "time").as_timestamp(), parse_timestamp("2026-01-31T12:00:00Z"));
  EXPECT_EQ(at(event, "like").kind(), ValueKind::kString);  // only time is known to be one
}

TEST(EventTest, GivesAttributesTheirCanonicalText) {
  const EventPtr event =
      event_of(R"({"flag":true,"off":false,"count":-7,"zero":-0,"text":"a\u0041",)"
               R"("time":"2026-01-31t12:00:00z"})");
  EXPECT_EQ(event->find("flag")->text, "true");
  EXPECT_EQ(event->find("off")->text, "false");
  EXPECT_EQ(event->find("count")->text, "-7");
  EXPECT_EQ(event->find("zero")->text, "0");
  EXPECT_EQ(event->find("text")->text, "aA");
  EXPECT_EQ(event->find("time")->text, "2026-01-31t12:00:00z");
}

TEST(EventTest, TakesNullForAnAbsentAttribute) {
  const EventPtr event = event_of(R"({"subject":null,"time":null,"ext":null,"data_base64":null})");
  EXPECT_EQ(event->find("subject"), nullptr);
  EXPECT_EQ(event->find("ext"), nullptr);
  EXPECT_TRUE(at(event, "time").missing());
  EXPECT_EQ(event->attributes().size(), 4U);
  EXPECT_EQ(event->data_kind(), DataKind::kNone);
}

TEST(EventTest, TellsNullDataFromNoData) {
  const EventPtr with = event_of(R"({"data":null})");
  EXPECT_EQ(with->data_kind(), DataKind::kJson);
  EXPECT_EQ(at(with, "data").kind(), ValueKind::kNull);
  EXPECT_TRUE(at(with, "data.a").missing());
  const EventPtr without = event_of("{}");
  EXPECT_EQ(without->data_kind(), DataKind::kNone);
  EXPECT_FALSE(without->data());
  EXPECT_TRUE(at(without, "data").missing());
  EXPECT_EQ(event_of(R"({"data":null,"data_base64":null})")->data_kind(), DataKind::kJson);
}

TEST(EventTest, HoldsBinaryData) {
  const EventPtr event = event_of(R"({"data_base64":"Zm9v\u0059mFy"})");
  EXPECT_EQ(event->data_kind(), DataKind::kBinary);
  EXPECT_EQ(event->data_bytes(), "foobar");
  EXPECT_FALSE(event->data());
  EXPECT_EQ(at(event, "data").kind(), ValueKind::kBytes);
  EXPECT_TRUE(at(event, "data.a").missing());
  EXPECT_TRUE(at(event, "data[0]").missing());
  EXPECT_EQ(event_of(R"({"data_base64":""})")->data_kind(), DataKind::kBinary);
  EXPECT_EQ(event_of(R"({"data":"Zm9v"})")->data_bytes(), "");
}

TEST(EventTest, IsLookedIntoByPath) {
  const EventPtr event = event_of(R"({"type":"quote","lot":100,"1st":true,"data":
      {"a":[10,{"b":2.5}],"odd name":{"it's":"s"},"":false,"0":"zero","n":null,"big":1e999}})");
  EXPECT_EQ(at(event, "type").as_string(), "quote");
  EXPECT_EQ(at(event, "lot").as_int(), 100);
  EXPECT_TRUE(at(event, "\"1st\"").as_bool());
  EXPECT_EQ(at(event, "data").kind(), ValueKind::kObject);
  EXPECT_EQ(at(event, "data.a").kind(), ValueKind::kArray);
  EXPECT_EQ(at(event, "data.a[0]").as_int(), 10);
  EXPECT_EQ(at(event, "data.a[1].b").as_double(), 2.5);
  EXPECT_EQ(at(event, "data['odd name']['it''s']").as_string(), "s");
  EXPECT_EQ(at(event, "data['']").kind(), ValueKind::kBool);
  EXPECT_EQ(at(event, "data['0']").as_string(), "zero");
  EXPECT_EQ(at(event, "data.n").kind(), ValueKind::kNull);
  EXPECT_GT(at(event, "data.big").as_double(), 1e308);
  for (const std::string_view path :
       {"subject", "absent", "datacontenttype", "data.x", "data.A", "data.a.b", "data.a[2]",
        "data.a[0][0]", "data.a[0].b", "data[0]", "data.n.x", "data['a']['0']"}) {
    EXPECT_TRUE(at(event, path).missing()) << path;
  }
}

TEST(EventTest, GivesTheJsonAtAPathIntoData) {
  const EventPtr event = event_of(R"({"data":{"a":[ 1, {"b" : 2} ]}})");
  const auto json_at = [&](std::string_view path) {
    return event->json_at(parse_path(path).value());
  };
  EXPECT_EQ(json_at("data").raw(), R"({"a":[ 1, {"b" : 2} ]})");
  EXPECT_EQ(json_at("data.a[1]").raw(), R"({"b" : 2})");
  EXPECT_FALSE(json_at("data.b"));
  EXPECT_FALSE(json_at("type"));
}

TEST(EventTest, GoesThroughAllValuesAtAPathUntilItIsTold) {
  const EventPtr event = event_of(R"({"data":{"a":[{"b":[1,2]},7,{"b":[]},{"b":[3]}],"n":5}})");
  const auto all_at = [&](std::string_view path, std::string_view last = "") {
    std::string all;
    const bool stopped = event->any_json_at(parse_path(path).value(), [&](const JsonRef& json) {
      all += std::string(json.raw()) + ";";
      return json.raw() == last;
    });
    return all + (stopped ? "stopped" : "");
  };
  EXPECT_EQ(all_at("data.a[*].b[*]"), "1;2;3;");
  EXPECT_EQ(all_at("data.a[*].b[*]", "2"), "1;2;stopped");
  EXPECT_EQ(all_at("data.a[*].b[0]"), "1;3;");
  EXPECT_EQ(all_at("data.a[0].b[*]"), "1;2;");
  EXPECT_EQ(all_at("data.a[*]"), R"({"b":[1,2]};7;{"b":[]};{"b":[3]};)");
  EXPECT_EQ(all_at("data.n"), "5;");
  EXPECT_EQ(all_at("data.n[*]"), "");
  EXPECT_EQ(all_at("data[*]"), "");
  EXPECT_EQ(all_at("type"), "");
}

TEST(EventTest, ReadsNamesThatAreEscaped) {
  const EventPtr event =
      decoded(R"({"sp\u0065cversion":"1.0","i\u0064":"1","source":"/s","type":"t","d\u0061ta":5})");
  EXPECT_EQ(event->id(), "1");
  EXPECT_EQ(event->data().raw(), "5");
}

TEST(EventTest, AllowsUnicodeInStrings) {
  const EventPtr event = event_of("{\"subject\":\"caf\xC3\xA9 \\ud83d\\ude00 \xEF\xBF\xBD\"}");
  EXPECT_EQ(event->core_text(CoreAttribute::kSubject), "caf\xC3\xA9 \xF0\x9F\x98\x80 \xEF\xBF\xBD");
}

TEST(EventTest, AllowsAnyCharacterInData) {
  const EventPtr event = event_of(R"({"data":"\u0000\u001f\uffff"})");
  EXPECT_EQ(event->data().string().size(), 5U);
}

TEST(EventTest, IsMissingWhatTheSpecificationRequires) {
  using Sample = std::pair<std::string_view, std::string_view>;
  for (const auto& [text, name] :
       {Sample{R"({"id":"1","source":"/s","type":"t"})", "specversion"},
        Sample{R"({"specversion":"1.0","source":"/s","type":"t"})", "id"},
        Sample{R"({"specversion":"1.0","id":"1","type":"t"})", "source"},
        Sample{R"({"specversion":"1.0","id":"1","source":"/s"})", "type"},
        Sample{R"({"specversion":"1.0","id":null,"source":"/s","type":"t"})", "id"},
        Sample{"{}", "specversion"}}) {
    EXPECT_EQ(describe(decode_event(text)),
              fmt::format("event.missing_attribute 1:1@0 expected attribute '{}', which every "
                          "event has",
                          name));
  }
}

TEST(EventTest, IsAnObject) {
  using Sample = std::pair<std::string_view, std::string_view>;
  for (const auto& [text, found] :
       {Sample{" []", "an array"}, Sample{" 1", "an integer"},
        Sample{" 1.5",
               "a number with "
               "fraction or "
               "exponent"},
        Sample{" \"{}\"", "a string"}, Sample{" true", "a boolean"}, Sample{" null", "null"}}) {
    EXPECT_EQ(describe(decode_event(text)),
              fmt::format("event.not_an_object 1:2@1 expected an event as a JSON object, found {}",
                          found));
  }
}

// The error of an event with these members on its second line: "name line:column message".
std::string error_of(std::string_view members, const EventLimits& limits = {}) {
  const auto event = decode_event(
      fmt::format("{{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\",\n{}}}",
                  members),
      limits);
  if (event) return "ok";
  const base::Error& error = event.error();
  return fmt::format("{} {}:{} {}", base::error_info(error.id).name, error.position->line,
                     error.position->column, error.message);
}

void expect_errors(std::initializer_list<std::pair<std::string_view, std::string_view>> samples) {
  for (const auto& [members, error] : samples) EXPECT_EQ(error_of(members), error) << members;
}

TEST(EventTest, RejectsAWrongName) {
  expect_errors({
      {R"("myExt":1)",
       "event.attribute_name 2:1 expected an attribute name of a-z and 0-9, found "
       "\"myExt\""},
      {R"( "my_ext":null)",
       "event.attribute_name 2:2 expected an attribute name of a-z and 0-9, "
       "found \"my_ext\""},
      {R"("":1)",
       "event.attribute_name 2:1 expected an attribute name of a-z and 0-9, found "
       "\"\""},
      {R"("Data":1)",
       "event.attribute_name 2:1 expected an attribute name of a-z and 0-9, found "
       "\"Data\""},
      {"\"caf\xC3\xA9\":1",
       "event.attribute_name 2:1 expected an attribute name of a-z and 0-9, "
       "found \"caf\xC3\xA9\""},
  });
}

TEST(EventTest, RejectsAWrongType) {
  expect_errors({
      {R"("ext":{})",
       "event.attribute_type 2:7 expected attribute 'ext' to be a string, a boolean "
       "or an integer, found an object"},
      {R"("ext":[1])",
       "event.attribute_type 2:7 expected attribute 'ext' to be a string, a "
       "boolean or an integer, found an array"},
      {R"("ext":1.0)",
       "event.attribute_type 2:7 expected attribute 'ext' to be a string, a "
       "boolean or an integer, found a number with fraction or exponent"},
      {R"("ext":1e2)",
       "event.attribute_type 2:7 expected attribute 'ext' to be a string, a "
       "boolean or an integer, found a number with fraction or exponent"},
      {R"("subject":5)",
       "event.attribute_type 2:11 expected attribute 'subject' to be a string, found an integer"},
      {R"("subject":99999999999)",
       "event.attribute_type 2:11 expected attribute 'subject' to be a string, found an integer"},
      {R"("time":true)",
       "event.attribute_type 2:8 expected attribute 'time' to be a string, found a boolean"},
      {R"("dataschema":{})",
       "event.attribute_type 2:14 expected attribute 'dataschema' to be a string, found an object"},
  });
}

TEST(EventTest, RejectsAnIntegerOutOfRange) {
  expect_errors({
      {R"("ext":2147483648)",
       "event.integer_range 2:7 expected attribute 'ext' to fit 32 bits, found 2147483648"},
      {R"("ext":-2147483649)",
       "event.integer_range 2:7 expected attribute 'ext' to fit 32 bits, found -2147483649"},
      {R"("ext":99999999999999999999)",
       "event.integer_range 2:7 expected attribute 'ext' to fit "
       "32 bits, found 99999999999999999999"},
  });
}

TEST(EventTest, RejectsAnEmptyCoreAttribute) {
  for (const std::string_view name : {"subject", "time", "datacontenttype", "dataschema"}) {
    EXPECT_EQ(error_of(fmt::format("\"{}\":\"\"", name)),
              fmt::format("event.empty_attribute 2:{} expected attribute '{}' not to be empty",
                          name.size() + 4, name));
  }
  EXPECT_EQ(error_of(R"("ext":"")"), "ok");
  EXPECT_EQ(describe(decode_event(R"({"specversion":"1.0","id":""})")),
            "event.empty_attribute 1:27@26 expected attribute 'id' not to be empty");
}

TEST(EventTest, RejectsAnotherVersion) {
  EXPECT_EQ(describe(decode_event(R"({"specversion":"0.3","id":"1","source":"/s","type":"t"})")),
            "event.specversion 1:16@15 expected attribute 'specversion' to be \"1.0\", found "
            "\"0.3\"");
  EXPECT_EQ(describe(decode_event(R"({"specversion":1.0,"id":"1","source":"/s","type":"t"})")),
            "event.attribute_type 1:16@15 expected attribute 'specversion' to be a string, found a "
            "number with fraction or exponent");
}

TEST(EventTest, RejectsAMalformedCoreAttribute) {
  EXPECT_EQ(describe(decode_event(R"({"source":"a b"})")),
            "event.source 1:11@10 expected attribute 'source' to be a URI reference, found "
            "\"a b\"");
  expect_errors({
      {R"("time":"yesterday")",
       "event.time 2:8 expected attribute 'time' to be an RFC 3339 time "
       "such as 2026-01-31T12:00:00Z, found \"yesterday\""},
      {R"("dataschema":"/schema")",
       "event.dataschema 2:14 expected attribute 'dataschema' to be a "
       "URI with a scheme, found \"/schema\""},
      {R"("datacontenttype":"json")",
       "event.datacontenttype 2:19 expected attribute 'datacontenttype' to be a media type such as "
       "application/json, found \"json\""},
  });
}

TEST(EventTest, RejectsAForbiddenCharacter) {
  for (const std::string_view forbidden :
       {"\\u0000", "\\n", "\\u001f", "\x7F", "\\u0080", "\xC2\x9F", "\\ufdd0", "\xEF\xBF\xBE",
        "\\uffff", "\\ud83f\\udfff"}) {
    EXPECT_EQ(error_of(fmt::format("\"subject\":\"a{}b\"", forbidden)),
              "event.character 2:11 expected no control character or noncharacter in attribute "
              "'subject'");
    EXPECT_EQ(error_of(fmt::format("\"ext\":\"a{}b\"", forbidden)),
              "event.character 2:7 expected no control character or noncharacter in attribute "
              "'ext'");
  }
}

TEST(EventTest, RejectsTwoKindsOfData) {
  expect_errors({
      {R"("data":1,"data_base64":"")",
       "event.data_twice 2:10 expected data or data_base64, found both"},
      {R"("data_base64":"","data":null)",
       "event.data_twice 2:18 expected data or data_base64, found both"},
  });
}

TEST(EventTest, RejectsWhatIsNoBase64) {
  expect_errors({
      {R"("data_base64":5)",
       "event.base64 2:15 expected data_base64 to be a string, found an integer"},
      {R"("data_base64":"Zm9v!")",
       "event.base64 2:15 expected padded base64 in data_base64, which "
       "is wrong from character 5 on"},
      {R"("data_base64":"Z")",
       "event.base64 2:15 expected padded base64 in data_base64, which is "
       "wrong from character 2 on"},
  });
}

TEST(EventTest, RejectsADuplicateAttribute) {
  EXPECT_EQ(error_of(R"("id":"2")"),
            "json.duplicate_member 2:1 the member \"id\" stands twice in one object");
  EXPECT_EQ(error_of(R"("data":1,"data":1)"),
            "json.duplicate_member 2:10 the member \"data\" stands twice in one object");
}

TEST(EventTest, HasLimits) {
  const EventLimits limits{.attribute_count_max = 5, .attribute_name_bytes_max = 11};
  EXPECT_EQ(error_of(R"("a":1,"data":2,"b":null)", limits), "ok");
  EXPECT_EQ(error_of(R"("a":1,"b":2)", limits),
            "event.too_many_attributes 2:7 an event has at most 5 attributes");
  EXPECT_EQ(error_of(R"("abcdefghijkl":1)", limits),
            "event.attribute_name 2:1 an attribute name has 12 bytes, the limit is 11");
  EXPECT_EQ(error_of(R"("data":[[]])", {.json = {.depth_max = 2}}),
            "json.too_deep 2:9 arrays and objects are nested deeper than 2");
  EXPECT_EQ(describe(decode_event("{} ", {.json = {.text_bytes_max = 2}})),
            "json.too_long - the text has 3 bytes, the limit is 2");
}

TEST(EventTest, IsNoJsonOrNoEvent) {
  EXPECT_EQ(describe(decode_event("{\"id\":\"1\",}")),
            "json.syntax 1:11@10 expected a member's name in double quotes, found '}'");
  EXPECT_EQ(describe(decode_event("{} {}")),
            "json.trailing_bytes 1:4@3 expected nothing after the value, found more bytes");
}

TEST(EventTest, HasNoSequenceUntilALogGivesItOne) {
  const EventPtr event = decoded(kPullRequest);
  EXPECT_EQ(event->sequence(), 0U);
  assign_sequence(event, 17);
  EXPECT_EQ(event->sequence(), 17U);
}

}  // namespace
}  // namespace weir::event
