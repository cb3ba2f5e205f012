// SPDX-License-Identifier: Apache-2.0
// Answers: what a message says about single deliveries of a shared subscription, read from JSON.
//
//   {"numbers":[17,19]}                acknowledged
//   {"numbers":[17],"delay":"5s"}      given back, not before 5 seconds have passed
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "broker/delivery_id.h"
#include "event/json_document.h"

namespace weir::server {

inline constexpr std::size_t kAnswerNumberCountMax = 10'000;  // in one message
inline constexpr std::string_view kNackDelayExpected =
    R"(expected "delay": a duration of at most 1d, such as "5s")";

// Nullopt if it is no number of a delivery.
std::optional<std::uint64_t> delivery_number_of(const event::JsonRef& value);
// Nullopt if it is no array of such numbers, or too long.
std::optional<std::vector<std::uint64_t>> delivery_numbers_of(const event::JsonRef& value);

// Deliveries as requests that stand alone name them: by numbers, or by ids such as "17@12".
struct NamedDeliveries {
  std::vector<std::uint64_t> numbers = {};
  std::optional<std::uint64_t> incarnation = {};
};
// Nullopt if it is neither.
std::optional<broker::DeliveryId> delivery_id_of(const event::JsonRef& value);
// Nullopt if it is no array of such, too long, or of several incarnations.
std::optional<NamedDeliveries> named_deliveries_of(const event::JsonRef& value);

// No delay if there is no value; nullopt if it is no duration, or beyond the limit.
std::optional<base::Duration> nack_delay_of(const event::JsonRef& value);

}  // namespace weir::server
