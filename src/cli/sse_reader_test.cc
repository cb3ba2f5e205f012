// SPDX-License-Identifier: Apache-2.0
#include "cli/sse_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<SseMessage> read(const std::vector<std::string_view>& lines) {
  SseReader reader;
  std::vector<SseMessage> messages;
  for (const std::string_view line : lines) {
    if (auto message = reader.take(line)) messages.push_back(*std::move(message));
  }
  return messages;
}

SseMessage message(std::string data, std::string id = "", std::string type = "message") {
  return {.type = std::move(type), .data = std::move(data), .id = std::move(id)};
}

TEST(SseReaderTest, EndsAMessageAtABlankLine) {
  EXPECT_THAT(read({"data: a", "", "data: b", ""}), ElementsAre(message("a"), message("b")));
  EXPECT_THAT(read({"data: a"}), IsEmpty());
}

TEST(SseReaderTest, JoinsLinesOfData) {
  EXPECT_THAT(read({"data: a", "data:b", "data", "data:  c", ""}),
              ElementsAre(message("a\nb\n\n c")));
}

TEST(SseReaderTest, RemovesOneSpaceOnly) {
  EXPECT_THAT(read({"data:  x ", ""}), ElementsAre(message(" x ")));
}

TEST(SseReaderTest, KeepsAnIdUntilTheNext) {
  EXPECT_THAT(read({"id: 1", "data: a", "", "data: b", "", "id", "data: c", ""}),
              ElementsAre(message("a", "1"), message("b", "1"), message("c")));
  using namespace std::string_view_literals;
  EXPECT_THAT(read({"id: 1", "id: 2\0003"sv, "data: a", ""}), ElementsAre(message("a", "1")));
}

TEST(SseReaderTest, KeepsATypeForOneMessage) {
  EXPECT_THAT(read({"event: group", "data: a", "", "data: b", ""}),
              ElementsAre(message("a", "", "group"), message("b")));
  EXPECT_THAT(read({"event: group", "", "data: b", ""}), ElementsAre(message("b")));
}

TEST(SseReaderTest, LeavesOutWhatIsNoMessage) {
  EXPECT_THAT(read({":", "", ": redelivered", "", "retry: 1000", "", "foo: bar", "", ""}),
              IsEmpty());
  EXPECT_THAT(read({": x", "Data: no", " data: no", "data: a", ""}), ElementsAre(message("a")));
}

TEST(SseReaderTest, GivesAnEmptyLineOfData) {
  EXPECT_THAT(read({"data", ""}), ElementsAre(message("")));
}

TEST(SseReaderTest, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(read({"\xEF\xBB\xBF"
                    "data: a",
                    "",
                    "\xEF\xBB\xBF"
                    "data: b",
                    ""}),
              ElementsAre(message("a")));
}

}  // namespace
}  // namespace weir::cli
