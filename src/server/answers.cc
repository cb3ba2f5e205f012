// SPDX-License-Identifier: Apache-2.0
#include "server/answers.h"

#include "broker/consumers.h"
#include "server/request.h"

namespace weir::server {

using event::JsonKind;
using event::JsonRef;

std::optional<std::uint64_t> delivery_number_of(const JsonRef& value) {
  if (!value || value.kind() != JsonKind::kInteger) return std::nullopt;
  return parse_number(value.raw());
}

std::optional<std::vector<std::uint64_t>> delivery_numbers_of(const JsonRef& value) {
  if (!value || value.kind() != JsonKind::kArray) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  bool all_are = true;
  value.for_each_element([&](const JsonRef& element) {
    const auto number = delivery_number_of(element);
    all_are = all_are && number && numbers.size() < kAnswerNumberCountMax;
    if (all_are) numbers.push_back(*number);
  });
  if (!all_are) return std::nullopt;
  return numbers;
}

std::optional<base::Duration> nack_delay_of(const JsonRef& value) {
  if (!value) return base::Duration{};
  if (value.kind() != JsonKind::kString) return std::nullopt;
  return broker::parse_nack_delay(value.string());
}

}  // namespace weir::server
