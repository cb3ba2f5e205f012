// SPDX-License-Identifier: Apache-2.0
// docs/subscriptions.md against the program: members, defaults, limits, examples, errors, status.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/error_testing.h"
#include "broker/definition.h"
#include "event/json_document.h"
#include "filter/document_testing.h"
#include "server/openapi.h"
#include "server/subscription_json.h"

namespace weir::server {
namespace {

using broker::Definition;
using broker::DefinitionLimits;
using event::JsonRef;
using filter::Document;
using filter::DocumentBlock;
using filter::DocumentRow;
using Names = std::set<std::string>;

const Document& subscriptions_md() {
  static const Document document = Document::read("docs/subscriptions.md");
  return document;
}

std::string text_of(const DocumentBlock& block) {
  std::string text;
  for (const filter::DocumentLine& line : block.lines) text += line.text + "\n";
  return text;
}

Names words_of(std::string_view list) {
  Names words;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(", ", begin), list.size());
    words.emplace(list.substr(begin, end - begin));
    begin = end + 2;
  }
  return words;
}

// The members that an object of the document may have, as the error about another one lists them.
Names accepted(std::string_view before, std::string_view after) {
  const auto refused = Definition::parse(fmt::format(R"({}{{"?":1}}{})", before, after));
  if (refused) return {};
  const std::string& message = refused.error().message;
  constexpr std::string_view kBefore = "; expected ";
  return words_of(std::string_view(message).substr(message.find(kBefore) + kBefore.size()));
}

// The same of all objects, by path.
std::map<std::string, Names> accepted_members() {
  return {{"", accepted("", "")},
          {"config", accepted(R"({"config":)", "}")},
          {"config.outbox", accepted(R"({"config":{"outbox":)", "}}")},
          {"config.consumers", accepted(R"({"config":{"consumers":)", "}}")},
          {"config.sink", accepted(R"({"config":{"sink":)", "}}")},
          {"config.highlight", accepted(R"({"config":{"highlight":)", "}}")}};
}

std::map<std::string, DocumentRow> rows_by_member(std::string_view head) {
  std::map<std::string, DocumentRow> rows;
  for (const DocumentRow& row : subscriptions_md().rows(head)) {
    if (row.cells.size() == 5) rows.emplace(row.cells[0], row);
  }
  return rows;
}

Names members_of(const JsonRef& object) {
  Names names;
  object.for_each_member(
      [&](const JsonRef& name, const JsonRef&) { names.emplace(name.string()); });
  return names;
}

TEST(SubscriptionDocsTest, EveryMemberThatADefinitionAcceptsHasARowAndNoOther) {
  Names expected;
  for (const auto& [path, names] : accepted_members()) {
    EXPECT_FALSE(names.empty()) << path;
    for (const std::string& name : names) expected.insert(path.empty() ? name : path + "." + name);
  }
  Names documented;
  for (const auto& [name, row] : rows_by_member("member")) documented.insert(name);
  EXPECT_EQ(documented, expected);
}

TEST(SubscriptionDocsTest, DefaultsAreThoseOfAnEmptyDocument) {
  const auto rows = rows_by_member("member");
  const auto nothing = Definition::parse("{}").value();
  EXPECT_EQ(rows.at("config.outbox.policy").cells[2],
            fmt::format("\"{}\"", to_string(nothing->policy())));
  EXPECT_EQ(rows.at("config.outbox.limit").cells[2], fmt::to_string(nothing->outbox_count_max()));
  EXPECT_EQ(rows.at("config.initial").cells[2], "\"deliver\"");
  EXPECT_EQ(nothing->initial(), match::Initial::kDeliver);
  EXPECT_FALSE(nothing->asks_for_latest());
  EXPECT_EQ(rows.at("config.start").cells[2], to_json(nothing->start()));
  EXPECT_EQ(rows.at("config.highlight").cells[2], "false");
  EXPECT_EQ(nothing->highlight(), nullptr);

  const auto shown = Definition::parse(R"({"config":{"highlight":true}})").value()->highlight();
  ASSERT_NE(shown, nullptr);
  const auto highlight = [&](const char* name) {
    return rows.at(std::string("config.highlight.") + name).cells[2];
  };
  EXPECT_EQ(highlight("characters"), fmt::to_string(shown->character_count_max));
  EXPECT_EQ(highlight("snippets"), fmt::to_string(shown->snippet_count_max));
  EXPECT_EQ(highlight("html"), shown->escapes ? "true" : "false");
  EXPECT_EQ(highlight("before"), fmt::format("\"{}\"", shown->before));
  EXPECT_EQ(highlight("after"), fmt::format("\"{}\"", shown->after));
}

TEST(SubscriptionDocsTest, LimitsAreTheDefaults) {
  const DefinitionLimits limits;
  const std::map<std::string, std::string> expected = {
      {"id", fmt::format("{} bytes", limits.id_bytes_max)},
      {"types", fmt::format("{} types", limits.type_count_max)},
      {"sink", fmt::format("{} bytes", limits.sink_bytes_max)},
      {"config.outbox.limit", fmt::to_string(limits.outbox_count_max)},
      {"config.consumers.in_flight", fmt::to_string(limits.consumers.in_flight_max)},
      {"config.consumers.attempts", fmt::to_string(limits.consumers.attempt_count_max)},
      {"config.sink.batch_count", fmt::to_string(limits.sink.batch_count_max)},
      {"config.sink.authorization", fmt::format("{} bytes", limits.sink.authorization_bytes_max)},
      {"config.highlight.characters", fmt::to_string(limits.highlight_character_count_max)},
      {"config.highlight.snippets", fmt::to_string(limits.highlight_snippet_count_max)},
      {"config.highlight.before", fmt::format("{} bytes", limits.highlight_mark_bytes_max)},
      {"config.highlight.after", fmt::format("{} bytes", limits.highlight_mark_bytes_max)}};
  const auto rows = rows_by_member("member");
  for (const auto& [name, limit] : expected) EXPECT_EQ(rows.at(name).cells[3], limit) << name;
}

TEST(SubscriptionDocsTest, EveryExampleIsAccepted) {
  const auto blocks = subscriptions_md().blocks("json");
  EXPECT_GE(blocks.size(), 4U);
  for (const DocumentBlock& block : blocks) {
    EXPECT_EQ(base::describe(Definition::parse(text_of(block))), "ok") << block.lines[0].line;
  }
  for (const DocumentRow& row : subscriptions_md().rows("dialect")) {
    const std::string document = fmt::format(R"({{"filters":[{}]}})", row.cells[2]);
    EXPECT_EQ(base::describe(Definition::parse(document)), "ok") << row.line;
  }
}

TEST(SubscriptionDocsTest, EveryErrorIsQuotedExactly) {
  const auto blocks = subscriptions_md().blocks("json-error");
  EXPECT_GE(blocks.size(), 4U);
  for (const DocumentBlock& block : blocks) {
    ASSERT_EQ(block.lines.size(), 2U) << block.lines[0].line;
    const auto refused = Definition::parse(block.lines[0].text);
    ASSERT_FALSE(refused.has_value()) << block.lines[0].line;
    EXPECT_EQ(refused.error().to_string(), block.lines[1].text) << block.lines[0].line;
  }
}

TEST(SubscriptionDocsTest, TheAnswerAndItsStatusHaveTheMembersOfTheTables) {
  broker::SubscriptionInfo info{
      .id = "a",
      .owner = "b",
      .definition = Definition::parse(R"({"config":{"consumers":"shared"}})").value(),
      .created = {},
      .window = match::DistinctStats{},
      .trouble = ""};
  info.over_budget = 1;
  info.replay.emplace();
  std::string json;
  append_subscription(info, json);
  const auto answer = event::JsonDocument::parse(json);
  ASSERT_EQ(base::describe(answer), "ok");

  Names documented = {"id", "config"};
  for (const auto& row : subscriptions_md().rows("answer member")) documented.insert(row.cells[0]);
  EXPECT_EQ(documented, members_of(answer->root()));
  documented.clear();
  for (const auto& row : subscriptions_md().rows("status member")) documented.insert(row.cells[0]);
  EXPECT_EQ(documented, members_of(answer->root().member("status")));
}

TEST(SubscriptionDocsTest, TheSchemasHaveTheMembersThatADefinitionAccepts) {
  const std::map<std::string, std::string> schema_names = {{"", "Definition"},
                                                           {"config", "Config"},
                                                           {"config.outbox", "OutboxConfig"},
                                                           {"config.consumers", "SharedConsumers"},
                                                           {"config.sink", "SinkConfig"},
                                                           {"config.highlight", "HighlightConfig"}};
  const auto document = event::JsonDocument::parse(openapi_document());
  ASSERT_EQ(base::describe(document), "ok");
  const JsonRef schemas = document->root().member("components").member("schemas");
  for (const auto& [path, names] : accepted_members()) {
    const std::string& schema = schema_names.at(path);
    EXPECT_EQ(members_of(schemas.member(schema).member("properties")), names) << schema;
  }
}

}  // namespace
}  // namespace weir::server
