// SPDX-License-Identifier: Apache-2.0
// The module by the examples of cesql_cases.txt.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "base/case_file_testing.h"
#include "event/event_testing.h"
#include "event/json_document.h"
#include "filter/cesql/cesql.h"

namespace weir::filter::cesql {
namespace {

constexpr std::string_view kFile = "src/filter/cesql/cesql_cases.txt";

// As in a case file: JSON.
std::string to_json(const CesqlValue& value) {
  std::string json;
  if (const auto* text = std::get_if<std::string>(&value)) {
    event::append_json_string(*text, json);
  } else if (const auto* integer = std::get_if<std::int32_t>(&value)) {
    json = std::to_string(*integer);
  } else {
    json = std::get<bool>(value) ? "true" : "false";
  }
  return json;
}

std::string kinds_of(const Evaluation& evaluation) {
  std::string kinds;
  for (const EvaluationError& error : evaluation.errors) {
    kinds += fmt::format("{}{}", kinds.empty() ? "" : " ", to_string(error.kind));
  }
  return kinds;
}

std::string at(const base::Position& position, std::string_view message) {
  return fmt::format("{}:{} {}", position.line, position.column, message);
}

std::string text_or(const std::string* text, std::string_view otherwise) {
  return std::string(text == nullptr ? otherwise : std::string_view(*text));
}

void check_canonical_text(const base::Case& test, const Expression& expression) {
  const std::string text = to_text(expression);
  if (const std::string* expected = test.find("canonical")) {
    EXPECT_EQ(text, *expected);
  }
  const auto again = parse_with_warnings(text);
  ASSERT_TRUE(again.has_value()) << text << ": " << again.error().to_string();
  EXPECT_EQ(*again->expression, expression) << text;
  EXPECT_EQ(to_text(*again->expression), text);
}

void check_value(const base::Case& test, const Expression& expression) {
  const std::string* expected = test.find("value");
  ASSERT_NE(expected, nullptr) << "a case needs a value or a parse_error";
  const auto document = event::JsonDocument::parse(*expected);
  ASSERT_TRUE(document.has_value()) << document.error().to_string();
  std::string compact;
  event::append_compact(document->root(), compact);

  const event::EventPtr event = event::event_of(text_or(test.find("event"), "{}"));
  const Evaluation evaluation = evaluate(expression, *event);
  EXPECT_EQ(to_json(evaluation.value), compact);
  EXPECT_EQ(kinds_of(evaluation), text_or(test.find("errors"), ""));
  EXPECT_EQ(passes(expression, *event),
            evaluation.errors.empty() && evaluation.value == CesqlValue(true));
}

void check_warnings(const base::Case& test, const ParsedExpression& parsed) {
  std::string warnings_found;
  for (const Warning& warning : parsed.warnings) {
    warnings_found += at(warning.position, warning.message);
  }
  EXPECT_EQ(warnings_found, text_or(test.find("warning"), ""));
}

void check(const base::Case& test) {
  const auto parsed = parse_with_warnings(*test.find("expr"));
  if (const std::string* expected = test.find("parse_error")) {
    ASSERT_FALSE(parsed.has_value()) << "parses as " << to_text(*parsed->expression);
    EXPECT_EQ(parsed.error().id, base::ErrorId::kFilterCesqlSyntax);
    EXPECT_EQ(at(parsed.error().position.value(), parsed.error().message), *expected);
    return;
  }
  ASSERT_TRUE(parsed.has_value()) << parsed.error().to_string();
  check_canonical_text(test, *parsed->expression);
  check_value(test, *parsed->expression);
  check_warnings(test, *parsed);
}

TEST(CesqlCasesTest, GiveWhatTheyPromise) {
  const std::set<std::string_view> keys = {"expr",      "event",   "value",      "errors",
                                           "canonical", "warning", "parse_error"};
  for (const base::Case& test : base::read_cases(kFile)) {
    SCOPED_TRACE(test.where());
    ASSERT_NE(test.find("expr"), nullptr);
    SCOPED_TRACE(*test.find("expr"));
    for (const base::CaseLine& line : test.lines) EXPECT_TRUE(keys.contains(line.key)) << line.key;
    check(test);
  }
}

}  // namespace
}  // namespace weir::filter::cesql
