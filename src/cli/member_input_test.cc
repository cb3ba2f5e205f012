// SPDX-License-Identifier: Apache-2.0
#include "cli/member_input.h"

#include <gtest/gtest.h>

#include "protocol/probe/messages.h"

namespace weir::cli {
namespace {

namespace probe = protocol::probe;

std::string message(MemberInput& input, std::string_view line) {
  const auto meaning = input.read(line);
  if (!meaning || !std::holds_alternative<std::string>(*meaning)) return "none";
  return std::get<std::string>(*meaning);
}

std::string refused(std::string_view line) {
  MemberInput input;
  const auto meaning = input.read(line);
  return meaning ? "understood" : meaning.error().to_string();
}

TEST(MemberInputTest, ATextIsTheRestOfTheLine) {
  MemberInput input;
  const auto put = probe::read<probe::Put>(message(input, " put  key  a text, with  blanks"));
  ASSERT_TRUE(put);
  EXPECT_EQ(put->key, protocol::Ring().key_of("key"));
  EXPECT_EQ(put->text, "a text, with  blanks");
  EXPECT_EQ(input.word_of(put->key), "key");
  EXPECT_EQ(input.word_of({1}), "");
}

TEST(MemberInputTest, CastsHaveNumbers) {
  MemberInput input;
  const auto keys = probe::read<probe::Cast>(message(input, "cast a b"));
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->number, 1U);
  EXPECT_EQ(std::get<std::vector<protocol::Key>>(keys->destinations).size(), 2U);
  const auto all = probe::read<probe::Cast>(message(input, "segment"));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->number, 2U);
  EXPECT_TRUE(protocol::is_whole_ring(all->destinations));
  const auto arc = probe::read<probe::Cast>(message(input, "segment a b"));
  ASSERT_TRUE(arc);
  EXPECT_EQ(std::get<protocol::KeyArc>(arc->destinations).last, protocol::Ring().key_of("b"));
}

TEST(MemberInputTest, RequestsStandAlone) {
  MemberInput input;
  EXPECT_EQ(std::get<MemberRequest>(*input.read("")), MemberRequest::kNothing);
  EXPECT_EQ(std::get<MemberRequest>(*input.read("members")), MemberRequest::kMembers);
  EXPECT_EQ(std::get<MemberRequest>(*input.read("leave ")), MemberRequest::kLeave);
  const auto add = probe::read<probe::Add>(message(input, "add -5"));
  ASSERT_TRUE(add);
  EXPECT_EQ(add->amount, -5);
}

TEST(MemberInputTest, SaysWhatWasExpectedAndWhere) {
  EXPECT_EQ(refused("get"), "line 1, column 4: expected a key, found the end of the line");
  EXPECT_EQ(refused("get a b"), "line 1, column 7: expected the end of the line, found 'b'");
  EXPECT_EQ(refused("add 1x"), "line 1, column 5: expected a whole number, found '1x'");
  EXPECT_EQ(refused("segment a"),
            "line 1, column 10: expected a second key, found the end of the line");
  EXPECT_EQ(refused("memebrs"),
            "line 1, column 1: expected one of put, get, cast, segment, add, members, slots, "
            "leave, quit, found 'memebrs': did you mean 'members'?");
}

}  // namespace
}  // namespace weir::cli
