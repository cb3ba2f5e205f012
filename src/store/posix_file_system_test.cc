// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/file_system.h"

namespace weir::store {
namespace {

using base::describe;
using testing::EndsWith;
using testing::StartsWith;
using testing::UnorderedElementsAre;

TEST(PosixFileSystemTest, ReadsWhatItWroteAndNothingBeyondTheEnd) {
  const base::TemporaryDirectory directory;
  const auto file = posix_file_system().create(directory / "f").value();
  EXPECT_EQ(describe(file->write_at(0, "hello")), "ok");
  EXPECT_EQ(describe(file->write_at(3, "p!")), "ok");
  EXPECT_EQ(describe(file->sync_data()), "ok");
  EXPECT_EQ(file->read_at(0, 100).value(), "help!");
  EXPECT_EQ(file->read_at(4, 1).value(), "!");
  EXPECT_EQ(file->read_at(5, 1).value(), "");
  EXPECT_EQ(describe(file->truncate(2)), "ok");
  EXPECT_EQ(file->size().value(), 2U);
  EXPECT_EQ(posix_file_system().open(directory / "f").value()->read_at(0, 9).value(), "he");
}

TEST(PosixFileSystemTest, MakesDirectoriesWithTheirParents) {
  const base::TemporaryDirectory directory;
  FileSystem& files = posix_file_system();
  EXPECT_EQ(describe(files.create_directory(directory / "a/b/c")), "ok");
  EXPECT_EQ(describe(files.create_directory(directory / "a/b/c")), "ok");
  ASSERT_TRUE(files.create(directory / "a/b/f"));
  EXPECT_THAT(files.list(directory / "a/b").value(), UnorderedElementsAre("c", "f"));
  EXPECT_EQ(describe(files.sync_directory(directory / "a")), "ok");
}

TEST(PosixFileSystemTest, AFileThatIsRemovedStaysReadable) {
  const base::TemporaryDirectory directory;
  FileSystem& files = posix_file_system();
  const auto file = files.create(directory / "f").value();
  ASSERT_TRUE(file->write_at(0, "hello"));
  EXPECT_EQ(describe(files.remove(directory / "f")), "ok");
  EXPECT_EQ(file->read_at(0, 5).value(), "hello");
  EXPECT_FALSE(files.open(directory / "f"));
}

TEST(PosixFileSystemTest, TellsWhatFailedAndWhy) {
  const base::TemporaryDirectory directory;
  FileSystem& files = posix_file_system();
  const auto path = directory / "none/f";
  EXPECT_EQ(describe(files.open(path)),
            "store.io - cannot open " + path.native() + ": No such file or directory");
  EXPECT_THAT(describe(files.create(path)), StartsWith("store.io - cannot create "));
  EXPECT_THAT(describe(files.remove(path)), StartsWith("store.io - cannot remove "));
  EXPECT_THAT(describe(files.list(path)), StartsWith("store.io - cannot list "));
  EXPECT_THAT(describe(files.sync_directory(path)), StartsWith("store.io - cannot open directory"));
  ASSERT_TRUE(files.create(directory / "f"));
  EXPECT_THAT(describe(files.create(directory / "f")), EndsWith(": File exists"));
  EXPECT_THAT(describe(files.create_directory(directory / "f/g")), EndsWith(": Not a directory"));
}

TEST(PosixFileSystemTest, TellsThatTheDiskIsFull) {
  auto file = posix_file_system().open("/dev/full");
  if (!file) GTEST_SKIP() << describe(file);
  EXPECT_EQ(describe((*file)->write_at(7, "12345")),
            "store.full - cannot write 5 bytes at 7 of /dev/full: No space left on device");
}

}  // namespace
}  // namespace weir::store
