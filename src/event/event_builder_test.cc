// SPDX-License-Identifier: Apache-2.0
#include "event/event_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error_testing.h"
#include "base/prng.h"
#include "base/utf8.h"
#include "event/event_rules.h"

namespace weir::event {
namespace {

using base::describe;
using namespace std::string_view_literals;

EventBuilder minimal() { return EventBuilder().id("1").source("/s").type("t"); }

TEST(EventBuilderTest, BuildsAnEvent) {
  const auto event = EventBuilder()
                         .id("1")
                         .source("/nyse")
                         .type("quote")
                         .subject("INTC")
                         .time("2026-01-31T12:00:00Z")
                         .attribute("lot", 100)
                         .attribute("firm", true)
                         .attribute("venue", "XNYS")
                         .data_json(R"({"price": 20.50})")
                         .build();
  ASSERT_EQ(describe(event), "ok");
  EXPECT_EQ((*event)->json(),
            R"({"specversion":"1.0","id":"1","source":"/nyse","type":"quote","subject":"INTC",)"
            R"("time":"2026-01-31T12:00:00Z","lot":100,"firm":true,"venue":"XNYS",)"
            R"("data":{"price": 20.50}})");
  EXPECT_EQ((*event)->data().raw(), R"({"price": 20.50})");
}

TEST(EventBuilderTest, MayBuildAgain) {
  EventBuilder builder = minimal();
  EXPECT_EQ(describe(builder.build()), "ok");
  builder.subject("more");
  EXPECT_EQ(builder.build().value()->core_text(CoreAttribute::kSubject), "more");
}

TEST(EventBuilderTest, EnforcesTheRulesOfDecoding) {
  EXPECT_EQ(describe(EventBuilder().source("/s").type("t").build()),
            "event.missing_attribute 1:1@0 expected attribute 'id', which every event has");
  EXPECT_EQ(minimal().time("noon").build().error().id, base::ErrorId::kEventTime);
  EXPECT_EQ(minimal().attribute("myExt", 1).build().error().id, base::ErrorId::kEventAttributeName);
  EXPECT_EQ(minimal().subject("").build().error().id, base::ErrorId::kEventEmptyAttribute);
  EXPECT_EQ(minimal().subject("a\nb").build().error().id, base::ErrorId::kEventCharacter);
  EXPECT_EQ(minimal().subject("a\0b"sv).build().error().id, base::ErrorId::kEventCharacter);
  EXPECT_EQ(minimal().subject("\xFF").build().error().id, base::ErrorId::kJsonUtf8);
  EXPECT_EQ(minimal().id("2").build().error().id, base::ErrorId::kJsonDuplicateMember);
  EXPECT_EQ(minimal().data_json("1").data_bytes("x").build().error().id,
            base::ErrorId::kEventDataTwice);
  EXPECT_EQ(minimal().attribute("data", 1).data_json("1").build().error().id,
            base::ErrorId::kJsonDuplicateMember);
  EXPECT_EQ(minimal().build({.attribute_count_max = 3}).error().id,
            base::ErrorId::kEventTooManyAttributes);
}

TEST(EventBuilderTest, TakesNamesAsTheyAre) {
  EXPECT_EQ(describe(minimal().attribute("a\":1,\"b", 2).build()),
            "event.attribute_name 1:56@55 expected an attribute name of a-z and 0-9, found "
            "\"a\\\":1,\\\"b\"");
}

TEST(EventBuilderTest, KeepsDataByteForByte) {
  for (const std::string_view json : {"null", " [ 1 ,2 ] ", "\"\\u0041\"", "1e400", "\n{}"}) {
    const auto event = minimal().data_json(json).build();
    ASSERT_EQ(describe(event), "ok") << json;
    EXPECT_NE((*event)->json().find(json), std::string_view::npos) << json;
  }
}

// Text that would slip further members into the event is not one JSON value.
TEST(EventBuilderTest, TakesDataThatIsExactlyOneValue) {
  EXPECT_EQ(describe(minimal().data_json("1,\"admin\":true").build()),
            "json.trailing_bytes 1:64@63 expected nothing after the value, found more bytes");
  EXPECT_EQ(minimal().data_json("1,\"subject\":\"x\"").build().error().id,
            base::ErrorId::kJsonTrailingBytes);
  EXPECT_EQ(minimal().data_json("1 2").build().error().id, base::ErrorId::kJsonSyntax);
  EXPECT_EQ(minimal().data_json("1}").build().error().id, base::ErrorId::kJsonTrailingBytes);
  EXPECT_FALSE(minimal().data_json("").build().has_value());
  EXPECT_FALSE(minimal().data_json("{").build().has_value());
  // A string that is open takes what follows for its own end.
  EXPECT_FALSE(minimal().data_json("\"").attribute("ext", ":1,").build().has_value());
  EXPECT_FALSE(minimal().data_json("[\"").attribute("ext", "]").build().has_value());
  EXPECT_FALSE(minimal().data_json("{\"a\":1").attribute("ext", 1).build().has_value());
  EXPECT_FALSE(minimal().data_json("[1").attribute("ext", "\n],").build().has_value());
}

TEST(EventBuilderTest, CarriesBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const auto event = minimal().data_bytes(all).build();
  ASSERT_EQ(describe(event), "ok");
  EXPECT_EQ((*event)->data_kind(), DataKind::kBinary);
  EXPECT_EQ((*event)->data_bytes(), all);
  EXPECT_EQ(minimal().data_bytes("").build().value()->data_kind(), DataKind::kBinary);
}

using Extension = std::variant<std::string, bool, std::int32_t>;

std::string random_text(base::Prng& prng) {
  std::string text;
  for (std::uint64_t count = prng.below(12); count > 0; --count) {
    const auto bits = static_cast<unsigned>(prng.below(21));
    const auto value = static_cast<std::uint32_t>(prng.next() & 0x1FFFFFU) >> bits;
    if (value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF)) base::append_utf8(value, text);
  }
  return text;
}

Extension random_extension(base::Prng& prng) {
  switch (prng.below(3)) {
    case 0:
      return prng.chance(0.5);
    case 1:
      return static_cast<std::int32_t>(prng.next() >> (32 + prng.below(32)));
    default:
      return random_text(prng);
  }
}

void expect_same(const Attribute& attribute, const Extension& extension) {
  if (const auto* text = std::get_if<std::string>(&extension)) {
    EXPECT_EQ(attribute.value.as_string(), *text);
    EXPECT_EQ(attribute.text, *text);
  } else if (const auto* flag = std::get_if<bool>(&extension)) {
    EXPECT_EQ(attribute.value.as_bool(), *flag);
    EXPECT_EQ(attribute.text, *flag ? "true" : "false");
  } else {
    EXPECT_EQ(attribute.value.as_int(), std::get<std::int32_t>(extension));
    EXPECT_EQ(attribute.text, fmt::format("{}", std::get<std::int32_t>(extension)));
  }
}

// Whatever goes in comes out, or is refused for a character that is not allowed.
TEST(EventBuilderTest, GivesBackWhatItWasGiven) {
  constexpr std::uint64_t kSeed = 102;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  int built = 0;
  for (int i = 0; i < 5'000; ++i) {
    EventBuilder builder = minimal();
    std::map<std::string, Extension> extensions;
    bool allowed = true;
    for (std::uint64_t count = prng.below(5); count > 0; --count) {
      auto [it, fresh] = extensions.emplace(fmt::format("ext{}", count), random_extension(prng));
      std::visit([&](const auto& value) { builder.attribute(it->first, value); }, it->second);
      const auto* text = std::get_if<std::string>(&it->second);
      allowed = allowed && (text == nullptr || allowed_prefix_bytes(*text) == text->size());
    }
    const std::string bytes = random_text(prng);
    builder.data_bytes(bytes);
    const auto event = builder.build();
    ASSERT_EQ(event.has_value(), allowed) << describe(event);
    if (!event) {
      ASSERT_EQ(event.error().id, base::ErrorId::kEventCharacter);
      continue;
    }
    ++built;
    ASSERT_EQ((*event)->attributes().size(), 4 + extensions.size());
    for (const auto& [name, value] : extensions) expect_same(*(*event)->find(name), value);
    ASSERT_EQ((*event)->data_bytes(), bytes);
  }
  EXPECT_GT(built, 1'000);
  EXPECT_LT(built, 4'500);
}

}  // namespace
}  // namespace weir::event
