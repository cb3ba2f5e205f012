// SPDX-License-Identifier: Apache-2.0
#include "broker/delivery_id.h"

#include <gtest/gtest.h>

namespace weir::broker {
namespace {

TEST(DeliveryIdTest, IsReadAsItWasWritten) {
  for (const DeliveryId& id : {DeliveryId{0}, DeliveryId{17}, DeliveryId{17, 12},
                               DeliveryId{1, kNoIncarnation}, DeliveryId{UINT64_MAX, UINT64_MAX}}) {
    EXPECT_EQ(parse_delivery_id(to_string(id)), id) << to_string(id);
  }
  EXPECT_EQ(to_string({17, 12}), "17@12");
  EXPECT_EQ(to_string({17}), "17");
}

TEST(DeliveryIdTest, IsNothingElse) {
  for (const char* const text :
       {"", "@", "17@", "@12", "x", "17@x", "17@12@3", " 17", "17 ", "-1", "+1", "017", "17@012",
        "17.0", "18446744073709551616", "1@18446744073709551616"}) {
    EXPECT_EQ(parse_delivery_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weir::broker
