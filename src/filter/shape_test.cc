// SPDX-License-Identifier: Apache-2.0
#include "filter/shape.h"

#include <gtest/gtest.h>

namespace weir::filter {
namespace {

std::string shape(std::string_view filter) { return shape_of(**Filter::parse(filter)); }

TEST(ShapeTest, ThresholdsAreLeftOut) {
  EXPECT_EQ(shape("change(data.v) > 1"), shape("change(data.v) > 2.5"));
  EXPECT_EQ(shape("change(data.v) > 1 and >= 2%"), shape("change(data.v) > 3 and >= 4%"));
  EXPECT_EQ(shape("change(text(data.t)) > 0.1"), shape("change(text(data.t)) > 0.2"));
  EXPECT_EQ(shape("type = 'a' and (change(data.v) > 1 or change(data.w) > 2)"),
            shape("type = 'a' and (change(data.v) > 3 or change(data.w) > 4)"));
}

TEST(ShapeTest, EverythingElseCounts) {
  const std::string one = shape("type = 'a' and change(data.v) > 1 and distinct(id) within 1s");
  for (const char* const other : {"type = 'b' and change(data.v) > 1 and distinct(id) within 1s",
                                  "type = 'a' and change(data.w) > 1 and distinct(id) within 1s",
                                  "type = 'a' and change(data.v) >= 1 and distinct(id) within 1s",
                                  "type = 'a' and change(data.v) > 1% and distinct(id) within 1s",
                                  "type = 'a' and change(data.v) > 1 or silent for 1s",
                                  "type = 'a' and change(data.v) > 1 and distinct(id) within 2s",
                                  "type = 'a' and change(data.v) > 1"}) {
    EXPECT_NE(one, shape(other)) << other;
  }
  EXPECT_NE(shape("change(data.v) crosses 1"), shape("change(data.v) crosses 2"));
}

// Equal alternatives are one: there is less to remember.
TEST(ShapeTest, AlternativesThatFallTogetherCount) {
  EXPECT_NE(shape("change(data.v) > 1 or change(data.v) > 1"),
            shape("change(data.v) > 1 or change(data.v) > 2"));
}

}  // namespace
}  // namespace weir::filter
