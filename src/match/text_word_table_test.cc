// SPDX-License-Identifier: Apache-2.0
#include "match/text_word_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace weir::match {
namespace {

TEST(TextWordTableTest, FindsWhatWasAdded) {
  TextWordTable table;
  EXPECT_FALSE(table.find("Storms"));
  EXPECT_EQ(table.add("Storms", {"storms", "storm"}), 0U);
  EXPECT_EQ(table.add("the", {"the", ""}), 1U);
  EXPECT_EQ(table.find("Storms"), 0U);
  EXPECT_EQ(table.find("the"), 1U);
  EXPECT_FALSE(table.find("storms"));
  EXPECT_EQ(table[0], (TextWord{"storms", "storm"}));
  EXPECT_EQ(table[1], (TextWord{"the", ""}));
}

TEST(TextWordTableTest, KeepsCopies) {
  TextWordTable table;
  {
    std::string written = "Ponies";
    std::string folded = "ponies";
    std::string term = "poni";
    table.add(written, {folded, term});
    written = folded = term = "??????";
  }
  ASSERT_EQ(table.find("Ponies"), 0U);
  EXPECT_EQ(table[0], (TextWord{"ponies", "poni"}));
}

TEST(TextWordTableTest, KeepsATermThatDoesNotBeginItsWord) {
  TextWordTable table;
  table.add("dying", {"dying", "die"});
  EXPECT_EQ(table[0], (TextWord{"dying", "die"}));
}

// Words over two letters of all lengths up to ten, many of them alike but for one place.
TEST(TextWordTableTest, TellsAllWordsApart) {
  TextWordTable table;
  std::map<std::string, std::uint32_t> expected;
  for (std::size_t length = 1; length <= 10; ++length) {
    for (unsigned bits = 0; bits < 1U << length; ++bits) {
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += (bits >> i & 1U) == 0 ? 'a' : '\0';
      ASSERT_FALSE(table.find(word));
      const auto id = table.add(word, {word, word});
      ASSERT_TRUE(id);
      expected[word] = *id;
    }
  }
  for (const auto& [word, id] : expected) {
    EXPECT_EQ(table.find(word), id);
    EXPECT_EQ(table[id].folded, word);
  }
}

TEST(TextWordTableTest, TellsLongWordsApartThatBeginAlike) {
  TextWordTable table;
  const std::string stem(600, 'x');
  EXPECT_EQ(table.add(stem + "a", {"a", "a"}), 0U);
  EXPECT_FALSE(table.find(stem));
  EXPECT_FALSE(table.find(stem + "b"));
  EXPECT_EQ(table.add(stem + "b", {"b", "b"}), 1U);
  EXPECT_EQ(table.find(stem + "a"), 0U);
}

TEST(TextWordTableTest, IsFullAtItsNumberOfWordsAndBeginsAnew) {
  TextWordTable table;
  for (std::size_t i = 0; i < TextWordTable::kWordsMax; ++i) {
    const std::string word = std::to_string(i);
    ASSERT_EQ(table.add(word, {word, word}), i);
  }
  EXPECT_FALSE(table.add("storm", {"storm", "storm"}));
  EXPECT_EQ(table.find("17"), 17U) << "what is there stays";
  EXPECT_EQ(table.generation(), 0U);
  table.clear();
  EXPECT_EQ(table.generation(), 1U);
  EXPECT_FALSE(table.find("17"));
  EXPECT_EQ(table.add("storm", {"storm", "storm"}), 0U);
}

TEST(TextWordTableTest, IsFullAtItsNumberOfBytes) {
  TextWordTable table;
  std::size_t count = 0;
  for (bool added = true; added; ++count) {
    std::string word = std::to_string(count);
    word.resize(500, 'x');
    added = table.add(word, {"folded", word.substr(1)}).has_value();
  }
  constexpr std::size_t kWordBytes = 500 + 6 + 499;
  EXPECT_EQ(count - 1, TextWordTable::kBytesMax / kWordBytes);
  table.clear();
  EXPECT_EQ(table.add("storm", {"storm", "storm"}), 0U);
}

// Words of more than eight bytes whose XXH3 ends alike are put side by side.
TEST(TextWordTableTest, HasNoRoomWhereWordsThatHashAlikeCrowd) {
  std::vector<std::string> words;
  for (std::size_t i = 0; words.size() < 65; ++i) {
    std::string word = "x" + std::to_string(100'000'000 + i);
    if (base::hash_bytes(word) % 1024 == 5) words.push_back(std::move(word));
  }
  TextWordTable table;
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(table.add(words[i], {words[i], "x"}), i);
  EXPECT_FALSE(table.find(words[64]));
  EXPECT_FALSE(table.add(words[64], {words[64], "x"}));
  EXPECT_TRUE(table.add("storm", {"storm", "storm"})) << "elsewhere there is room";
  table.clear();
  EXPECT_TRUE(table.add(words[64], {words[64], "x"}));
}

// The table grows several times; each word is still found.
TEST(TextWordTableTest, FindsAllWordsAfterItHasGrown) {
  TextWordTable table;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const std::string word = "storm" + std::to_string(i * 7919U);
    ASSERT_EQ(table.add(word, {word, "storm"}), i);
  }
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    EXPECT_EQ(table.find("storm" + std::to_string(i * 7919U)), i);
  }
}

}  // namespace
}  // namespace weir::match
