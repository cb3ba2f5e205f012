// SPDX-License-Identifier: Apache-2.0
#include "broker/grant_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"

namespace weir::broker {
namespace {

using base::describe;

Grants grants_of(const std::vector<std::string>& texts) {
  Grants grants;
  for (const std::string& text : texts) EXPECT_EQ(describe(add_grant(text, grants)), "ok") << text;
  return grants;
}

std::string failure(std::string_view text) {
  Grants grants;
  std::string found = describe(add_grant(text, grants));
  EXPECT_EQ(grants, Grants()) << text;
  return found;
}

TEST(GrantTextTest, AddsUp) {
  EXPECT_EQ(grants_of({}), Grants());
  EXPECT_EQ(grants_of({"publish", "subscribe", "block", "admin"}), Grants::all());
  EXPECT_EQ(
      grants_of(
          {"publish=source:/nyse/,type:quote.", "publish=type:trade.", "subscribe=source:/lse/"}),
      (Grants{.publish = {{"/nyse/", "quote."}, {"", "trade."}}, .subscribe = {{"/lse/", ""}}}));
  EXPECT_EQ(grants_of({"publish=type:a,source:b"}), grants_of({"publish=source:b,type:a"}));
}

TEST(GrantTextTest, TakesAnythingButACommaAsItIs) {
  EXPECT_EQ(grants_of({"publish=source:urn:a=b&c;type:x*"}).publish[0].source_prefix,
            "urn:a=b&c;type:x*");
  EXPECT_EQ(grants_of({"publish=source:a,,b,type:,,"}).publish, (std::vector<Scope>{{"a,b", ","}}));
  EXPECT_EQ(grants_of({"publish=source:a,,,type:b"}).publish, (std::vector<Scope>{{"a,", "b"}}));
}

TEST(GrantTextTest, NamesThePlaceAndWhatWasExpected) {
  EXPECT_EQ(failure(""), "broker.token 1:1@0 expected publish, subscribe, block, admin, not ''");
  EXPECT_EQ(failure("publisch"),
            "broker.token 1:1@0 expected publish, subscribe, block, admin, not 'publisch': did you "
            "mean 'publish'?");
  EXPECT_EQ(failure("publish="), "broker.token 1:9@8 expected source: or type: and a prefix");
  EXPECT_EQ(failure("publish=/nyse/"), "broker.token 1:9@8 expected source: or type: and a prefix");
  EXPECT_EQ(failure("publish=source:/ü,typ:x"),
            "broker.token 1:19@19 expected source: or type: and a prefix");
  EXPECT_EQ(failure("publish=source:a,"),
            "broker.token 1:18@17 expected source: or type: and a prefix");
  EXPECT_EQ(failure("subscribe=type:a,type:b"), "broker.token 1:18@17 expected type: only once");
  EXPECT_EQ(failure("block=true"), "broker.token 1:6@5 expected nothing after 'block'");
  EXPECT_EQ(failure("publish=type:\xff"), "broker.token 1:14@13 expected UTF-8");
}

TEST(GrantTextTest, RefusesAnEmptyPrefixWhichWouldGrantAll) {
  EXPECT_EQ(
      failure("publish=source:"),
      "broker.token 1:16@15 expected a prefix of 1 to 1024 bytes; to allow any, leave source: "
      "out");
  EXPECT_EQ(failure("publish=type:,source:a"),
            "broker.token 1:14@13 expected a prefix of 1 to 1024 bytes; to allow any, leave type: "
            "out");
}

TEST(GrantTextTest, HasBounds) {
  Grants grants;
  for (std::size_t i = 0; i < kScopeCountMax; ++i) {
    ASSERT_EQ(describe(add_grant("publish", grants)), "ok");
  }
  EXPECT_EQ(describe(add_grant("publish", grants)),
            "broker.token 1:1@0 expected at most 64 of 'publish'");
  EXPECT_EQ(describe(add_grant("publish=type:" + std::string(kPrefixBytesMax, 'x'), grants = {})),
            "ok");
  EXPECT_NE(failure("publish=type:" + std::string(kPrefixBytesMax + 1, 'x')), "ok");
}

TEST(GrantTextTest, ReadsBackWhatItWrote) {
  for (const Grants& grants :
       {Grants(), Grants::all(),
        Grants{.publish = {{"a,b", ",,"}, {}, {"", "=,"}}, .subscribe = {{"urn:x", ""}}}}) {
    EXPECT_EQ(grants_of(grant_texts(grants)), grants) << grants.to_json();
  }
}

}  // namespace
}  // namespace weir::broker
