// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/messages.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/message_testing.h"

namespace weir::protocol::tree {
namespace {

TEST(TreeMessagesTest, AreReadAsTheyWereWritten) {
  const ResultVersion version{.root = {3}, .number = 4};
  expect_same(Report{.tree = {1},
                     .session = 2,
                     .number = 5,
                     .distance = ~0ULL,
                     .member_count = 6,
                     .held = version,
                     .summary = "summary"});
  expect_same(Renew{.tree = {1}, .session = 2, .number = 5, .distance = 7, .held = version});
  expect_same(Leave{.tree = {1}, .session = 2});
  expect_same(Again{.tree = {1}, .session = 2});
  expect_same(Result{.tree = {1},
                     .session = 2,
                     .sequence = 8,
                     .version = version,
                     .member_count = 6,
                     .summary = ""});
}

TEST(TreeMessagesTest, KindsHaveNames) {
  EXPECT_EQ(kind_name(kind_of(Kind::kReport)), "tree.report");
  EXPECT_EQ(kind_name(kind_of(Kind::kResult)), "tree.result");
}

}  // namespace
}  // namespace weir::protocol::tree
