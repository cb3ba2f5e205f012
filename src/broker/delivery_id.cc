// SPDX-License-Identifier: Apache-2.0
#include "broker/delivery_id.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace weir::broker {
namespace {

// Digits only, without a leading zero.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t number = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string to_string(const DeliveryId& id) {
  return id.incarnation ? fmt::format("{}@{}", id.number, *id.incarnation)
                        : fmt::to_string(id.number);
}

std::optional<DeliveryId> parse_delivery_id(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto number = parse_number(text.substr(0, at));
  if (!number) return std::nullopt;
  if (at == std::string_view::npos) return DeliveryId{*number};
  const auto incarnation = parse_number(text.substr(at + 1));
  if (!incarnation) return std::nullopt;
  return DeliveryId{*number, incarnation};
}

}  // namespace weir::broker
