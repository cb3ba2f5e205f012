// SPDX-License-Identifier: Apache-2.0
#include "server/sink_check.h"

#include <gtest/gtest.h>

#include <string_view>

#include "base/error_testing.h"

namespace weir::server {
namespace {

using base::describe;

TEST(SinkCheckTest, TakesNamesAndPublicAddresses) {
  const AddressGuard guard;
  for (const std::string_view sink :
       {"http://example.com", "https://hooks.example.com:8443/in?x=1", "http://8.8.8.8/",
        "https://[2606:4700::1111]/", "http://localhost/"}) {
    EXPECT_EQ(describe(check_sink(sink, guard)), "ok") << sink;
  }
}

TEST(SinkCheckTest, RefusesWhatIsNoUrl) {
  const AddressGuard guard;
  EXPECT_EQ(describe(check_sink("http://", guard)),
            "broker.sink - the sink is not a URL: expected a host, at its character 8");
  EXPECT_EQ(describe(check_sink("http://a:99999/", guard)),
            "broker.sink - the sink is not a URL: expected a port from 1 to 65535, at its "
            "character 10");
  for (const std::string_view sink : {"http://user:secret@example.com/", "http://127.1/",
                                      "http://2130706433/", "http://a b/", "http://a/#part"}) {
    EXPECT_FALSE(check_sink(sink, guard).has_value()) << sink;
  }
}

TEST(SinkCheckTest, RefusesAddressesThatAreNotAllowed) {
  const AddressGuard guard;
  const AddressGuard opened({parse_cidr("127.0.0.0/8").value()});
  EXPECT_EQ(describe(check_sink("http://127.0.0.1:80/", guard)),
            "broker.sink - the address 127.0.0.1 is loopback: sinks there are not allowed");
  for (const std::string_view sink : {"http://169.254.169.254/latest", "http://10.0.0.1/",
                                      "https://[::1]/", "http://[::ffff:127.0.0.1]/"}) {
    EXPECT_FALSE(check_sink(sink, guard).has_value()) << sink;
  }
  EXPECT_EQ(describe(check_sink("http://127.0.0.1:80/", opened)), "ok");
  EXPECT_FALSE(check_sink("http://10.0.0.1/", opened).has_value());
}

}  // namespace
}  // namespace weir::server
