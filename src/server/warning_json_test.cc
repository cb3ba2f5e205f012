// SPDX-License-Identifier: Apache-2.0
#include "server/warning_json.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "event/json_document.h"

namespace weir::server {
namespace {

broker::DefinitionWarning warning_of(std::string message) {
  return {{.id = filter::WarningId::kNearName,
           .position = {.line = 2, .column = 3, .offset_bytes = 9},
           .message = std::move(message)},
          4};
}

TEST(WarningJsonTest, HasItsNamePlaceAndFilter) {
  const std::vector warnings = {warning_of("a"), warning_of("b")};
  std::string out;
  append_warnings(warnings, out);
  EXPECT_EQ(out,
            R"([{"name":"near_name","message":"a","position":{"line":2,"column":3,"offset":9},)"
            R"("filter":4},{"name":"near_name","message":"b",)"
            R"("position":{"line":2,"column":3,"offset":9},"filter":4}])");
}

TEST(WarningJsonTest, AHeaderFieldIsVisibleAsciiAndTheSameJson) {
  const std::vector warnings = {warning_of("\xC3\xBC \xF0\x9F\x8C\x8A \x7F \"\r\n")};
  const auto fields = warning_fields(warnings);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_TRUE(std::ranges::all_of(fields[0], [](char c) { return c >= ' ' && c < '\x7F'; }));
  const auto document = event::JsonDocument::parse(fields[0]);
  ASSERT_TRUE(document.has_value()) << fields[0];
  EXPECT_EQ(document->root().member("message").string(), warnings[0].warning.message);
}

TEST(WarningJsonTest, ALongMessageIsCutAndManyAreCounted) {
  const std::vector many(kWarningFieldCountMax + 5, warning_of(std::string(5000, 'x')));
  const auto fields = warning_fields(many);
  ASSERT_EQ(fields.size(), kWarningFieldCountMax);
  EXPECT_LT(fields.front().size(), 1200U);
  EXPECT_EQ(fields.back(),
            R"({"name":"more","message":"6 more warnings; weir check shows all of them"})");
  EXPECT_EQ(warning_fields(std::span(many).first(kWarningFieldCountMax)).back(), fields.front());
}

}  // namespace
}  // namespace weir::server
