// SPDX-License-Identifier: Apache-2.0
// What the content matcher says that it takes is what the heap says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_testing.h"
#include "bloom/line_buffer.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/content_matcher.h"

namespace weir::match {
namespace {

constexpr int kFilterCount = 20'000;
constexpr int kEventCount = 500;

std::string list_filter(int i) {
  std::string text = fmt::format("data.code in ('code-{}'", i);
  for (int j = 1; j < 12; ++j) text += fmt::format(", 'code-{}'", i * 12 + j);
  return text + ")";
}

std::string equality_filter(int i) {
  return fmt::format("data.symbol = 'symbol-{}' and data.price > {}", i, i % 100);
}

std::string affix_filter(int i) {
  if (i % 2 == 0) return fmt::format("source prefix '/plant/{}/line' and not type = 'test'", i);
  return fmt::format("data.name like 'begin-{}-%-end-{}'", i, i);
}

std::string path_filter(int i) {
  return fmt::format("data.department_{}.of_a_rather_long_name[{}] > {}", i % 4000, i % 3, i);
}

std::string mixed_filter(int i) {
  switch (i % 8) {
    case 0:
      return list_filter(i);
    case 1:
      return path_filter(i);
    case 2:
    case 3:
      return affix_filter(i);
    case 4:
      return fmt::format("cesql('type = ''com.example.{}'' AND LENGTH(subject) > 3')", i);
    case 5:
      return fmt::format("data.price between {} and {}.37", i % 90, i % 90 + 5);
    case 6:
      return fmt::format("data.a = data.b and data.kind = {}", i);
    default:
      return equality_filter(i);
  }
}

std::string event_text(int i) {
  return fmt::format(
      R"({{"type":"com.example.{0}","source":"/plant/{0}/line/7","subject":"{0}","data":{{)"
      R"("symbol":"symbol-{0}","price":{1},"code":"code-{0}","name":"begin-{0}-x-end-{0}",)"
      R"("kind":{0},"a":1,"b":1,"department_{1}":{{"of_a_rather_long_name":[{0}]}}}}}})",
      i, i % 100);
}

// What work() leaves in use.
template <typename Work>
double growth(Work&& work) {
  const std::size_t before = base::heap_bytes_in_use() + base::mapped_bytes_in_use();
  work();
  const std::size_t after = base::heap_bytes_in_use() + base::mapped_bytes_in_use();
  return static_cast<double>(after) - static_cast<double>(before);
}

void expect_that_all_is_told(std::string (*text_of)(int)) {
  std::vector<filter::FilterPtr> filters;
  for (int i = 0; i < kFilterCount; ++i) filters.push_back(filter::filter_of(text_of(i)));
  std::vector<event::EventPtr> events;
  for (int i = 0; i < kEventCount; ++i) events.push_back(event::event_of(event_text(i)));
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  matches.reserve(kFilterCount);
  std::unique_ptr<ContentMatcher> matcher;
  const double taken = growth([&] {
    matcher = std::make_unique<ContentMatcher>();
    for (std::uint64_t i = 0; i < kFilterCount; ++i) matcher->add(SubscriptionId{i}, filters[i]);
    for (const event::EventPtr& event : events) matcher->match(*event, scorer, matches);
  });
  const auto told = static_cast<double>(matcher->memory_bytes());
  EXPECT_NEAR(told / taken, 1, 0.1) << text_of(0) << ": " << told << " of " << taken;
}

// Sanitizers have a heap of their own, and mappings for it.
bool are_accounts_kept() {
  const std::size_t before = base::heap_bytes_in_use();
  const bloom::LineBuffer on_heap(1'000);
  if (base::heap_bytes_in_use() < before + on_heap.bytes()) return false;
  std::vector<bloom::LineBuffer> buffers;
  buffers.reserve(1);
  const double mapped =
      growth([&] { std::ranges::fill(buffers.emplace_back(100'000).words(), 1); });
  return mapped >= 6'400'000;
}

TEST(ContentMemoryTest, IsToldAsItIs) {
  if (!are_accounts_kept()) GTEST_SKIP() << "the heap or the system does not tell";
  expect_that_all_is_told(equality_filter);
  expect_that_all_is_told(list_filter);
  expect_that_all_is_told(affix_filter);
  expect_that_all_is_told(path_filter);
  expect_that_all_is_told(mixed_filter);
}

}  // namespace
}  // namespace weir::match
