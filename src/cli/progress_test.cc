// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

constexpr base::Instant at_ms(std::int64_t milliseconds) { return {milliseconds * 1'000'000}; }

struct Shown {
  explicit Shown(Progress::Options options) : progress(err, options) {}

  StringSink sink;
  Output err{sink};
  Progress progress;
};

TEST(ProgressTest, ShowsNothingUnlessEnabled) {
  Shown shown({.enabled = false});
  shown.progress.show(at_ms(0), {});
  shown.progress.show(at_ms(10'000), {.event_count = 1});
  shown.progress.clear();
  EXPECT_EQ(shown.sink.text(), "");
}

TEST(ProgressTest, AppearsAfterHalfASecondAndIsErased) {
  Shown shown({.enabled = true});
  shown.progress.show(at_ms(1000), {});
  shown.progress.show(at_ms(1499), {.event_count = 10});
  EXPECT_EQ(shown.sink.text(), "");
  shown.progress.show(at_ms(1500), {.event_count = 1000, .written_count = 2});
  EXPECT_EQ(shown.sink.text(), "\r\x1b[K1,000 events, 2 written, 2,000 events/s");
  shown.progress.clear();
  shown.progress.clear();
  EXPECT_EQ(shown.sink.text(), "\r\x1b[K1,000 events, 2 written, 2,000 events/s\r\x1b[K");
}

TEST(ProgressTest, ShowsAtMostTwoLinesASecond) {
  Shown shown({.enabled = true});
  for (std::int64_t ms = 0; ms <= 3000; ++ms) shown.progress.show(at_ms(ms), {.event_count = 1});
  std::size_t count = 0;
  for (const char c : shown.sink.text()) count += c == '\r' ? 1U : 0U;
  EXPECT_EQ(count, 6U);
}

TEST(ProgressTest, TellsTheShareOfAnInputOfKnownSize) {
  Shown shown({.enabled = true, .total_bytes = 400});
  shown.progress.show(at_ms(0), {});
  shown.progress.show(at_ms(500), {.event_count = 1, .read_bytes = 100});
  EXPECT_EQ(shown.sink.text(), "\r\x1b[K 25%  1 events, 0 written, 2 events/s");
}

}  // namespace
}  // namespace weir::cli
