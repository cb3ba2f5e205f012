// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_testing.h"

namespace weir::store {
namespace {

Manifest example() {
  return {.created = "2026-01-02T03:04:05Z",
          .program = "0.1.0",
          .first_sequence = 12,
          .next_sequence = 5400,
          .files = {{"registry.sqlite", 61'440, 0x1122334455667788U},
                    {"log/IDENTITY", 37, 0},
                    {"log/00000000000000000007.log", 4096, ~0ULL}}};
}

TEST(ManifestTest, IsReadAsItWasWritten) {
  const std::string text = to_text(example());
  EXPECT_TRUE(text.starts_with("weir backup 1\ncreated 2026-01-02T03:04:05Z\nprogram 0.1.0\n"));
  const auto read = parse_manifest(text);
  ASSERT_EQ(base::describe(read), "ok");
  EXPECT_EQ(*read, example());
  EXPECT_EQ(read->size_bytes(), 61'440U + 37 + 4096);
}

TEST(ManifestTest, IsRefusedWhereverItIsCutOrChanged) {
  const std::string text = to_text(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(parse_manifest(text.substr(0, i))) << i;
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(parse_manifest(changed)) << i;
  }
}

TEST(ManifestTest, NamesNoFileElsewhere) {
  for (const char* name : {"../registry.sqlite", "/etc/passwd", "log/../x", "log/x.log", "lock"}) {
    Manifest manifest = example();
    manifest.files[0].name = name;
    EXPECT_FALSE(parse_manifest(to_text(manifest))) << name;
  }
}

TEST(ManifestTest, TellsALaterVersion) {
  EXPECT_EQ(base::describe(parse_manifest("weir backup 2\n")),
            "store.version - the backup has version 2, this program knows 1");
}

}  // namespace
}  // namespace weir::store
