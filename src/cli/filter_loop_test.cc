// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

std::string reading(int id, int second, double value) {
  return fmt::format(
      R"({{"specversion":"1.0","id":"{}","source":"/s","type":"reading","subject":"a",)"
      R"("time":"2026-01-01T00:00:{:02}Z","data":{{"v":{}}}}})",
      id, second, value);
}

struct Filtered {
  Filtered(const std::vector<std::string>& filters, const std::string& input,
           FilterLoop::Options options = {}) {
    std::vector<engine::SubscriptionId> ids;
    for (const std::string& filter : filters) ids.push_back(engine.subscribe(filter).value());
    MemorySource source(input);
    StringSink sink;
    Output output(sink);
    Progress progress(output, {});
    FilterLoop loop(engine, ids, std::move(options));
    result = loop.run(source, output, progress);
    text = sink.text();
    counts = loop.counts();
  }

  engine::Engine engine;
  base::Result<void> result;
  std::string text;
  StreamCounts counts;
};

TEST(FilterLoopTest, WritesEventsAsTheyCame) {
  const std::string event =
      R"({ "type":"x\u0041",  "id":"1","source":"/s","specversion":"1.0","data":1.50 })";
  const Filtered run({"true"}, "  " + event + " \r\n\n \t\r\n" + event);
  EXPECT_EQ(run.text, event + "\n" + event + "\n");
  EXPECT_EQ(run.counts.lines, 4U);
  EXPECT_EQ(run.counts.blank_lines, 2U);
  EXPECT_EQ(run.counts.events, 2U);
  EXPECT_EQ(run.counts.written, 2U);
}

TEST(FilterLoopTest, StopsAtABadLineAfterWritingWhatCameBefore) {
  const Filtered run({"true"}, reading(1, 1, 1) + "\n{\"id\":1}\n" + reading(2, 2, 1) + "\n");
  EXPECT_EQ(run.text, reading(1, 1, 1) + "\n");
  ASSERT_FALSE(run.result);
  EXPECT_EQ(run.result.error().position->line, 2U);
  EXPECT_EQ(run.result.error().position->column, 7U);
  EXPECT_EQ(run.counts.invalid_lines, 1U);
}

TEST(FilterLoopTest, GoesOnAfterBadLinesIfAsked) {
  std::vector<std::size_t> bad;
  const std::string long_line(200, ' ');
  const Filtered run(
      {"true"}, "[]\n" + reading(1, 1, 1) + "\n" + long_line + "x\n" + reading(2, 2, 1) + "\n{",
      {.line_bytes_max = 150,
       .on_bad_line = [&](const base::Error& error) { bad.push_back(error.position->line); }});
  EXPECT_TRUE(run.result);
  EXPECT_EQ(run.text, reading(1, 1, 1) + "\n" + reading(2, 2, 1) + "\n");
  EXPECT_EQ(bad, std::vector<std::size_t>({1, 3, 5}));
  EXPECT_EQ(run.counts.lines, 5U);
  EXPECT_EQ(run.counts.invalid_lines, 3U);
}

TEST(FilterLoopTest, TakesTheTimeOfEventsForTheClock) {
  const Filtered run({"distinct(subject) within 10s"},
                     reading(1, 0, 1) + "\n" + reading(2, 9, 1) + "\n" + reading(3, 10, 1) + "\n");
  EXPECT_EQ(run.text, reading(1, 0, 1) + "\n" + reading(3, 10, 1) + "\n");
}

TEST(FilterLoopTest, DeliversWhatIsHeldBackAtTheEnd) {
  const Filtered run({"change(data.v, by subject) > 0.5 at most every 10s"},
                     reading(1, 0, 1) + "\n" + reading(2, 1, 5) + "\n" + reading(3, 2, 9) + "\n");
  EXPECT_EQ(run.text, reading(1, 0, 1) + "\n" + reading(3, 2, 9) + "\n");
}

TEST(FilterLoopTest, DeliversNothingMoreAfterABadLine) {
  const Filtered run({"change(data.v, by subject) > 0.5 at most every 10s"},
                     reading(1, 0, 1) + "\n" + reading(2, 1, 5) + "\n{\n");
  EXPECT_FALSE(run.result);
  EXPECT_EQ(run.text, reading(1, 0, 1) + "\n");
}

TEST(FilterLoopTest, WritesAnEventOnceThoughAnotherFilterHeldItBack) {
  const std::vector<std::string> filters = {"true",
                                            "change(data.v, by subject) > 0.5 at most every 10s"};
  const std::string input = reading(1, 0, 1) + "\n" + reading(2, 1, 5) + "\n";
  EXPECT_EQ(Filtered(filters, input, {.writer = {.events_return = true}}).text, input);
}

// Says that nothing can be read, until asked to read; notes what was written by the end.
class PausingSource final : public ByteSource {
 public:
  PausingSource(std::string_view bytes, const StringSink& sink) : bytes_(bytes), sink_(sink) {}

  base::Result<std::size_t> read(std::span<char> out) override {
    written_at_end = sink_.text();
    return bytes_.read(out);
  }
  bool wait(base::Duration) override { return false; }

  std::string written_at_end;

 private:
  MemorySource bytes_;
  const StringSink& sink_;
};

TEST(FilterLoopTest, DeliversByTheWallClockWhileNoInputComes) {
  engine::Engine engine;
  const auto id = engine.subscribe("change(data.v, by subject) > 0.5 at most every 2ms").value();
  const std::string input = reading(1, 0, 1) + "\n" + reading(2, 1, 5) + "\n";
  StringSink sink;
  PausingSource source(input, sink);
  Output output(sink);
  Progress progress(output, {});
  FilterLoop loop(engine, {id}, {.clock = ClockKind::kWall});
  ASSERT_TRUE(loop.run(source, output, progress));
  EXPECT_EQ(source.written_at_end, input);
  EXPECT_EQ(sink.text(), input);
}

}  // namespace
}  // namespace weir::cli
