// SPDX-License-Identifier: Apache-2.0
#include "broker/grants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"
#include "event/event_testing.h"

namespace weir::broker {
namespace {

using base::describe;

event::EventPtr event_of(std::string_view source, std::string_view type) {
  return event::event_of(fmt::format(R"({{"source":"{}","type":"{}"}})", source, type));
}

std::string read(std::string_view json) { return describe(Grants::parse_json(json)); }

TEST(ScopeTest, ComparesPrefixesByteByByte) {
  struct Case {
    std::string_view source_prefix, type_prefix, source, type;
    bool covers;
  };
  for (const Case& c : std::vector<Case>{
           {"", "", "/nyse/a", "quote", true},
           {"/nyse/", "", "/nyse/a", "quote", true},
           {"/nyse/", "", "/nyse/", "quote", true},
           {"/nyse/", "", "/nyse", "quote", false},
           {"/nyse/", "", "/nyse2", "quote", false},
           {"/nyse", "", "/nyse2", "quote", true},
           {"/nyse", "", "/NYSE", "quote", false},
           {"/nyse/", "", "/other/nyse/", "quote", false},
           {"", "quote.", "/x", "quote.us", true},
           {"", "quote.", "/x", "quote", false},
           {"", "quote", "/x", "quote", true},
           {"", "quote", "/x", "quot", false},
           {"/nyse/", "quote.", "/nyse/a", "quote.us", true},
           {"/nyse/", "quote.", "/nyse/a", "trade.us", false},
           {"/nyse/", "quote.", "/lse/a", "quote.us", false},
           {"/nyse/", "/nyse/", "/nyse/a", "quote.us", false},
           {"", "größe", "/x", "größer", true},
           {"", "*", "/x", "quote", false},
       }) {
    const Scope scope{std::string(c.source_prefix), std::string(c.type_prefix)};
    EXPECT_EQ(scope.covers(*event_of(c.source, c.type)), c.covers)
        << c.source_prefix << " " << c.type_prefix << " " << c.source << " " << c.type;
  }
}

TEST(GrantsTest, GrantNothingWithoutScopes) {
  const Grants none;
  EXPECT_FALSE(none.may_publish(*event_of("/a", "b")));
  EXPECT_FALSE(none.may_see(*event_of("/a", "b")));
  EXPECT_FALSE(none.block);
  EXPECT_FALSE(none.admin);
}

TEST(GrantsTest, GrantWhatOneOfTheScopesCovers) {
  const Grants grants{.publish = {{"/a/", "x"}, {"/b/", "y"}},
                      .subscribe = {{"", "x"}, {"/a/", ""}}};
  EXPECT_TRUE(grants.may_publish(*event_of("/a/1", "x")));
  EXPECT_TRUE(grants.may_publish(*event_of("/b/1", "y")));
  EXPECT_FALSE(grants.may_publish(*event_of("/a/1", "y")));
  EXPECT_FALSE(grants.may_publish(*event_of("/b/1", "x")));
  EXPECT_TRUE(grants.may_see(*event_of("/c/1", "x")));
  EXPECT_TRUE(grants.may_see(*event_of("/a/1", "z")));
  EXPECT_FALSE(grants.may_see(*event_of("/c/1", "z")));
}

TEST(GrantsTest, KeepPublishingAndSubscribingApart) {
  const Grants publisher{.publish = {{}}, .subscribe = {}};
  const Grants subscriber{.publish = {}, .subscribe = {{}}};
  const auto event = event_of("/a", "b");
  EXPECT_TRUE(publisher.may_publish(*event));
  EXPECT_FALSE(publisher.may_see(*event));
  EXPECT_FALSE(subscriber.may_publish(*event));
  EXPECT_TRUE(subscriber.may_see(*event));
}

TEST(GrantsTest, AllIsAll) {
  const Grants all = Grants::all();
  EXPECT_TRUE(all.may_publish(*event_of("/a", "b")));
  EXPECT_TRUE(all.may_see(*event_of("/a", "b")));
  EXPECT_TRUE(all.block);
  EXPECT_TRUE(all.admin);
}

TEST(GrantsTest, WriteEveryMember) {
  EXPECT_EQ(Grants().to_json(), R"({"publish":[],"subscribe":[],"block":false,"admin":false})");
  EXPECT_EQ(Grants::all().to_json(),
            R"({"publish":[{}],"subscribe":[{}],"block":true,"admin":true})");
  const Grants grants{.publish = {{"/a\"", "x\n"}, {"", "y"}}, .subscribe = {{"/ü/", ""}}};
  EXPECT_EQ(grants.to_json(), R"({"publish":[{"source":"/a\"","type":"x\u000a"},{"type":"y"}],)"
                              R"("subscribe":[{"source":"/ü/"}],"block":false,"admin":false})");
}

TEST(GrantsTest, ReadBackWhatTheyWrote) {
  for (const Grants& grants :
       {Grants(), Grants::all(), Grants{.publish = {{"/a\"", "x\n"}}, .subscribe = {{}, {"", "y"}}},
        Grants{.publish = {}, .subscribe = {}, .block = true},
        Grants{.publish = {}, .subscribe = {}, .admin = true}}) {
    EXPECT_EQ(Grants::parse_json(grants.to_json()).value(), grants) << grants.to_json();
  }
}

TEST(GrantsTest, ReadMissingMembersAsNothingGranted) {
  EXPECT_EQ(Grants::parse_json("{}").value(), Grants());
  EXPECT_EQ(Grants::parse_json(R"( {"publish" : [ { "source" : "" } ]} )").value(),
            (Grants{.publish = {{}}, .subscribe = {}}));
}

TEST(GrantsTest, NameThePlaceOfWhatIsWrong) {
  EXPECT_EQ(read("[]"), "broker.token 1:1@0 expected grants to be an object");
  EXPECT_EQ(read(R"({"publsh":[]})"),
            "broker.token 1:2@1 grants has no member 'publsh': did you mean 'publish'?; expected "
            "publish, subscribe, block, admin");
  EXPECT_EQ(read(R"({"publish":{}})"),
            "broker.token 1:12@11 expected publish to be an array of scopes");
  EXPECT_EQ(read(R"({"publish":["/a"]})"), "broker.token 1:13@12 expected a scope to be an object");
  EXPECT_EQ(read(" {\"publish\":\n[{\"sources\":\"/a\"}]}"),
            "broker.token 2:3@15 a scope has no member 'sources': did you mean 'source'?; expected "
            "source, type");
  EXPECT_EQ(read(R"({"subscribe":[{"type":null}]})"),
            "broker.token 1:23@22 expected type to be a string of at most 1024 bytes");
  EXPECT_EQ(read(R"({"admin":"true"})"), "broker.token 1:10@9 expected admin to be true or false");
  EXPECT_TRUE(read("{").starts_with("json.truncated ")) << read("{");
}

TEST(GrantsTest, HaveBounds) {
  std::string json = R"({"publish":[{})";
  for (std::size_t i = 1; i < kScopeCountMax; ++i) json += ",{}";
  EXPECT_EQ(read(json + "]}"), "ok");
  EXPECT_EQ(read(json + ",{}]}"), "broker.token 1:205@204 expected at most 64 scopes");
  const std::string prefix(kPrefixBytesMax, 'x');
  EXPECT_EQ(read(R"({"publish":[{"type":")" + prefix + "\"}]}"), "ok");
  EXPECT_EQ(read(R"({"publish":[{"type":")" + prefix + "x\"}]}"),
            "broker.token 1:21@20 expected type to be a string of at most 1024 bytes");
}

TEST(GrantsTest, CoversScopesThatLieWithinItsOwn) {
  const auto grants = [](std::vector<Scope> subscribe) {
    return Grants{.publish = {}, .subscribe = std::move(subscribe)};
  };
  const Grants own = grants(
      {{.source_prefix = "/a/", .type_prefix = "x."}, {.source_prefix = "", .type_prefix = "y"}});
  EXPECT_TRUE(own.may_see_all_of(own));
  EXPECT_TRUE(own.may_see_all_of(grants({})));
  EXPECT_TRUE(own.may_see_all_of(grants({{.source_prefix = "/a/1", .type_prefix = "x.one"},
                                         {.source_prefix = "/b", .type_prefix = "y"}})));
  EXPECT_FALSE(own.may_see_all_of(grants({{.source_prefix = "/a/", .type_prefix = ""}})));
  EXPECT_FALSE(own.may_see_all_of(grants({{.source_prefix = "/a", .type_prefix = "x."}})));
  EXPECT_FALSE(own.may_see_all_of(Grants::all()));
  EXPECT_TRUE(Grants::all().may_see_all_of(own));
}

TEST(GrantsTest, HaveOneVisibilityForTheSameEvents) {
  const auto visibility = [](std::vector<Scope> scopes) {
    return Grants{.publish = {}, .subscribe = std::move(scopes)}.visibility();
  };
  const std::string two = visibility({{"/a/", ""}, {"/b/", "t"}});
  EXPECT_EQ(two, R"([{"source":"/a/"},{"source":"/b/","type":"t"}])");
  EXPECT_EQ(visibility({{"/b/", "t"}, {"/a/", ""}, {"/a/x", ""}, {"/a/", ""}}), two);
  EXPECT_NE(visibility({{"/a/", ""}}), two);
  EXPECT_EQ(visibility({}), "[]");
}

}  // namespace
}  // namespace weir::broker
