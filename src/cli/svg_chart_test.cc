// SPDX-License-Identifier: Apache-2.0
#include "cli/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgChartTest, DrawsALineForEachSeriesAndNamesIt) {
  const std::string svg = to_svg({.title = "a & b",
                                  .x_title = "seconds",
                                  .y_title = "members",
                                  .series = {{.name = "up", .points = {{0, 10}, {10, 5}}},
                                             {.name = "<down>", .points = {{0, 0}, {10, 5}}}}});
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("&lt;down&gt;"));
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"80.0,40.0 550.0,205.0 \""));
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"80.0,370.0 550.0,205.0 \""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(SvgChartTest, DrawsABarForEachPoint) {
  const std::string svg = to_svg({.title = "hops",
                                  .x_title = "hops",
                                  .y_title = "lookups",
                                  .has_bars = true,
                                  .series = {{.name = "", .points = {{0, 1}, {1, 4}, {2, 2}}}}});
  std::size_t bars = 0;
  for (std::size_t at = svg.find("<rect x="); at != svg.npos; at = svg.find("<rect x=", at + 1)) {
    ++bars;
  }
  EXPECT_EQ(bars, 3U);
  EXPECT_THAT(svg, Not(HasSubstr("polyline")));
}

TEST(SvgChartTest, NothingToShowIsNoTrouble) {
  const std::string svg = to_svg({.title = "", .x_title = "", .y_title = "", .series = {}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  const std::string one = to_svg(
      {.title = "", .x_title = "", .y_title = "", .series = {{.name = "", .points = {{5, 0}}}}});
  EXPECT_THAT(one, Not(HasSubstr("nan")));
  EXPECT_THAT(one, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace weir::cli
