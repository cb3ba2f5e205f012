// SPDX-License-Identifier: Apache-2.0
#include "event/annotation.h"

#include <gtest/gtest.h>

#include "event/event_decoder.h"
#include "event/event_generator_testing.h"
#include "event/event_testing.h"

namespace weir::event {
namespace {

constexpr std::string_view kMembers = R"("weirscore":"1.5","weirepoch":3)";

TEST(AnnotationTest, StandsBehindTheEventsOwnMembers) {
  EXPECT_EQ(annotate(R"({"id":"1"})", kMembers), R"({"id":"1","weirscore":"1.5","weirepoch":3})");
  EXPECT_EQ(annotate(" { \"id\" : \"1\" ,\n \"data\" : [ 1 ] }\n", kMembers),
            "{\"id\" : \"1\" ,\n \"data\" : [ 1 ],\"weirscore\":\"1.5\",\"weirepoch\":3 }");
  EXPECT_EQ(annotate(R"({"id":"1"})", ""), R"({"id":"1"})");
  EXPECT_EQ(annotate("{}", kMembers), R"({"weirscore":"1.5","weirepoch":3})");
}

TEST(AnnotationTest, TakesThePlaceOfAnEarlierOne) {
  EXPECT_EQ(
      annotate(R"({"weirscore":"9", "id":"1","weirterms":"a","x":{"weirscore":1}})", kMembers),
      R"({"id":"1","x":{"weirscore":1},"weirscore":"1.5","weirepoch":3})");
  EXPECT_EQ(annotate(R"({"id":"1","\u0077eirepoch":2})", kMembers),
            R"({"id":"1","weirscore":"1.5","weirepoch":3})");
  EXPECT_EQ(annotate(R"({"weirhighlight":"a"})", ""), "{}");
}

TEST(AnnotationTest, MakesAnEventOfAnyEvent) {
  base::Prng prng(1);
  for (int i = 0; i < 500; ++i) {
    const EventPtr event = event_of(quote_event_json(prng, static_cast<std::uint64_t>(i)));
    const std::string once = annotate(event->json(), kMembers);
    const auto decoded = decode_event(once);
    ASSERT_TRUE(decoded) << once;
    EXPECT_EQ((*decoded)->at(Path::attribute("weirscore")).as_string(), "1.5");
    EXPECT_EQ((*decoded)->at(Path::attribute("weirepoch")).as_int(), 3);
    EXPECT_EQ((*decoded)->id(), event->id());
    EXPECT_EQ(annotate(once, kMembers), once);
  }
}

}  // namespace
}  // namespace weir::event
