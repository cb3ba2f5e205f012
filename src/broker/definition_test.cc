// SPDX-License-Identifier: Apache-2.0
#include "broker/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_testing.h"

namespace weir::broker {
namespace {

std::string filter_of(std::string_view json) {
  const auto definition = Definition::parse(json);
  return definition ? (*definition)->filter()->to_text() : base::describe(definition);
}

std::string error_of(std::string_view json) {
  const auto definition = Definition::parse(
      json,
      {.id_bytes_max = 8, .sink_bytes_max = 40, .type_count_max = 2, .outbox_count_max = 100});
  return definition ? "ok" : definition.error().to_string();
}

TEST(DefinitionTest, IsEverythingIfItSaysNothing) {
  EXPECT_EQ(filter_of("{}"), "true");
  const auto definition = Definition::parse("{}").value();
  EXPECT_FALSE(definition->id());
  EXPECT_EQ(definition->sink(), "");
  EXPECT_EQ(definition->policy(), OutboxPolicy::kDropOldest);
  EXPECT_EQ(definition->outbox_count_max(), DefinitionLimits().outbox_count_max);
}

TEST(DefinitionTest, JoinsSourceTypesAndFilters) {
  EXPECT_EQ(filter_of(R"({"source":"/nyse","types":["quote","trade"],
                          "filters":[{"weir":"data.price > 20"},{"exact":{"subject":"INTC"}}]})"),
            "source = '/nyse' and (type = 'quote' or type = 'trade') and data.price > 20 and "
            "subject = 'INTC'");
}

TEST(DefinitionTest, KeepsDistinctLast) {
  EXPECT_EQ(filter_of(R"({"types":["click"],"filters":[{"weir":"distinct(data.ip) within 1h"}]})"),
            "type = 'click' and distinct(data.ip) within 1h");
}

TEST(DefinitionTest, ReadsItsOwnDocument) {
  for (const std::string_view json :
       {R"({})", R"({"id":"a-1"})",
        R"({"id":"x","source":"/s","types":["t"],"filters":[{"weir":"data.a = 'q\"'"}],)"
        R"("sink":"https://example.com/h","protocol":"HTTP",)"
        R"("config":{"outbox":{"policy":"conflate","limit":7},"initial":"none"}})"}) {
    const auto once = Definition::parse(json).value();
    EXPECT_EQ(once->to_json(), json);
    const auto twice = Definition::parse(once->to_json()).value();
    EXPECT_EQ(twice->filter()->to_text(), once->filter()->to_text());
    EXPECT_EQ(twice->policy(), once->policy());
    EXPECT_EQ(twice->outbox_count_max(), once->outbox_count_max());
    EXPECT_EQ(twice->initial(), once->initial());
    EXPECT_EQ(twice->sink(), once->sink());
  }
}

TEST(DefinitionTest, MakesOneOfAFilterAlone) {
  const auto definition = Definition::of_filter("data.a = 'x'").value();
  EXPECT_EQ(definition->filter()->to_text(), "data.a = 'x'");
  EXPECT_EQ(definition->to_json(), R"({"filters":[{"weir":"data.a = 'x'"}]})");
  EXPECT_FALSE(Definition::of_filter("data.a ="));
}

TEST(DefinitionTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("[]"), "line 1, column 1: expected a subscription to be an object");
  EXPECT_EQ(error_of("{\"filter\":[]}"),
            "line 1, column 2: a subscription has no member 'filter': did you mean 'filters'?; "
            "expected id, source, types, filters, sink, protocol, config");
  EXPECT_EQ(error_of("{\"filters\":[\n {\"weir\":\"data.a >\"}]}").substr(0, 7), "line 2,");
  EXPECT_EQ(error_of(R"({"id":""})"),
            "line 1, column 7: expected id to be a string that is not empty");
  EXPECT_EQ(error_of(R"({"id":"a b"})"),
            "line 1, column 7: expected an id of 1 to 8 letters, digits and . _ -");
  EXPECT_EQ(error_of(R"({"id":"123456789"})"),
            "line 1, column 7: expected an id of 1 to 8 letters, digits and . _ -");
  EXPECT_EQ(error_of(R"({"types":[]})"), "line 1, column 10: expected at least one type");
  EXPECT_EQ(error_of(R"({"types":["a","b","c"]})"), "line 1, column 19: expected at most 2 types");
  EXPECT_EQ(error_of(R"({"types":"a"})"), "line 1, column 10: expected types to be an array");
  EXPECT_EQ(error_of(R"({"sink":"ftp://x"})"),
            "line 1, column 9: expected a sink that begins with http:// or https://");
  EXPECT_EQ(error_of(R"({"sink":"https://)" + std::string(40, 'x') + "\"}"),
            "line 1, column 9: expected a sink of at most 40 bytes");
  EXPECT_EQ(error_of(R"({"protocol":"MQTT"})"),
            "line 1, column 13: expected the protocol to be \"HTTP\"");
  EXPECT_EQ(error_of(R"({"config":{"outbox":{"policy":"drop"}}})"),
            "line 1, column 31: expected the policy to be one of block, drop_oldest, conflate");
  EXPECT_EQ(error_of(R"({"config":{"outbox":{"limit":101}}})"),
            "line 1, column 30: expected the limit to be an integer from 1 to 100");
  EXPECT_EQ(error_of(R"({"config":{"outbox":{"limit":0}}})"),
            "line 1, column 30: expected the limit to be an integer from 1 to 100");
  EXPECT_EQ(error_of(R"({"config":{"initial":"last"}})"),
            "line 1, column 22: expected initial to be one of deliver, latest, none");
  EXPECT_EQ(error_of(R"({"config":{"oubox":{}}})"),
            "line 1, column 12: config has no member 'oubox': did you mean 'outbox'?; expected "
            "outbox, initial, highlight, start, consumers, sink");
  EXPECT_EQ(error_of(R"({"config":{"highlight":1}})"),
            "line 1, column 24: expected highlight to be true, false or an object");
  EXPECT_EQ(error_of(R"({"config":{"highlight":{"characters":0}}})"),
            "line 1, column 38: expected the characters to be an integer from 1 to 2000");
  EXPECT_EQ(error_of(R"({"config":{"highlight":{"snippets":21}}})"),
            "line 1, column 36: expected the snippets to be an integer from 1 to 20");
  EXPECT_EQ(error_of(R"({"config":{"highlight":{"html":"no"}}})"),
            "line 1, column 32: expected html to be true or false");
  EXPECT_EQ(error_of(R"({"config":{"highlight":{"before":1}}})"),
            "line 1, column 34: expected before to be a string of at most 64 bytes");
}

TEST(DefinitionTest, KnowsAnId) {
  EXPECT_TRUE(is_subscription_id("a"));
  EXPECT_TRUE(is_subscription_id("A.b_c-9"));
  EXPECT_FALSE(is_subscription_id(""));
  EXPECT_FALSE(is_subscription_id(".."));
  EXPECT_FALSE(is_subscription_id("a/b"));
  EXPECT_FALSE(is_subscription_id(std::string(129, 'a')));
}

TEST(DefinitionTest, WarnsOfItsFiltersWithTheirIndexAndPlace) {
  constexpr std::string_view kDocument =
      "{\"id\":\"a\",\"filters\":[{\"exact\":{\"type\":\"a\"}},\n"
      "{\"any\":[{\"weir\":\"tpye = 'a'\"},{\"weir\":\"sorce = 'b'\"}]}]}";
  const auto definition = Definition::parse(kDocument).value();
  ASSERT_EQ(definition->warnings().size(), 2U);
  for (const DefinitionWarning& placed : definition->warnings()) {
    EXPECT_EQ(placed.warning.name(), "near_name");
    EXPECT_EQ(placed.filter_index, 1U);
    EXPECT_EQ(placed.warning.position.line, 2U);
  }
  EXPECT_EQ(definition->warnings()[0].warning.position.offset_bytes, kDocument.find("\"tpye"));
  EXPECT_EQ(definition->warnings()[1].warning.position.offset_bytes, kDocument.find("\"sorce"));
  EXPECT_TRUE(Definition::parse("{}").value()->warnings().empty());
}

TEST(DefinitionTest, AFilterAloneIsWarnedOfWithItsPlaceInTheText) {
  for (const char* const config : {"", R"({"outbox":{"limit":3}})"}) {
    const auto definition = Definition::of_filter("type = 'a' and tpye = 'a'", {}, config).value();
    ASSERT_EQ(definition->warnings().size(), 1U);
    EXPECT_EQ(definition->warnings()[0].warning.position.offset_bytes, 15U);
    EXPECT_EQ(definition->outbox_count_max(), *config == '\0' ? 100'000U : 3U);
  }
  EXPECT_EQ(base::describe(Definition::of_filter("tpye =", {}, R"({"initial":"none"})")),
            base::describe(Definition::of_filter("tpye =")));
}

}  // namespace
}  // namespace weir::broker
