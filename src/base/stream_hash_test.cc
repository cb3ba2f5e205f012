// SPDX-License-Identifier: Apache-2.0
#include "base/stream_hash.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"

namespace weir::base {
namespace {

TEST(StreamHashTest, IsTheHashOfTheWholeHoweverItIsCut) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t piece : {1U, 3U, 239U, 1024U, 5000U}) {
    StreamHash hash;
    for (std::size_t i = 0; i < text.size(); i += piece) {
      hash.add(std::string_view(text).substr(i, piece));
    }
    EXPECT_EQ(hash.value(), hash_bytes(text)) << piece;
  }
  EXPECT_EQ(StreamHash().value(), hash_bytes(""));
}

}  // namespace
}  // namespace weir::base
