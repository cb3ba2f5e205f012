// SPDX-License-Identifier: Apache-2.0
#include "base/near_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace weir::base {
namespace {

constexpr std::array<std::string_view, 8> kWords = {"and",    "between", "distinct", "exists",
                                                    "prefix", "suffix",  "change",   "like"};

TEST(NearNameTest, FindsAWordWithOneSlip) {
  EXPECT_EQ(near_name("distnct", kWords), "distinct");    // lost
  EXPECT_EQ(near_name("distinctt", kWords), "distinct");  // added
  EXPECT_EQ(near_name("distimct", kWords), "distinct");   // changed
  EXPECT_EQ(near_name("disitnct", kWords), "distinct");   // swapped
}

TEST(NearNameTest, FindsAWordWithTwoSlips) {
  EXPECT_EQ(near_name("betwen ", kWords), "between");
  EXPECT_EQ(near_name("ebtwene", kWords), "between");
}

TEST(NearNameTest, IgnoresCase) { EXPECT_EQ(near_name("PREFIXX", kWords), "prefix"); }

TEST(NearNameTest, PrefersTheNearest) {
  constexpr std::array<std::string_view, 3> kAlike = {"stream", "steam", "team"};
  EXPECT_EQ(near_name("steam", kAlike), "steam");
  EXPECT_EQ(near_name("steams", kAlike), "steam");
  EXPECT_EQ(near_name("streams", kAlike), "stream");
}

TEST(NearNameTest, PrefersTheFirstOfEquals) {
  constexpr std::array<std::string_view, 2> kAlike = {"cart", "card"};
  EXPECT_EQ(near_name("carx", kAlike), "cart");
}

TEST(NearNameTest, FindsNothingFarAway) {
  EXPECT_EQ(near_name("banana", kWords), "");
  EXPECT_EQ(near_name("", kWords), "");
  EXPECT_EQ(near_name("distinct", {}), "");
}

TEST(NearNameTest, DoesNotTurnAShortWordIntoAnother) {
  EXPECT_EQ(near_name("an", kWords), "and");
  EXPECT_EQ(near_name("or", kWords), "");
  EXPECT_EQ(near_name("xn", kWords), "");
}

TEST(NearNameTest, GivesUpOnAVeryLongWord) {
  const std::string longest(64, 'a');
  const std::array<std::string_view, 1> itself = {longest};
  EXPECT_EQ(near_name(longest, itself), longest);
  EXPECT_EQ(near_name(longest + "a", itself), "");
}

TEST(NearNameTest, AsksTheQuestion) {
  EXPECT_EQ(did_you_mean("lik", kWords), ": did you mean 'like'?");
  EXPECT_EQ(did_you_mean("banana", kWords), "");
}

}  // namespace
}  // namespace weir::base
