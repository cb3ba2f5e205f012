// SPDX-License-Identifier: Apache-2.0
// AddressGuard: the addresses that a sink may have, so that nobody reaches into the broker's own
// network by subscribing (server-side request forgery).
//
// Refused is every range of IANA's special-purpose address registries: loopback, link-local,
// private and shared networks, and all that is reserved for protocols, documents, benchmarks,
// tunnels or translation; multicast; and IPv6 that is not global unicast. So no IPv4 address inside
// an IPv6 one passes. Addresses of networks (CIDR) that the operator allows pass; an allowed NAT64
// network leads to public IPv4 addresses only.
//
// A name is no protection: it may lead elsewhere tomorrow. So the guard is asked about the resolved
// address, on every connect, and the connection goes to exactly that address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir::server {

struct IpAddress {
  bool is_v4 = true;
  std::array<std::uint8_t, 16> bytes = {};  // IPv4: the first four

  std::string to_string() const;
  bool operator==(const IpAddress&) const = default;
};

// "192.0.2.1" or "2001:db8::1"; no other notation, no zone.
std::optional<IpAddress> parse_ip(std::string_view text);

struct Cidr {
  IpAddress address;
  unsigned prefix_bits = 0;

  bool contains(const IpAddress& other) const;
};

// "10.0.0.0/8", "fd00::/8", or one address.
base::Result<Cidr> parse_cidr(std::string_view text);

class AddressGuard {
 public:
  explicit AddressGuard(std::vector<Cidr> allowed = {}) : allowed_(std::move(allowed)) {}

  // kBrokerSink, with what the address is, if nothing may be sent there.
  base::Result<void> check(const IpAddress& address) const;

 private:
  bool is_allowed(const IpAddress& address) const;

  std::vector<Cidr> allowed_;
};

}  // namespace weir::server
