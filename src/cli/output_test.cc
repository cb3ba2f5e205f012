// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace weir::cli {
namespace {

TEST(OutputTest, WritesWhenTheBufferIsFullAndOnFlush) {
  StringSink sink;
  Output output(sink, 4);
  output.append("abc");
  EXPECT_EQ(sink.text(), "");
  output.append("de");
  EXPECT_EQ(sink.text(), "abc");
  output.flush();
  EXPECT_EQ(sink.text(), "abcde");
}

TEST(OutputTest, KeepsTheOrderOfTextsLargerThanTheBuffer) {
  StringSink sink;
  Output output(sink, 4);
  output.append("ab");
  output.append("0123456789");
  output.append("c");
  ASSERT_TRUE(output.finish());
  EXPECT_EQ(sink.text(), "ab0123456789c");
}

TEST(OutputTest, EndsQuietlyWhenNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  ::close(pipe_ends[0]);
  DescriptorSink sink(pipe_ends[1], "pipe");
  Output output(sink);
  output.append("x");
  EXPECT_FALSE(output.ended());
  output.flush();
  EXPECT_TRUE(output.ended());
  EXPECT_TRUE(output.finish());
  ::close(pipe_ends[1]);
}

TEST(OutputTest, RemembersThatWritingFailed) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  DescriptorSink sink(full, "the disk");
  Output output(sink);
  output.append("x");
  output.flush();
  EXPECT_TRUE(output.ended());
  output.append("y");
  const auto finished = output.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().id, base::ErrorId::kCliFile);
  EXPECT_EQ(finished.error().message, "cannot write the disk: No space left on device");
  ::close(full);
}

}  // namespace
}  // namespace weir::cli
