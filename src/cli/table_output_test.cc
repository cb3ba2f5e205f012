// SPDX-License-Identifier: Apache-2.0
#include "cli/table_output.h"

#include <gtest/gtest.h>

#include "cli/backoff.h"

namespace weir::cli {
namespace {

TEST(TableTest, AlignsColumns) {
  Table table({"A", "LONG", "C"});
  table.add({"xyz", "\xC3\xA9", "last one"});
  table.add({"", "12345", ""});
  EXPECT_EQ(table.to_text(),
            "A    LONG   C\n"
            "xyz  \xC3\xA9      last one\n"
            "-    12345  -\n");
}

TEST(TableTest, CleansWhatATerminalWouldObey) {
  Table table({"A"});
  table.add({"\x1b[2J"});
  EXPECT_EQ(table.to_text(), "A\n?[2J\n");
}

TEST(BackoffTest, WaitsLongerEachTimeUpToABound) {
  Backoff backoff(7);
  for (const std::int64_t most : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    const base::Duration wait = backoff.next();
    EXPECT_LE(wait, base::Duration::milliseconds(most));
    EXPECT_GE(wait, base::Duration::milliseconds(most / 2));
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), base::Duration::milliseconds(100));
}

}  // namespace
}  // namespace weir::cli
