// SPDX-License-Identifier: Apache-2.0
#include "server/sse.h"

#include <gtest/gtest.h>

#include <string>

#include "server/credit_window.h"
#include "server/log.h"

namespace weir::server {
namespace {

std::string sse(std::vector<std::string_view> events, bool redelivered = false,
                bool envelope = false, bool is_group = false, std::uint64_t incarnation = 0) {
  broker::Dispatch dispatch;
  dispatch.number = 17;
  dispatch.redelivered = redelivered;
  dispatch.is_group = is_group || events.size() > 1;
  for (const std::string_view event : events) dispatch.events.push_back({nullptr, event});
  std::string out;
  append_sse(dispatch, {.incarnation = incarnation, .envelope = envelope}, out);
  return out;
}

TEST(SseTest, WritesDeliveries) {
  EXPECT_EQ(sse({"{}"}), "id: 17\ndata: {}\n\n");
  EXPECT_EQ(sse({"{}"}, false, false, false, 12), "id: 17@12\ndata: {}\n\n");
  EXPECT_EQ(sse({"{}"}, true), ": redelivered\nid: 17\ndata: {}\n\n");
  EXPECT_EQ(sse({"{}", "[]"}), "event: group\nid: 17\ndata: [{},[]]\n\n");
  EXPECT_EQ(sse({"{}"}, false, false, true), "event: group\nid: 17\ndata: [{}]\n\n");
  EXPECT_EQ(sse({"{}"}, false, true),
            "id: 17\ndata: {\"type\":\"event\",\"number\":17,\"event\":{}}\n\n");
}

TEST(SseTest, KeepsLinesApart) {
  EXPECT_EQ(sse({"{\n \"a\":\r1,\r\n\n}"}),
            "id: 17\ndata: {\ndata:  \"a\":\ndata: 1,\ndata: \ndata: }\n\n");
}

TEST(CreditWindowTest, PassesCreditOnInPortions) {
  CreditWindow window(256, std::size_t{1} << 20U);
  EXPECT_EQ(window.take(), 0U);
  window.add(10);
  EXPECT_EQ(window.take(), 10U);
  window.add(CreditWindow::kEndless);
  EXPECT_EQ(window.take(), 0U);
  window.on_written(10, 1000);
  EXPECT_EQ(window.take(), 256U);
  window.on_written(100, 10'000);
  EXPECT_EQ(window.take(), 0U);
  window.on_written(28, 2'800);
  EXPECT_EQ(window.take(), 128U);
}

TEST(CreditWindowTest, IsNarrowForLargeEvents) {
  CreditWindow window(256, std::size_t{1} << 20U);
  window.add(CreditWindow::kEndless);
  EXPECT_EQ(window.take(), 16U);
  window.on_written(16, 16 * (std::size_t{8} << 20U));
  EXPECT_EQ(window.take(), 1U);
  EXPECT_EQ(window.take(), 0U);
}

TEST(CreditWindowTest, NeverGivesMoreThanThePeerDoes) {
  CreditWindow window(4, 1000);
  window.add(6);
  EXPECT_EQ(window.take(), 4U);
  window.on_written(4, 40);
  EXPECT_EQ(window.take(), 2U);
  window.on_written(2, 20);
  EXPECT_EQ(window.take(), 0U);
}

TEST(LogTest, WritesFields) {
  EXPECT_EQ(log_text("started", {{"port", "8080"}, {"why", "a \"b\""}, {"none", ""}}),
            R"(started port=8080 why="a \"b\"" none="")");
  EXPECT_EQ(log_json("started", {{"port", "8080"}}), R"("message":"started","port":"8080")");
  EXPECT_EQ(log_json("started", {{"port", std::uint16_t{8080}}, {"below", -1}, {"share", 0.5}}),
            R"("message":"started","port":8080,"below":-1,"share":0.5)");
  EXPECT_EQ(log_text("started", {{"port", 8080U}}), "started port=8080");
  EXPECT_EQ(log_level_of("warning"), LogLevel::kWarning);
  EXPECT_EQ(log_level_of("loud"), std::nullopt);
  EXPECT_EQ(to_string(LogLevel::kError), "error");
}

}  // namespace
}  // namespace weir::server
