// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "protocol/message_testing.h"

namespace weir::protocol::tree {
namespace {

TEST(TreeMessagesTest, AreReadAsTheyWereWritten) {
  const ResultVersion version{.root = {3}, .number = 4};
  const auto examples =
      std::make_tuple(Report{.tree = {1},
                             .session = 2,
                             .number = 5,
                             .distance = ~0ULL,
                             .member_count = 6,
                             .held = version,
                             .summary = "summary"},
                      Renew{.tree = {1}, .session = 2, .number = 5, .distance = 7, .held = version},
                      Leave{.tree = {1}, .session = 2}, Again{.tree = {1}, .session = 2},
                      Result{.tree = {1},
                             .session = 2,
                             .sequence = 8,
                             .version = version,
                             .member_count = 6,
                             .summary = ""});
  expect_all_same<Messages>(examples);
}

}  // namespace
}  // namespace weir::protocol::tree
