// SPDX-License-Identifier: Apache-2.0
#include "server/url.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error_testing.h"

namespace weir::server {
namespace {

using base::describe;

std::string error_of(std::string_view text) { return describe(parse_url(text)); }

std::string parts_of(std::string_view text) {
  const auto url = parse_url(text);
  if (!url) return describe(url);
  return std::string(url->tls ? "tls " : "plain ") + url->endpoint() + " " + url->target;
}

TEST(UrlTest, TakesUrlsApart) {
  EXPECT_EQ(parts_of("http://example.com"), "plain example.com:80 /");
  EXPECT_EQ(parts_of("https://example.com"), "tls example.com:443 /");
  EXPECT_EQ(parts_of("HTTPS://Example.COM:8443/In?X=1"), "tls example.com:8443 /In?X=1");
  EXPECT_EQ(parts_of("http://h?q=@1"), "plain h:80 /?q=@1");
  EXPECT_EQ(parts_of("http://my_host-1.local:1/"), "plain my_host-1.local:1 /");
  EXPECT_EQ(parts_of("http://192.0.2.1:65535/"), "plain 192.0.2.1:65535 /");
  EXPECT_EQ(parts_of("http://[2001:DB8::1]:8080/a"), "plain [2001:db8::1]:8080 /a");
  EXPECT_EQ(parts_of("http://[::ffff:127.0.0.1]/"), "plain [::ffff:127.0.0.1]:80 /");
  EXPECT_EQ(parts_of("http://xn--bcher-kva.example/"), "plain xn--bcher-kva.example:80 /");
}

TEST(UrlTest, LeavesOutTheUsualPortInTheAuthority) {
  EXPECT_EQ(parse_url("http://a:80/")->authority(), "a");
  EXPECT_EQ(parse_url("https://a:80/")->authority(), "a:80");
  EXPECT_EQ(parse_url("https://[::1]:443/")->authority(), "[::1]");
  EXPECT_EQ(parse_url("https://A:443/x")->to_string(), "https://a/x");
}

TEST(UrlTest, NamesThePlaceOfAnError) {
  EXPECT_EQ(error_of(""), "broker.sink 1:1@0 expected http:// or https://");
  EXPECT_EQ(error_of("ftp://a"), "broker.sink 1:1@0 expected http:// or https://");
  EXPECT_EQ(error_of("http:/a"), "broker.sink 1:1@0 expected http:// or https://");
  EXPECT_EQ(error_of("http://"), "broker.sink 1:8@7 expected a host");
  EXPECT_EQ(error_of("http://:80/"), "broker.sink 1:8@7 expected a host");
  EXPECT_EQ(error_of("http://a:b@c/"),
            "broker.sink 1:8@7 a URL with a user name or password is not taken");
  EXPECT_EQ(error_of("http://a..b/"), "broker.sink 1:10@9 a part of the host is empty");
  EXPECT_EQ(error_of("http://a%41/"),
            "broker.sink 1:9@8 expected a letter, a digit, '-', '_' or '.' in the host");
  EXPECT_EQ(error_of("http://a:0/"), "broker.sink 1:10@9 expected a port from 1 to 65535");
  EXPECT_EQ(error_of("http://a:65536/"), "broker.sink 1:10@9 expected a port from 1 to 65535");
  EXPECT_EQ(error_of("http://a:/"), "broker.sink 1:10@9 expected a port from 1 to 65535");
  EXPECT_EQ(error_of("http://[::1/"), "broker.sink 1:12@11 expected ']'");
  EXPECT_EQ(error_of("http://[1.2.3.4]/"), "broker.sink 1:9@8 expected an IPv6 address");
  EXPECT_EQ(error_of("http://[fe80::1%25eth0]/"), "broker.sink 1:9@8 expected an IPv6 address");
  EXPECT_EQ(error_of("http://[::1]x/"), "broker.sink 1:13@12 expected ':' and a port, or '/'");
  EXPECT_EQ(error_of("http://a/#b"),
            "broker.sink 1:10@9 a fragment is not sent to a server: leave it out");
  EXPECT_EQ(error_of("http://a/\r\nX: y"),
            "broker.sink 1:10@9 expected visible ASCII characters; escape others as %XX");
  EXPECT_EQ(error_of("http://a/" + std::string(kUrlBytesMax, 'x')),
            "broker.sink 1:2049@2048 a URL has at most 2048 bytes");
}

TEST(UrlTest, AHostThatEndsInANumberIsAnAddressInItsOneNotation) {
  for (const std::string_view host :
       {"2130706433", "0177.0.0.1", "127.1", "0x7f.0.0.1", "0x7f000001", "127.0.0.256", "a.1",
        "127.0.0.01", "1.2.3.4.5", "1.0x2"}) {
    EXPECT_EQ(error_of("http://" + std::string(host) + "/"),
              "broker.sink 1:8@7 expected a name or four decimal numbers such as 192.0.2.1")
        << host;
  }
}

TEST(UrlTest, CarriesTheIdThatItIsGiven) {
  EXPECT_EQ(parse_url("x", base::ErrorId::kCliUsage).error().id, base::ErrorId::kCliUsage);
}

}  // namespace
}  // namespace weir::server
