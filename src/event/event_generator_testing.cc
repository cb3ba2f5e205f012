// SPDX-License-Identifier: Apache-2.0
#include "event/event_generator_testing.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "event/timestamp.h"

namespace weir::event {
namespace {

constexpr std::array<std::string_view, 8> kSymbols = {"INTC", "YHOO",  "MSFT", "IBM",
                                                      "AAPL", "GOOGL", "AMZN", "T"};
constexpr std::array<std::string_view, 4> kVenues = {"XNYS", "XNAS", "BATS", "ARCX"};
constexpr std::int64_t kFirstSecond = 1'767'225'600;  // 2026-01-01T00:00:00Z

}  // namespace

std::string quote_event_json(base::Prng& prng, std::uint64_t n) {
  const std::string_view symbol = kSymbols[prng.below(kSymbols.size())];
  const double price = 10.0 + static_cast<double>(prng.below(90'000)) / 100.0;
  const Timestamp time{.seconds = kFirstSecond + static_cast<std::int64_t>(n / 10),
                       .nanoseconds = static_cast<std::int32_t>(n % 10) * 100'000'000};
  return fmt::format(
      R"({{"specversion":"1.0","id":"{:016x}","source":"/exchanges/{}/feed","type":"quote",)"
      R"("subject":"{}","time":"{}","datacontenttype":"application/json",)"
      R"("data":{{"symbol":"{}","price":{:.2f},"size":{},"venue":"{}","bid":{:.2f},)"
      R"("ask":{:.2f},"currency":"USD","flag":{}}}}})",
      n, prng.below(20), symbol, to_string(time), symbol, price, 100 * (1 + prng.below(50)),
      kVenues[prng.below(kVenues.size())], price - 0.01, price + 0.01, prng.chance(0.5));
}

}  // namespace weir::event
