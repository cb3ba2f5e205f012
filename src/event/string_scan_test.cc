// SPDX-License-Identifier: Apache-2.0
#include "event/string_scan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/prng.h"
#include "event/padded_text.h"

namespace weir::event {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

TEST(PaddedTextTest, IsFollowedByZeros) {
  for (const std::size_t size : {0U, 1U, 900U, 960U, 961U, 1024U, 5000U}) {
    const std::string text(size, 'x');
    const PaddedText padded(text);
    EXPECT_EQ(padded.view(), text);
    EXPECT_NE(padded.begin(), text.data());
    const std::string_view padding(padded.end(), PaddedText::kPaddingBytes);
    EXPECT_EQ(padding, std::string(PaddedText::kPaddingBytes, '\0')) << size;
  }
}

TEST(PaddedTextTest, TakesAViewOfNothing) { EXPECT_EQ(PaddedText(std::string_view()).view(), ""); }

TEST(StringScanTest, TellsPlainCharactersFromAllOthers) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    for (std::size_t place = 0; place < 70; ++place) {
      std::string text(70, 'x');
      text[place] = c;
      const PaddedText padded(text);
      StringScan scan;
      const auto stop = static_cast<std::size_t>(scan.skip_plain(padded.begin()) - padded.begin());
      ASSERT_EQ(stop, is_plain(c) ? text.size() : place) << byte << " at " << place;
    }
  }
}

TEST(StringScanTest, StopsAtTheEnd) {
  for (std::size_t size = 0; size < 200; ++size) {
    const PaddedText padded(std::string(size, 'x'));
    StringScan scan;
    ASSERT_EQ(scan.skip_plain(padded.begin()), padded.end());
    ASSERT_EQ(scan.skip_plain(padded.end()), padded.end());
  }
}

// Any sequence of places that goes forward, by steps short and long.
TEST(StringScanTest, AgreesWithLookingAtEveryCharacter) {
  constexpr std::uint64_t kSeed = 64;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  for (int round = 0; round < 2'000; ++round) {
    std::string text(prng.below(600), 'x');
    const double density = prng.fraction() * prng.fraction();
    for (char& c : text) {
      if (prng.chance(density)) c = static_cast<char>(prng.next());
    }
    const PaddedText padded(text);
    StringScan scan;
    for (std::size_t at = 0; at <= text.size(); at += 1 + prng.below(prng.chance(0.1) ? 200 : 12)) {
      std::size_t expected = at;
      while (expected < text.size() && is_plain(text[expected])) ++expected;
      ASSERT_EQ(scan.skip_plain(padded.begin() + at), padded.begin() + expected) << at;
      at = expected;
    }
  }
}

}  // namespace
}  // namespace weir::event
