// SPDX-License-Identifier: Apache-2.0
#include "cli/failure.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

Failure syntax_failure() {
  return {.error = {base::ErrorId::kFilterSyntax, "expected a value", base::Position{1, 8, 7}},
          .what = "filter 2",
          .text = "type = = 'quote'"};
}

TEST(FailureTest, ShowsThePlaceInTheText) {
  EXPECT_EQ(to_text(syntax_failure()),
            "weir: filter 2: line 1, column 8: expected a value\n"
            "  type = = 'quote'\n"
            "         ^\n");
}

TEST(FailureTest, NamesOnlyWhatIsKnown) {
  EXPECT_EQ(to_text({.error = {base::ErrorId::kCliFile, "cannot open x", std::nullopt}}),
            "weir: cannot open x\n");
}

TEST(FailureTest, IsOneObjectInJson) {
  EXPECT_EQ(to_json(syntax_failure()),
            R"({"error":{"number":201,"name":"filter.syntax","code":"invalid_input",)"
            R"("what":"filter 2","message":"expected a value","line":1,"column":8}})"
            "\n");
  EXPECT_EQ(to_json({.error = {base::ErrorId::kCliFile, "no \"x\"", std::nullopt}}),
            R"({"error":{"number":402,"name":"cli.file","code":"unavailable",)"
            R"("message":"no \"x\""}})"
            "\n");
}

TEST(FailureTest, CutsMessagesThatQuoteTheInput) {
  const Failure failure{
      .error = {base::ErrorId::kEventTime, std::string(1U << 20U, 'x'), std::nullopt}};
  EXPECT_LT(to_text(failure).size(), 1000U);
  EXPECT_LT(to_json(failure).size(), 1000U);
}

TEST(FailureTest, TellsAllOfADamagedStore) {
  const std::string told(2000, 'x');
  const Failure failure{.error = {base::ErrorId::kStoreCorrupt, told, std::nullopt}};
  EXPECT_EQ(to_text(failure), "weir: " + told + "\n");
  EXPECT_NE(to_json(failure).find(told), std::string::npos);
}

TEST(FailureTest, ReportsAndGivesTheExitCode) {
  StringSink sink;
  Output err(sink);
  EXPECT_EQ(report(syntax_failure(), false, err), 2);
  EXPECT_EQ(sink.text(), to_text(syntax_failure()));
}

}  // namespace
}  // namespace weir::cli
