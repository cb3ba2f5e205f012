// SPDX-License-Identifier: Apache-2.0
#include "event/base64.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/prng.h"

namespace weir::event {
namespace {

std::string encoded(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

TEST(Base64Test, KnowsTheVectorsOfRfc4648) {
  using Vector = std::pair<std::string_view, std::string_view>;
  for (const auto& [bytes, text] :
       {Vector{"", ""}, Vector{"f", "Zg=="}, Vector{"fo", "Zm8="}, Vector{"foo", "Zm9v"},
        Vector{"foob", "Zm9vYg=="}, Vector{"fooba", "Zm9vYmE="}, Vector{"foobar", "Zm9vYmFy"},
        Vector{"\xFB\xFF\xBF", "+/+/"}}) {
    EXPECT_EQ(encoded(bytes), text);
    EXPECT_EQ(decode_base64(text), std::string(bytes));
    EXPECT_EQ(base64_error_offset(text), std::nullopt);
  }
}

TEST(Base64Test, AppendsToWhatIsThere) {
  std::string out = "x";
  append_base64("f", out);
  EXPECT_EQ(out, "xZg==");
}

TEST(Base64Test, TellsTheFirstCharacterThatIsWrong) {
  using Sample = std::pair<std::string_view, std::size_t>;
  for (const auto& [text, offset] :
       {Sample{"!", 0}, Sample{"Zm9v!mFy", 4}, Sample{"Zm 9v", 2}, Sample{"Zm9v\n", 4},
        Sample{"Zm9vYmFy Zg==", 8}, Sample{"Zg==Zg==", 2}, Sample{"Z===", 1}, Sample{"====", 0},
        Sample{"=", 0}, Sample{"Zm9v====", 4}, Sample{"-_-_", 0}, Sample{"Zm8\xC3\xA9", 3}}) {
    EXPECT_EQ(base64_error_offset(text), offset) << text;
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64Test, RejectsALengthThatIsNoMultipleOfFour) {
  using Sample = std::pair<std::string_view, std::size_t>;
  for (const auto& [text, offset] :
       {Sample{"Z", 1}, Sample{"Zg", 2}, Sample{"Zm8", 3}, Sample{"Zm9vY", 5}, Sample{"Zg=", 2},
        Sample{"Zm9v=", 4}, Sample{"Zm9vYg=", 6}, Sample{"Z==", 1}}) {
    EXPECT_EQ(base64_error_offset(text), offset) << text;
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64Test, RejectsBitsThatReachIntoThePadding) {
  EXPECT_EQ(base64_error_offset("Zh=="), 1U);
  EXPECT_EQ(base64_error_offset("Zm9="), 2U);
  EXPECT_EQ(base64_error_offset("Zm9vZh=="), 5U);
  EXPECT_EQ(decode_base64("Zh=="), std::nullopt);
}

// Every text of four letters decodes to bytes that encode to itself, or is rejected.
TEST(Base64Test, HasOneTextForEachSequenceOfBytes) {
  constexpr std::string_view kLetters = "AB/+9g=-";
  for (std::size_t all = 0; all < 4096; ++all) {
    const std::string text = {kLetters[all % 8], kLetters[all / 8 % 8], kLetters[all / 64 % 8],
                              kLetters[all / 512]};
    const auto bytes = decode_base64(text);
    ASSERT_EQ(bytes.has_value(), !base64_error_offset(text).has_value()) << text;
    if (bytes) {
      ASSERT_EQ(encoded(*bytes), text);
    }
  }
}

TEST(Base64Test, ReadsBackWhatItWrites) {
  constexpr std::uint64_t kSeed = 64;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes(prng.below(40), '\0');
    for (char& byte : bytes) byte = static_cast<char>(prng.next());
    ASSERT_EQ(decode_base64(encoded(bytes)), bytes);
  }
}

}  // namespace
}  // namespace weir::event
