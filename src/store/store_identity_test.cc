// SPDX-License-Identifier: Apache-2.0
#include "store/store_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::store {
namespace {

using base::describe;
using testing::HasSubstr;
using testing::StartsWith;

class StoreIdentityTest : public testing::Test {
 protected:
  std::string reconciled(std::uint64_t fresh) {
    return describe(reconcile_identity(files_, "d", *registry_, fresh));
  }

  base::TemporaryDirectory directory_;
  FaultFileSystem files_;
  std::unique_ptr<Registry> registry_ = Registry::open(directory_ / "registry.sqlite").value();
};

TEST_F(StoreIdentityTest, IsGivenOnceToBoth) {
  ASSERT_EQ(reconciled(0xabc), "ok");
  EXPECT_EQ(registry_->identity().value(), 0xabcU);
  EXPECT_EQ(files_.contents().at("d/log/IDENTITY"), "weir log identity 0000000000000abc 1\n");
  ASSERT_EQ(reconciled(5), "ok");
  EXPECT_EQ(registry_->identity().value(), 0xabcU);
}

TEST_F(StoreIdentityTest, IsFinishedAfterACrashWhereverItCame) {
  ASSERT_EQ(reconciled(7), "ok");
  const std::string whole = files_.contents().at("d/log/IDENTITY");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    files_.set_contents({{"d/log/IDENTITY", whole.substr(0, size)}});
    ASSERT_EQ(reconciled(8), "ok") << size;
    EXPECT_EQ(files_.contents().at("d/log/IDENTITY"), whole);
  }
  files_.set_contents({});
  ASSERT_EQ(reconciled(8), "ok");
  EXPECT_EQ(files_.contents().at("d/log/IDENTITY"), whole);
}

TEST_F(StoreIdentityTest, ShowsALogOfAnotherRegistry) {
  ASSERT_EQ(reconciled(7), "ok");
  files_.set_contents({{"d/log/IDENTITY", "weir log identity 0000000000000abc 1\n"}});
  EXPECT_EQ(
      reconciled(8),
      "store.mismatch - d/log/IDENTITY tells at offset 18 that the log is of store "
      "0000000000000abc, "
      "but the registry is of store 0000000000000007: copy both from one directory, or restore a "
      "backup; weir doctor tells more");
}

TEST_F(StoreIdentityTest, ShowsARegistryThatIsNewBesideALogThatIsNot) {
  files_.set_contents({{"d/log/IDENTITY", "weir log identity 0000000000000abc 1\n"}});
  EXPECT_THAT(reconciled(8), HasSubstr("registry.sqlite is missing, new, or older than the log"));
  EXPECT_THAT(describe(check_new_registry(files_, "d")), StartsWith("store.mismatch"));
}

TEST_F(StoreIdentityTest, IsNotGuessedFromADamagedFile) {
  ASSERT_EQ(reconciled(7), "ok");
  files_.set_contents({{"d/log/IDENTITY", "weir log identity 00000000zzzzzabc 1\n"}});
  EXPECT_THAT(reconciled(8), StartsWith("store.corrupt"));
}

}  // namespace
}  // namespace weir::store
