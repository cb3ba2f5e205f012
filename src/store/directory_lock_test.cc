// SPDX-License-Identifier: Apache-2.0
#include "store/directory_lock.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"

namespace weir::store {
namespace {

TEST(DirectoryLockTest, IsHeldByOneAtATime) {
  const base::TemporaryDirectory directory;
  auto first = DirectoryLock::acquire(directory.path() / "data");
  ASSERT_EQ(base::describe(first), "ok");
  const auto second = DirectoryLock::acquire(directory.path() / "data");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().id, base::ErrorId::kStoreLocked);
  EXPECT_EQ(std::filesystem::status(directory.path() / "data").permissions(),
            std::filesystem::perms::owner_all);
  first->reset();
  EXPECT_EQ(base::describe(DirectoryLock::acquire(directory.path() / "data")), "ok");
}

TEST(DirectoryLockTest, IsWaitedForAsLongAsIsSaid) {
  const base::TemporaryDirectory directory;
  auto first = DirectoryLock::acquire(directory.path());
  ASSERT_EQ(base::describe(first), "ok");
  const auto impatient = DirectoryLock::acquire(directory.path(), base::Duration::milliseconds(20));
  ASSERT_FALSE(impatient);
  EXPECT_EQ(impatient.error().id, base::ErrorId::kStoreLocked);
  std::thread ending([&] { first->reset(); });
  const auto patient = DirectoryLock::acquire(directory.path(), base::Duration::seconds(60));
  ending.join();
  EXPECT_EQ(base::describe(patient), "ok");
}

TEST(DirectoryLockTest, SaysWhyADirectoryCannotBeMade) {
  const auto lock = DirectoryLock::acquire("/proc/no/such/place");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().id, base::ErrorId::kStoreIo);
  EXPECT_NE(lock.error().message.find("/proc/no/such/place"), std::string::npos);
}

}  // namespace
}  // namespace weir::store
