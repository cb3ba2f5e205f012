// SPDX-License-Identifier: Apache-2.0
#include "base/strong_id.h"

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

namespace weir::base {
namespace {

using AppleId = StrongId<struct AppleTag>;
using PearId = StrongId<struct PearTag>;

static_assert(!std::convertible_to<AppleId, PearId>);
static_assert(!std::convertible_to<AppleId, std::uint64_t>);
static_assert(!std::convertible_to<std::uint64_t, AppleId>);
static_assert(std::is_trivially_copyable_v<AppleId>);

TEST(StrongIdTest, ComparesByItsNumber) {
  EXPECT_EQ(AppleId{7}, AppleId{7});
  EXPECT_LT(AppleId{7}, AppleId{8});
  EXPECT_EQ(AppleId{}.value, 0U);
}

}  // namespace
}  // namespace weir::base
