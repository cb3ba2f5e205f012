// SPDX-License-Identifier: Apache-2.0
#include "cli/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace weir::cli {
namespace {

TEST(ByteSourceTest, ReadsAFileAndKnowsItsSize) {
  const std::string path = testing::TempDir() + "weir_byte_source_test";
  std::ofstream(path) << "hello";
  auto source = FileSource::open(path);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->name(), path);
  EXPECT_EQ(source->size_bytes(), 5U);
  EXPECT_EQ(read_all(*source, 5).value(), "hello");
  ::unlink(path.c_str());
}

TEST(ByteSourceTest, TellsWhyAFileCannotBeRead) {
  const auto missing = FileSource::open("no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().id, base::ErrorId::kCliFile);
  EXPECT_EQ(missing.error().message, "cannot open no/such/file: No such file or directory");
  auto folder = FileSource::open("/");
  ASSERT_TRUE(folder);
  EXPECT_EQ(read_all(*folder, 10).error().message, "cannot read /: Is a directory");
}

TEST(ByteSourceTest, RefusesATextBeyondTheLimit) {
  const std::string text(1U << 20U, 'x');
  MemorySource source(text);
  EXPECT_EQ(read_all(source, text.size() - 1).error().id, base::ErrorId::kJsonTooLong);
  MemorySource again(text);
  EXPECT_EQ(read_all(again, text.size()).value(), text);
}

}  // namespace
}  // namespace weir::cli
