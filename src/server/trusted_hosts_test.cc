// SPDX-License-Identifier: Apache-2.0
#include "server/trusted_hosts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace weir::server {
namespace {

bool trusts(std::string_view sink, const std::vector<std::string>& hosts) {
  return is_trusted(parse_url(sink).value(), hosts);
}

TEST(TrustedHostsTest, AreHostsWithOrWithoutAPort) {
  for (const std::string_view host :
       {"hooks.example.com", "Hooks.example.com:8443", "10.1.2.3", "[::1]:80", "[::1]"}) {
    EXPECT_TRUE(is_host(host)) << host;
  }
  for (const std::string_view text : {"", "https://a.example", "a.example/x", "a b", "a:99999"}) {
    EXPECT_FALSE(is_host(text)) << text;
  }
}

TEST(TrustedHostsTest, CoverTheirOwnSinksOnly) {
  EXPECT_FALSE(trusts("https://a.example/h", {}));
  EXPECT_TRUE(trusts("https://a.example/h", {"b.example", "A.example"}));
  EXPECT_TRUE(trusts("http://a.example:9000/h", {"a.example"}));
  EXPECT_TRUE(trusts("http://a.example:9000/h", {"a.example:9000"}));
  EXPECT_FALSE(trusts("http://a.example:9001/h", {"a.example:9000"}));
  EXPECT_FALSE(trusts("http://evil.a.example/h", {"a.example"}));
  EXPECT_TRUE(trusts("http://[::1]:8080/", {"[::1]"}));
  EXPECT_FALSE(trusts("http://[::1]:8080/", {"[::1]:80"}));
}

}  // namespace
}  // namespace weir::server
