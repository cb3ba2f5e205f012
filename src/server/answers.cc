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

std::optional<broker::DeliveryId> delivery_id_of(const JsonRef& value) {
  if (value && value.kind() == JsonKind::kString) {
    const auto id = broker::parse_delivery_id(value.string());
    return id && id->incarnation ? id : std::nullopt;
  }
  const auto number = delivery_number_of(value);
  if (!number) return std::nullopt;
  return broker::DeliveryId{*number};
}

std::optional<NamedDeliveries> named_deliveries_of(const JsonRef& value) {
  if (!value || value.kind() != JsonKind::kArray) return std::nullopt;
  NamedDeliveries named;
  bool all_are = true;
  value.for_each_element([&](const JsonRef& element) {
    const auto id = delivery_id_of(element);
    all_are = all_are && id && named.numbers.size() < kAnswerNumberCountMax;
    if (!all_are) return;
    all_are = !id->incarnation || named.incarnation.value_or(*id->incarnation) == *id->incarnation;
    if (id->incarnation) named.incarnation = id->incarnation;
    named.numbers.push_back(id->number);
  });
  if (!all_are) return std::nullopt;
  return named;
}

std::optional<base::Duration> nack_delay_of(const JsonRef& value) {
  if (!value) return base::Duration{};
  if (value.kind() != JsonKind::kString) return std::nullopt;
  return broker::parse_nack_delay(value.string());
}

}  // namespace weir::server
