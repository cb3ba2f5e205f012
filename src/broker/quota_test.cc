// SPDX-License-Identifier: Apache-2.0
#include "broker/quota.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace weir::broker {
namespace {

using Place = std::shared_ptr<const void>;

TEST(QuotaTest, GivesAPlaceBackWhenItsLastHolderLetsGo) {
  const auto quota = std::make_shared<Quota>(Quota::Limits{.total_max = 3, .per_owner_max = 2});
  std::vector<Place> places = {quota->take("a").value(), quota->take("a").value()};
  EXPECT_EQ(quota->take("a").error().message, "you have 2 subscriptions already, the limit");
  places.push_back(quota->take("b").value());
  EXPECT_EQ(quota->take("b").error().message, "there are 3 subscriptions already, the limit");
  places.push_back(quota->take_anyway("b"));
  places.erase(places.begin(), places.begin() + 2);
  EXPECT_TRUE(quota->take("a"));
}

TEST(QuotaTest, GivesNoMorePlacesThanThereAreToManyThreads) {
  constexpr std::ptrdiff_t kPlaces = 2;
  for (int round = 0; round < 2000; ++round) {
    const auto quota =
        std::make_shared<Quota>(Quota::Limits{.total_max = 100, .per_owner_max = kPlaces});
    std::atomic<bool> go{false};
    std::vector<Place> places(4);
    {
      std::vector<std::jthread> threads;
      for (Place& place : places) {
        threads.emplace_back([&] {
          while (!go) std::this_thread::yield();
          if (auto taken = quota->take("a")) place = *taken;
        });
      }
      go = true;
    }
    const auto is_taken = [](const Place& place) { return place.use_count() > 0; };
    ASSERT_EQ(std::ranges::count_if(places, is_taken), kPlaces) << round;
  }
}

}  // namespace
}  // namespace weir::broker
