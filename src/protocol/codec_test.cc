// SPDX-License-Identifier: Apache-2.0
#include "protocol/codec.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace weir::protocol {

enum class Colour : std::uint8_t { kRed, kGreen };
template <>
inline constexpr std::size_t kEnumeratorCount<Colour> = 2;

namespace {

using namespace std::string_literals;

// A struct with one field, encoded as the field alone.
template <typename T>
struct One {
  T value{};

  static constexpr auto fields() { return std::tuple{field(&One::value)}; }
};

template <typename T>
std::string bytes_of(const T& value) {
  return encode_fields(One<T>{value});
}

template <typename T>
bool accepts(const std::string& bytes) {
  return read_fields<One<T>>(bytes).has_value();
}

struct Even {
  std::uint64_t number = 0;

  bool is_valid() const { return number % 2 == 0; }
  static constexpr auto fields() { return std::tuple{field(&Even::number)}; }
};

struct Limited {
  unsigned hops = 0;
  std::string text;
  NodeId node;

  static constexpr auto fields() {
    return std::tuple{field(&Limited::hops).hop_count(), field(&Limited::text).sized(1, 3),
                      field(&Limited::node).or_nobody()};
  }
};

bool is_refused(const Limited& limited) {
  return !read_fields<Limited>(encode_fields(limited)).has_value();
}

TEST(CodecTest, TheTypeOfAFieldDecidesItsBytes) {
  EXPECT_EQ(bytes_of(true), "\1"s);
  EXPECT_EQ(bytes_of(std::uint64_t{0x0102}), "\2\1\0\0\0\0\0\0"s);
  EXPECT_EQ(bytes_of(std::int64_t{-1}), std::string(8, '\xFF'));
  EXPECT_EQ(bytes_of(300U), "\xAC\2"s);
  EXPECT_EQ(bytes_of(Colour::kGreen), "\1"s);
  EXPECT_EQ(bytes_of(Key{7}), "\7\0\0\0\0\0\0\0"s);
  EXPECT_EQ(bytes_of(NodeId{300}), "\xAC\2"s);
  EXPECT_EQ(bytes_of("ab"s), "\2ab"s);
  EXPECT_EQ(bytes_of(std::bitset<16>(0x8001)), "\1\x80"s);
  EXPECT_EQ(bytes_of(std::optional<bool>{}), "\0"s);
  EXPECT_EQ(bytes_of(std::optional<bool>{false}), "\1\0"s);
  EXPECT_EQ(bytes_of(std::vector<NodeId>{{1}, {2}}), "\2\1\2"s);
  EXPECT_EQ((bytes_of(std::variant<std::vector<Key>, bool>{true})), "\1\1"s);
  EXPECT_EQ(bytes_of(KeyArc{.after = {1}, .last = {2}}), bytes_of(Key{1}) + bytes_of(Key{2}));
}

TEST(CodecTest, RefusesBytesThatNoEncoderWrites) {
  EXPECT_TRUE(accepts<bool>("\1"s));
  EXPECT_FALSE(accepts<bool>("\2"s));
  EXPECT_FALSE(accepts<Colour>("\2"s));
  EXPECT_FALSE(accepts<NodeId>("\0"s));
  EXPECT_FALSE(accepts<std::optional<bool>>("\2\0"s));
  EXPECT_FALSE(accepts<unsigned>("\xFF\xFF\xFF\xFF\x1F"s));
  EXPECT_FALSE(accepts<unsigned>("\x80\0"s));
  EXPECT_FALSE(accepts<std::vector<NodeId>>("\3\1\2"s));
  EXPECT_FALSE(accepts<std::string>("\3ab"s));
  EXPECT_FALSE(accepts<Even>("\1\0\0\0\0\0\0\0"s));
  EXPECT_TRUE(accepts<Even>("\2\0\0\0\0\0\0\0"s));
  EXPECT_FALSE(accepts<bool>("\1\0"s));
  EXPECT_FALSE(accepts<bool>(""));
}

TEST(CodecTest, KeysAscendAndAChoiceIsNoEmptyList) {
  using Keys = std::vector<Key>;
  using Choice = std::variant<Keys, bool>;
  EXPECT_TRUE(accepts<Keys>(bytes_of(Keys{})));
  EXPECT_TRUE(accepts<Keys>(bytes_of(Keys{{1}, {2}})));
  EXPECT_FALSE(accepts<Keys>(bytes_of(Keys{{2}, {1}})));
  EXPECT_FALSE(accepts<Keys>(bytes_of(Keys{{1}, {1}})));
  EXPECT_TRUE(accepts<Choice>(bytes_of(Choice{Keys{{1}}})));
  EXPECT_FALSE(accepts<Choice>(bytes_of(Choice{Keys{}})));
  EXPECT_FALSE(accepts<Choice>("\2\1"s));
}

TEST(CodecTest, AFieldHasItsLimits) {
  EXPECT_FALSE(is_refused({.hops = kHopCountMax, .text = "abc", .node = {}}));
  EXPECT_TRUE(is_refused({.hops = kHopCountMax + 1, .text = "abc", .node = {}}));
  EXPECT_TRUE(is_refused({.hops = 0, .text = "abcd", .node = {}}));
  EXPECT_TRUE(is_refused({.hops = 0, .text = "", .node = {}}));
}

TEST(CodecTest, ACountMakesNoMoreRoomThanTheBytesCanHold) {
  EXPECT_EQ(codec::bytes_min<KeyArc>(), 16U);
  EXPECT_EQ(codec::bytes_min<One<std::string>>(), 1U);
  // Claims 2^40 arcs.
  EXPECT_FALSE(accepts<std::vector<KeyArc>>("\x80\x80\x80\x80\x80\x20"s));
}

}  // namespace
}  // namespace weir::protocol
