// SPDX-License-Identifier: Apache-2.0
// Runs the case files of the weir language and of the dialects. A case has one of two shapes:
//
//   expr      a filter of the weir language (or `filters`: those of a subscription, as JSON)
//   canonical its canonical text; left out: it is the text of `expr` itself
//   normal    the canonical text of its normal form; left out: not looked at
//   match     an event that passes, no: one that does not; both in the shape of event_of
//   warning   line:column name message; all warnings are listed, in their order
//   warned    the names of the warnings instead, sorted, where they are beside the point
//   error     line:column id message, with - where there is no place; nothing else then
//   limits    limits other than the defaults, as name=number, parted by blanks
//   score     what every text predicate scores; left out: there is no text
//
//   event     one event; `true` filters pass it, `false` filters do not
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/case_file_testing.h"
#include "event/event_testing.h"
#include "filter/evaluate.h"
#include "filter/filter.h"
#include "filter/filter_testing.h"
#include "filter/normal_form.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

const std::vector<std::string_view> kWeirFiles = {
    "src/filter/weir_cases.txt",         "src/filter/weir_stateful_cases.txt",
    "src/filter/weir_type_cases.txt",    "src/filter/weir_value_cases.txt",
    "src/filter/weir_error_cases.txt",   "src/filter/weir_stateful_error_cases.txt",
    "src/filter/weir_warning_cases.txt", "src/filter/weir_many_cases.txt"};
const std::vector<std::string_view> kDialectFiles = {"src/filter/dialect_cases.txt"};

FilterLimits limits_of(const base::Case& one) {
  FilterLimits limits;
  const std::map<std::string_view, std::size_t*> fields = {
      {"text_bytes_max", &limits.text_bytes_max},
      {"depth_max", &limits.depth_max},
      {"list_count_max", &limits.list_count_max},
      {"pattern_bytes_max", &limits.pattern_bytes_max},
      {"conjunction_count_max", &limits.conjunction_count_max},
      {"term_count_max", &limits.term_count_max}};
  const std::string* const text = one.find("limits");
  std::string_view rest = text == nullptr ? std::string_view() : *text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    const auto field = fields.find(word.substr(0, equals));
    EXPECT_NE(field, fields.end()) << word;
    if (field == fields.end()) continue;
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), *field->second);
  }
  return limits;
}

std::string place(const std::optional<base::Position>& position) {
  return position ? fmt::format("{}:{}", position->line, position->column) : "-";
}

std::string told(const base::Error& error) {
  return fmt::format("{} {} {}", place(error.position), base::error_info(error.id).name,
                     error.message);
}

// The canonical text parses, in the weir language, to an equal filter with an equal text.
void check_canonical(const Filter& filter) {
  const std::string text = filter.to_text();
  const auto again = Filter::parse(text, {.depth_max = 1000});
  ASSERT_TRUE(again.has_value()) << text << "\n" << again.error().to_string();
  EXPECT_TRUE(equal((*again)->expr(), filter.expr())) << text;
  EXPECT_EQ((*again)->distinct(), filter.distinct()) << text;
  EXPECT_EQ((*again)->to_text(), text);
}

// What the tree says; the normal form must say the same.
bool passes(const Filter& filter, const event::Event& event, Scorer& scorer) {
  const bool by_tree = evaluate(*filter.expr(), event, scorer);
  const bool by_normal_form = evaluate(*to_expr(filter.normal_form()), event, scorer);
  EXPECT_EQ(by_tree, by_normal_form) << filter.to_text() << "\n" << event.json();
  return by_tree;
}

FixedScorer scorer_of(const base::Case& one) {
  const std::string* const score = one.find("score");
  return score == nullptr ? FixedScorer() : FixedScorer(std::stod(*score));
}

void check_warnings(const base::Case& one, const Filter& filter) {
  if (const std::string* const names = one.find("warned")) {
    std::set<std::string_view> warned;
    for (const Warning& warning : filter.warnings()) warned.insert(warning.name());
    EXPECT_EQ(fmt::format("{}", fmt::join(warned, " ")), *names);
    return;
  }
  std::vector<std::string> warned;
  for (const Warning& warning : filter.warnings()) {
    warned.push_back(
        fmt::format("{} {} {}", place(warning.position), warning.name(), warning.message));
  }
  std::vector<std::string> expected;
  for (const base::CaseLine& line : one.lines) {
    if (line.key == "warning") expected.push_back(line.text);
  }
  EXPECT_EQ(warned, expected);
}

void check_valid(const base::Case& one, const Filter& filter, const std::string& text) {
  check_canonical(filter);
  const std::string* const canonical = one.find("canonical");
  EXPECT_EQ(filter.to_text(), canonical == nullptr ? text : *canonical);
  if (const std::string* const normal = one.find("normal")) {
    EXPECT_EQ(to_text(*to_expr(filter.normal_form())), *normal);
  }

  check_warnings(one, filter);

  FixedScorer scorer = scorer_of(one);
  for (const base::CaseLine& line : one.lines) {
    if (line.key != "match" && line.key != "no") continue;
    ASSERT_FALSE(filter.has_change()) << "what a change lets through is no matter of one event";
    const bool passed = passes(filter, *event::event_of(line.text), scorer);
    EXPECT_EQ(passed, line.key == "match") << line.line << ": " << line.text;
  }
}

void check_filter_case(const base::Case& one) {
  const std::string* const expr = one.find("expr");
  const std::string* const filters = one.find("filters");
  ASSERT_NE(expr == nullptr, filters == nullptr) << "a case has either expr or filters";
  const std::string& text = expr != nullptr ? *expr : *filters;
  const FilterLimits limits = limits_of(one);
  const auto filter =
      expr != nullptr ? Filter::parse(text, limits) : Filter::parse_dialects(text, limits);
  const std::string* const error = one.find("error");
  if (error != nullptr) {
    EXPECT_EQ(filter.has_value() ? "no error" : told(filter.error()), *error);
    return;
  }
  ASSERT_TRUE(filter.has_value()) << told(filter.error());
  check_valid(one, **filter, text);
}

void check_event_case(const base::Case& one) {
  const event::EventPtr event = event::event_of(*one.find("event"));
  FixedScorer scorer = scorer_of(one);
  for (const base::CaseLine& line : one.lines) {
    if (line.key != "true" && line.key != "false") continue;
    const auto filter = Filter::parse(line.text);
    ASSERT_TRUE(filter.has_value()) << line.line << ": " << told(filter.error());
    check_canonical(**filter);
    EXPECT_EQ(passes(**filter, *event, scorer), line.key == "true")
        << line.line << ": " << line.text;
  }
}

// Number of filters in the file.
std::size_t check_file(std::string_view path) {
  static const std::set<std::string_view> kKeys = {
      "expr",   "filters", "canonical", "normal", "match", "no",   "warning",
      "warned", "error",   "limits",    "score",  "event", "true", "false"};
  std::size_t count = 0;
  for (const base::Case& one : base::read_cases(path)) {
    SCOPED_TRACE(one.where());
    for (const base::CaseLine& line : one.lines) {
      EXPECT_TRUE(kKeys.contains(line.key)) << line.line << ": no such key: " << line.key;
      count +=
          line.key == "expr" || line.key == "filters" || line.key == "true" || line.key == "false";
    }
    if (one.find("event") != nullptr) {
      check_event_case(one);
    } else {
      check_filter_case(one);
    }
  }
  return count;
}

std::set<std::string> error_names(const std::vector<std::string_view>& paths) {
  std::set<std::string> names;
  for (const std::string_view path : paths) {
    for (const base::Case& one : base::read_cases(path)) {
      if (const std::string* const error = one.find("error")) {
        const std::size_t begin = error->find(' ') + 1;
        names.insert(error->substr(begin, error->find(' ', begin) - begin));
      }
    }
  }
  return names;
}

TEST(WeirCasesTest, EveryFilterOfTheLanguageDoesWhatItsCaseSays) {
  std::size_t count = 0;
  for (const std::string_view path : kWeirFiles) count += check_file(path);
  EXPECT_GE(count, 300U);
}

TEST(WeirCasesTest, EveryFilterOfTheDialectsDoesWhatItsCaseSays) {
  std::size_t count = 0;
  for (const std::string_view path : kDialectFiles) count += check_file(path);
  EXPECT_GE(count, 60U);
}

// A text predicate without words is refused by whoever analyses texts, and so not here.
TEST(WeirCasesTest, EveryErrorOfAFilterHasACase) {
  std::vector<std::string_view> files = kWeirFiles;
  files.insert(files.end(), kDialectFiles.begin(), kDialectFiles.end());
  const std::set<std::string> covered = error_names(files);
  for (const base::ErrorInfo& info : base::error_table()) {
    if (!info.name.starts_with("filter.") || info.id == base::ErrorId::kFilterNoTerms) continue;
    EXPECT_TRUE(covered.contains(std::string(info.name))) << info.name;
  }
}

}  // namespace
}  // namespace weir::filter
