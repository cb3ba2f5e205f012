// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/prng.h"

namespace weir::base {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(BytesTest, WritesLittleEndian) {
  ByteWriter writer;
  writer.u8(0x01);
  writer.u32(0x02030405);
  writer.u64(0x060708090A0B0C0DULL);
  writer.varint(300);
  writer.text("ab");
  EXPECT_EQ(writer.take(),
            std::string("\x01\x05\x04\x03\x02\x0D\x0C\x0B\x0A\x09\x08\x07\x06\xAC\x02\x02"
                        "ab",
                        18));
}

TEST(BytesTest, ReadsBackWhatWasWritten) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 35U, kMax - 1, kMax}) {
    ByteWriter writer;
    writer.varint(value);
    writer.u64(value);
    writer.f64(-0.0);
    writer.text("weir");
    ByteReader reader(writer.bytes());
    EXPECT_EQ(reader.varint(), value);
    EXPECT_EQ(reader.u64(), value);
    EXPECT_TRUE(std::signbit(reader.f64()));
    EXPECT_EQ(reader.text(), "weir");
    EXPECT_TRUE(reader.done());
  }
}

TEST(BytesTest, StaysFailedAfterTheFirstMissingPiece) {
  ByteReader reader(std::string_view("\x01\x02\x03", 3));
  EXPECT_EQ(reader.u32(), 0U);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.u8(), 0U) << "although there are bytes left";
  EXPECT_FALSE(reader.done());
}

TEST(BytesTest, RefusesAVarintThatIsNotTheShortestForm) {
  const std::string ten_bytes = std::string(9, '\xFF') + '\x02';
  const std::string eleven_bytes = std::string(10, '\x80') + '\x01';
  const std::string no_end(5, '\x80');
  const std::string overlong("\x81\x00", 2);
  for (const std::string& bytes : {ten_bytes, eleven_bytes, no_end, overlong}) {
    ByteReader reader(bytes);
    EXPECT_EQ(reader.varint(), 0U);
    EXPECT_TRUE(reader.failed());
  }
}

TEST(BytesTest, RefusesTextBeyondTheEnd) {
  ByteWriter writer;
  writer.varint(kMax);
  writer.raw("abc");
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.failed());
}

TEST(BytesTest, RefusesACountThatTheRestCannotHold) {
  ByteWriter writer;
  writer.varint(3);
  writer.raw("12345678");
  EXPECT_EQ(ByteReader(writer.bytes()).count(2), 3U);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.count(3), 0U);
  EXPECT_TRUE(reader.failed());
}

TEST(BytesTest, IsNotDoneWhileBytesAreLeft) {
  ByteReader reader("ab");
  reader.u8();
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.rest_bytes(), 1U);
}

TEST(BytesTest, SurvivesAnyInput) {
  Prng prng(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (std::uint64_t n = prng.below(24); n-- > 0;) {
      bytes.push_back(static_cast<char>(prng.below(256)));
    }
    ByteReader reader(bytes);
    while (!reader.failed() && reader.rest_bytes() > 0) {
      const std::size_t before = reader.rest_bytes();
      switch (prng.below(4)) {
        case 0:
          reader.u8();
          break;
        case 1:
          reader.varint();
          break;
        case 2:
          reader.text();
          break;
        default:
          reader.u64();
      }
      ASSERT_TRUE(reader.failed() || reader.rest_bytes() < before);
    }
  }
}

}  // namespace
}  // namespace weir::base
