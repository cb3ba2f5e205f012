// SPDX-License-Identifier: Apache-2.0
#include "event/event_rules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace weir::event {
namespace {

using namespace std::string_view_literals;

TEST(EventRulesTest, NamesAnAttributeInLowerCaseAndDigits) {
  for (const std::string_view name : {"a", "0", "time", "comexampleextension1", "0a9z"}) {
    EXPECT_TRUE(is_attribute_name(name)) << name;
  }
  for (const std::string_view name :
       {""sv, "A"sv, "myExt"sv, "my_ext"sv, "my-ext"sv, "a.b"sv, " a"sv, "a "sv, "\xC3\xA9"sv,
        "a\0"sv, "`"sv, "{"sv, "/"sv, ":"sv}) {
    EXPECT_FALSE(is_attribute_name(name)) << name;
  }
}

TEST(EventRulesTest, AcceptsUriReferences) {
  for (const std::string_view text : {"https://github.com/cloudevents",
                                      "mailto:cncf-wg-serverless@lists.cncf.io",
                                      "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
                                      "/cloudevents/spec/pull/123",
                                      "/sensors/tn-1234567/alerts",
                                      "1-555-123-4567",
                                      "a",
                                      ".",
                                      "..",
                                      "../x",
                                      "./a:b",
                                      "//host/p",
                                      "?query",
                                      "#fragment",
                                      "/a:b",
                                      "a/b:c",
                                      "http://[::1]:8080/",
                                      "/%41%af%AF",
                                      "/a?b=c&d=e#f",
                                      "x+y-z.1:opaque",
                                      "/~user/;p=1,2*('!')$",
                                      "http:"}) {
    EXPECT_TRUE(is_uri_reference(text)) << text;
  }
}

TEST(EventRulesTest, RejectsWhatIsNoUriReference) {
  for (const std::string_view text :
       {"a b",  " ",     "/a\tb", "/caf\xC3\xA9", "/a\"b",  "/a<b>", "/a\\b", "/a^b",
        "/a`b", "/a{b}", "/a|b",  "/%",           "/%4",    "/%4g",  "/%zz",  "/%%41",
        "#a#b", ":a",    "1a:b",  "a_b:c",        "a%41:b", "\x7F"}) {
    EXPECT_FALSE(is_uri_reference(text)) << text;
  }
}

TEST(EventRulesTest, RequiresASchemeOfAnAbsoluteUri) {
  for (const std::string_view text : {"http://example.com/schema", "urn:x", "a+b-c.d:e",
                                      "http:", "https://example.com/s#v1", "x:%41"}) {
    EXPECT_TRUE(is_absolute_uri(text)) << text;
  }
  for (const std::string_view text :
       {"", "schema", "/schema", "//example.com/schema", ":x", "1x:y", "/a:b", "?a:b", "#a:b",
        "http://exa mple.com", "http://x/%4", "\xC3\xA9:x", "a%41:x"}) {
    EXPECT_FALSE(is_absolute_uri(text)) << text;
  }
}

TEST(EventRulesTest, AcceptsMediaTypes) {
  for (const std::string_view text :
       {"application/json", "text/xml", "application/cloudevents+json", "a/b", "IMAGE/PNG",
        "application/vnd.apache.thrift.binary", "text/plain; charset=utf-8",
        "text/plain;charset=\"utf-8\"", "text/plain ; charset=utf-8 ; format=flowed",
        "text/plain;\tcharset=utf-8", "multipart/mixed; boundary=\"a b;c\\\"d\"", "x/y;a=\"\""}) {
    EXPECT_TRUE(is_media_type(text)) << text;
  }
}

TEST(EventRulesTest, RejectsWhatIsNoMediaType) {
  for (const std::string_view text : {"",
                                      "json",
                                      "/",
                                      "application/",
                                      "/json",
                                      "application json",
                                      "application/json/x",
                                      "appl ication/json",
                                      " application/json",
                                      "application/json;",
                                      "application/json; ",
                                      "application/json;charset",
                                      "application/json;charset=",
                                      "application/json;=utf-8",
                                      "application/json charset=utf-8",
                                      "application/json;charset=\"utf-8",
                                      "application/json;charset=\"utf-8\\",
                                      "application/json;charset=\"a\"b",
                                      "a/b;c=d e",
                                      "appl(i)cation/json",
                                      "caf\xC3\xA9/json",
                                      "application/j\xC3\xA9son",
                                      "a/b;c =d"}) {
    EXPECT_FALSE(is_media_type(text)) << text;
  }
}

bool is_allowed(std::uint32_t value) {
  if (value <= 0x1F || (value >= 0x7F && value <= 0x9F)) return false;
  if (value >= 0xFDD0 && value <= 0xFDEF) return false;
  return value % 0x10000 < 0xFFFE;
}

TEST(EventRulesTest, AllowsEveryCodePointButControlsAndNoncharacters) {
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text = "ab";
    base::append_utf8(value, text);
    const std::size_t all = text.size();
    ASSERT_EQ(allowed_prefix_bytes(text), is_allowed(value) ? all : 2) << std::hex << value;
  }
}

// Whatever stride the scan takes, the first forbidden character is found at every place.
TEST(EventRulesTest, FindsAForbiddenCharacterAtEveryPlace) {
  for (const std::string_view forbidden : {"\x01"sv, "\x7F"sv, "\xC2\x80"sv, "\xEF\xBF\xBE"sv}) {
    for (std::size_t place = 0; place < 40; ++place) {
      std::string text(40, 'x');
      text.insert(place, forbidden);
      ASSERT_EQ(allowed_prefix_bytes(text), place);
      text.insert(0, "\xC3\xA9");
      ASSERT_EQ(allowed_prefix_bytes(text), place + 2);
    }
  }
}

TEST(EventRulesTest, AllowsAnEmptyText) { EXPECT_EQ(allowed_prefix_bytes(""), 0U); }

}  // namespace
}  // namespace weir::event
