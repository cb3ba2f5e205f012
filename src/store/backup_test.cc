// SPDX-License-Identifier: Apache-2.0
// Backup and restore of a directory as a broker has it.
#include "store/backup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/directory_lock.h"
#include "store/event_log_testing.h"
#include "store/registry.h"
#include "store/restore.h"
#include "store/store_identity.h"

namespace weir::store {
namespace {

using base::describe;
using testing::HasSubstr;
using testing::StartsWith;

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

class BackupTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(data_);
    registry_ = Registry::open(data_ / "registry.sqlite").value();
    ASSERT_EQ(describe(reconcile_identity(posix_file_system(), data_, *registry_, 77)), "ok");
    log_ = EventLog::open(posix_file_system(), data_ / "log", {.segment_bytes = 500}).value();
    for (int i = 0; i < 8; ++i) {
      ASSERT_EQ(describe(commit_events(*log_, {fmt::format("{:100}", i), "x"})), "ok");
    }
    settle(16);
  }

  void settle(std::uint64_t sequence) {
    const std::vector<RegistryChange> changes = {
        SubscriptionRow{.number = 1, .id = "a", .owner = "", .definition = "{}", .created = {}},
        CursorRow{.subscription = 1,
                  .settled_through = sequence,
                  .scan_sequence = sequence,
                  .counts = {.acknowledged = sequence}},
        LogMark{sequence}};
    ASSERT_EQ(describe(registry_->apply(changes)), "ok");
  }

  base::Result<Manifest> back_up_to(const std::filesystem::path& target) {
    return back_up({.source = data_, .target = target, .created = "now", .program = "1"});
  }

  std::string restored(const std::filesystem::path& target) {
    return describe(restore({.backup = backup_, .target = target}));
  }

  base::TemporaryDirectory directory_;
  std::filesystem::path data_ = directory_ / "data";
  std::filesystem::path backup_ = directory_ / "backup";
  std::filesystem::path target_ = directory_ / "new" / "data";
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(BackupTest, IsRestoredWithAllEventsAndRows) {
  const auto manifest = back_up_to(backup_);
  ASSERT_EQ(describe(manifest), "ok");
  EXPECT_EQ(manifest->first_sequence, 1U);
  EXPECT_EQ(manifest->next_sequence, 17U);
  EXPECT_FALSE(std::filesystem::exists(backup_ / "registry.sqlite-wal"));
  ASSERT_EQ(restored(target_), "ok");
  const auto log = EventLog::open(posix_file_system(), target_ / "log", {}).value();
  EXPECT_EQ(lines_from(*log, 1).lines, lines_from(*log_, 1).lines);
  const auto registry = Registry::open(target_ / "registry.sqlite").value();
  EXPECT_EQ(registry->contents()->cursors, registry_->contents()->cursors);
  EXPECT_EQ(registry->identity().value(), 77U);
  EXPECT_EQ(describe(reconcile_identity(posix_file_system(), target_, *registry, 5)), "ok");
}

TEST_F(BackupTest, IsForItsOwnersEyesOnly) {
  ASSERT_EQ(describe(back_up_to(backup_)), "ok");
  ASSERT_EQ(restored(target_), "ok");
  using std::filesystem::perms;
  for (const auto& place : {backup_, target_}) {
    EXPECT_EQ(std::filesystem::status(place).permissions(), perms::owner_all);
    EXPECT_EQ(std::filesystem::status(place / "registry.sqlite").permissions(),
              perms::owner_read | perms::owner_write);
  }
}

// The registry's state is the one before the first byte of the log is copied.
TEST_F(BackupTest, HasTheRegistryAsItWasWhenTheBackupBegan) {
  BackupOptions options{.source = data_, .target = backup_, .created = "now", .program = "1"};
  options.on_begin = [this](std::uint64_t) {
    ASSERT_EQ(describe(commit_events(*log_, {"later"})), "ok");
    settle(17);
  };
  const auto manifest = back_up(options);
  ASSERT_EQ(describe(manifest), "ok");
  EXPECT_EQ(manifest->next_sequence, 17U);
  ASSERT_EQ(restored(target_), "ok");
  EXPECT_EQ(Registry::open(target_ / "registry.sqlite").value()->contents()->log_sequence, 16U);
}

TEST_F(BackupTest, NeedsAnEmptyTargetAndASource) {
  std::filesystem::create_directories(backup_);
  ASSERT_EQ(describe(back_up_to(backup_)), "ok") << "it may be there";
  EXPECT_THAT(describe(back_up_to(backup_)), StartsWith("store.target"));
  EXPECT_THAT(describe(back_up({.source = directory_ / "none",
                                .target = directory_ / "b",
                                .created = "now",
                                .program = "1"})),
              HasSubstr("there is no broker's data"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "b"));
}

TEST_F(BackupTest, IsNotRestoredOverSomething) {
  ASSERT_EQ(describe(back_up_to(backup_)), "ok");
  EXPECT_THAT(restored(data_), StartsWith("store.target"));
  const auto lock = DirectoryLock::acquire(data_);
  EXPECT_THAT(restored(data_), StartsWith("store.locked")) << "a broker runs on it";
  std::filesystem::create_directories(target_);
  EXPECT_EQ(restored(target_), "ok") << "an empty one is replaced";
}

TEST_F(BackupTest, IsNotRestoredWithoutItsManifest) {
  ASSERT_EQ(describe(back_up_to(backup_)), "ok");
  std::filesystem::remove(backup_ / "MANIFEST");
  EXPECT_THAT(restored(target_), HasSubstr("is no complete backup"));
  EXPECT_FALSE(std::filesystem::exists(target_));
}

TEST_F(BackupTest, IsNotRestoredWithAnyFileChangedCutOrMissing) {
  const auto manifest = back_up_to(backup_);
  ASSERT_EQ(describe(manifest), "ok");
  for (const ManifestFile& file : manifest->files) {
    const std::filesystem::path path = backup_ / file.name;
    const std::string whole = read(path);
    std::string flipped = whole;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    for (const std::string& bytes : {flipped, whole.substr(0, whole.size() - 1), whole + "x"}) {
      write(path, bytes);
      EXPECT_THAT(restored(target_), StartsWith("store.corrupt")) << file.name;
      EXPECT_FALSE(std::filesystem::exists(target_));
      EXPECT_FALSE(std::filesystem::exists(target_.native() + ".restoring"));
    }
    std::filesystem::remove(path);
    EXPECT_THAT(restored(target_), StartsWith("store.io")) << file.name;
    write(path, whole);
  }
  EXPECT_EQ(restored(target_), "ok");
}

TEST_F(BackupTest, TellsDamageInsteadOfCopyingIt) {
  const auto file = data_ / "log" / "00000000000000000001.log";
  std::string bytes = read(file);
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  write(file, bytes);
  EXPECT_THAT(describe(back_up_to(backup_)), StartsWith("store.corrupt"));
  EXPECT_FALSE(std::filesystem::exists(backup_ / "MANIFEST"));
}

TEST_F(BackupTest, RefusesARegistryThatKnowsMoreThanTheLog) {
  settle(99);
  EXPECT_THAT(describe(back_up_to(backup_)), StartsWith("store.mismatch"));
}

}  // namespace
}  // namespace weir::store
