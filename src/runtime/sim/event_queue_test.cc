// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/prng.h"

namespace weir::runtime::sim {
namespace {

TEST(EventQueueTest, GivesEventsByInstantAndThenInTheOrderTheyCame) {
  base::Prng prng(11);
  EventQueue<int> queue;
  std::multimap<std::int64_t, int> model;  // keeps the order of equal keys
  int next = 0;
  for (int step = 0; step < 200'000; ++step) {
    if (queue.empty() || prng.next() % 2 == 0) {
      const auto at = static_cast<std::int64_t>(prng.next() % 100);
      queue.push({at}, next);
      model.emplace(at, next++);
      continue;
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.next_at().nanoseconds, model.begin()->first);
    ASSERT_EQ(queue.pop(), model.begin()->second);
    model.erase(model.begin());
  }
}

}  // namespace
}  // namespace weir::runtime::sim
