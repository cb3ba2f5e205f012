// SPDX-License-Identifier: Apache-2.0
#include "server/address_guard.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_testing.h"

namespace weir::server {
namespace {

using base::describe;

bool allows(const AddressGuard& guard, std::string_view text) {
  const auto address = parse_ip(text);
  EXPECT_TRUE(address) << text;
  return address && guard.check(*address).has_value();
}

TEST(AddressGuardTest, RefusesWhatIsNotPublic) {
  const AddressGuard guard;
  for (const std::string_view text :
       {"0.0.0.0",         "0.1.2.3",         "10.0.0.1",        "10.255.255.255",
        "100.64.0.1",      "100.127.255.255", "127.0.0.1",       "127.255.255.255",
        "169.254.169.254", "172.16.0.1",      "172.31.255.255",  "192.0.0.1",
        "192.0.2.1",       "192.168.0.1",     "192.168.255.255", "198.18.0.1",
        "198.19.255.255",  "198.51.100.7",    "203.0.113.7",     "224.0.0.1",
        "239.255.255.255", "240.0.0.1",       "255.255.255.255"}) {
    EXPECT_FALSE(allows(guard, text)) << text;
    EXPECT_FALSE(allows(guard, "::ffff:" + std::string(text))) << text;
    EXPECT_FALSE(allows(guard, "::" + std::string(text))) << text;
    EXPECT_FALSE(allows(guard, "64:ff9b::" + std::string(text))) << text;
    EXPECT_FALSE(allows(guard, "::ffff:0:" + std::string(text))) << text;
  }
  for (const std::string_view text :
       {"::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1",
        "2001:db8::1", "2001::1", "2001:2::1", "100::1", "64:ff9b:1::1",
        "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "4000::1", "1::1", "8000::1"}) {
    EXPECT_FALSE(allows(guard, text)) << text;
  }
}

// Every row of IANA's special-purpose address registries, from its first address to its last.
TEST(AddressGuardTest, RefusesEverySpecialPurposeRange) {
  struct Range {
    std::string_view first;
    std::string_view last;
  };
  const AddressGuard guard;
  for (const Range& range :
       std::vector<Range>{{"0.0.0.0", "0.255.255.255"},
                          {"10.0.0.0", "10.255.255.255"},
                          {"100.64.0.0", "100.127.255.255"},
                          {"127.0.0.0", "127.255.255.255"},
                          {"169.254.0.0", "169.254.255.255"},
                          {"172.16.0.0", "172.31.255.255"},
                          {"192.0.0.0", "192.0.0.255"},
                          {"192.0.0.8", "192.0.0.10"},
                          {"192.0.0.170", "192.0.0.171"},
                          {"192.0.2.0", "192.0.2.255"},
                          {"192.31.196.0", "192.31.196.255"},
                          {"192.52.193.0", "192.52.193.255"},
                          {"192.88.99.0", "192.88.99.255"},
                          {"192.168.0.0", "192.168.255.255"},
                          {"192.175.48.0", "192.175.48.255"},
                          {"198.18.0.0", "198.19.255.255"},
                          {"198.51.100.0", "198.51.100.255"},
                          {"203.0.113.0", "203.0.113.255"},
                          {"240.0.0.0", "255.255.255.255"},
                          {"::1", "::1"},
                          {"::", "::"},
                          {"::ffff:0:0", "::ffff:255.255.255.255"},
                          {"::ffff:8.8.8.8", "::ffff:1.1.1.1"},
                          {"64:ff9b::", "64:ff9b::255.255.255.255"},
                          {"64:ff9b::8.8.8.8", "64:ff9b::1.1.1.1"},
                          {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
                          {"100::", "100::ffff:ffff:ffff:ffff"},
                          {"100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"},
                          {"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:0:808:808::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:1::1", "2001:1::3"},
                          {"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:10::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"2002:808:808::1", "2002:101:101::1"},
                          {"2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"},
                          {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
                          {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}}) {
    EXPECT_FALSE(allows(guard, range.first)) << range.first;
    EXPECT_FALSE(allows(guard, range.last)) << range.last;
  }
}

TEST(AddressGuardTest, AnAllowedTranslationLeadsToPublicAddressesOnly) {
  const AddressGuard guard({*parse_cidr("64:ff9b::/96")});
  EXPECT_TRUE(allows(guard, "64:ff9b::8.8.8.8"));
  EXPECT_FALSE(allows(guard, "64:ff9b::10.0.0.1"));
  EXPECT_FALSE(allows(guard, "64:ff9b::127.0.0.1"));
  const AddressGuard narrow({*parse_cidr("64:ff9b::10.0.0.0/104"), *parse_cidr("::1")});
  EXPECT_TRUE(allows(narrow, "64:ff9b::10.0.0.1"));
  EXPECT_TRUE(allows(narrow, "::1"));
}

TEST(AddressGuardTest, AllowsWhatIsPublic) {
  const AddressGuard guard;
  for (const std::string_view text :
       {"1.1.1.1",         "8.8.8.8",        "9.255.255.255",   "11.0.0.0",
        "100.63.255.255",  "100.128.0.0",    "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "172.15.255.255", "172.32.0.0",      "192.167.255.255",
        "198.17.255.255",  "198.20.0.0",     "223.255.255.255", "2606:4700::1111",
        "2a00:1450::1",    "2001:200::1",    "2003::1",         "2620:4f:8001::1"}) {
    EXPECT_TRUE(allows(guard, text)) << text;
  }
}

TEST(AddressGuardTest, AllowsWhatTheOperatorAllows) {
  const AddressGuard guard({*parse_cidr("127.0.0.0/9"), *parse_cidr("fd00::/8")});
  EXPECT_TRUE(allows(guard, "127.0.0.1"));
  EXPECT_TRUE(allows(guard, "127.127.255.255"));
  EXPECT_FALSE(allows(guard, "127.128.0.0"));
  EXPECT_TRUE(allows(guard, "::ffff:127.0.0.1"));
  EXPECT_TRUE(allows(guard, "fd00::1"));
  EXPECT_FALSE(allows(guard, "fc00::1"));
  EXPECT_FALSE(allows(guard, "::1"));
  EXPECT_FALSE(allows(guard, "10.0.0.1"));
}

TEST(AddressGuardTest, SaysWhatAnAddressIs) {
  EXPECT_EQ(describe(AddressGuard().check(*parse_ip("::ffff:169.254.169.254"))),
            "broker.sink - the address ::ffff:169.254.169.254 is link-local: sinks there are not "
            "allowed");
}

TEST(AddressGuardTest, ReadsNetworks) {
  EXPECT_EQ(parse_cidr("10.1.2.3")->prefix_bits, 32U);
  EXPECT_EQ(parse_cidr("::1")->prefix_bits, 128U);
  EXPECT_EQ(parse_cidr("0.0.0.0/0")->prefix_bits, 0U);
  EXPECT_EQ(describe(parse_cidr("10/8")),
            "config.key 1:1@0 '10/8': expected a network such as 10.0.0.0/8");
  EXPECT_EQ(describe(parse_cidr("10.0.0.0/33")),
            "config.key 1:10@9 '10.0.0.0/33': expected 0 to 32 bits after '/'");
  EXPECT_EQ(describe(parse_cidr("::/")),
            "config.key 1:4@3 '::/': expected 0 to 128 bits after '/'");
}

TEST(AddressGuardTest, ReadsAddressesInOneNotationOnly) {
  for (const std::string_view text :
       {"", "127.1", "0177.0.0.1", "1.2.3.4.", "::1%lo", "[::1]", "1.2.3", ":", "localhost"}) {
    EXPECT_FALSE(parse_ip(text)) << text;
  }
  EXPECT_FALSE(parse_ip(std::string_view("1.2.3.4\0", 8)));
  EXPECT_EQ(parse_ip("2001:DB8:0::1")->to_string(), "2001:db8::1");
}

}  // namespace
}  // namespace weir::server
