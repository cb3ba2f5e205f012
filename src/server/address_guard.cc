// SPDX-License-Identifier: Apache-2.0
#include "server/address_guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"

namespace weir::server {
namespace {

struct Reserved {
  Cidr network;
  std::string_view what;
};

Reserved reserved(std::string_view network, std::string_view what) {
  const auto cidr = parse_cidr(network);
  WEIR_CHECK(cidr.has_value());
  return {*cidr, what};
}

// IANA's special-purpose registries.
const std::vector<Reserved>& reserved_networks() {
  static const std::vector<Reserved> kNetworks = {
      reserved("0.0.0.0/8", "unspecified"),
      reserved("10.0.0.0/8", "private"),
      reserved("100.64.0.0/10", "shared by a carrier"),
      reserved("127.0.0.0/8", "loopback"),
      reserved("169.254.0.0/16", "link-local"),
      reserved("172.16.0.0/12", "private"),
      reserved("192.0.0.0/24", "reserved for protocols"),
      reserved("192.0.2.0/24", "for documentation"),
      reserved("192.88.99.0/24", "a relay's"),
      reserved("192.168.0.0/16", "private"),
      reserved("198.18.0.0/15", "for benchmarks"),
      reserved("198.51.100.0/24", "for documentation"),
      reserved("203.0.113.0/24", "for documentation"),
      reserved("224.0.0.0/4", "multicast"),
      reserved("255.255.255.255/32", "broadcast"),
      reserved("240.0.0.0/4", "reserved"),
      reserved("::/128", "unspecified"),
      reserved("::1/128", "loopback"),
      reserved("64:ff9b:1::/48", "for local translation"),
      reserved("100::/64", "for discarding"),
      reserved("2001::/23", "reserved for protocols"),
      reserved("2001:db8::/32", "for documentation"),
      reserved("3fff::/20", "for documentation"),
      reserved("fc00::/7", "private"),
      reserved("fe80::/10", "link-local"),
      reserved("fec0::/10", "site-local"),
      reserved("ff00::/8", "multicast"),
  };
  return kNetworks;
}

IpAddress v4_at(const IpAddress& address, std::size_t offset) {
  IpAddress inner;
  std::copy_n(address.bytes.begin() + static_cast<std::ptrdiff_t>(offset), 4, inner.bytes.begin());
  return inner;
}

// The IPv4 address that an IPv6 address leads to, by any of the ways to write one in the other.
std::optional<IpAddress> embedded_v4(const IpAddress& address) {
  struct Form {
    Cidr network;
    std::size_t offset;
  };
  static const std::array<Form, 5> kForms = {{
      {reserved("::ffff:0:0/96", "mapped").network, 12},
      {reserved("::ffff:0:0:0/96", "translated").network, 12},
      {reserved("::/96", "compatible").network, 12},
      {reserved("64:ff9b::/96", "NAT64").network, 12},
      {reserved("2002::/16", "6to4").network, 2},
  }};
  for (const Form& form : kForms) {
    if (form.network.contains(address)) return v4_at(address, form.offset);
  }
  return std::nullopt;
}

// What keeps an address from being public; empty if nothing does.
std::string_view what_is(const IpAddress& address) {
  for (const Reserved& entry : reserved_networks()) {
    if (entry.network.contains(address)) return entry.what;
  }
  if (address.is_v4) return {};
  if (const auto inner = embedded_v4(address)) return what_is(*inner);
  static const Cidr kGlobalUnicast = reserved("2000::/3", "global").network;
  return kGlobalUnicast.contains(address) ? std::string_view{} : "reserved";
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  address.is_v4 = text.find(':') == std::string_view::npos;
  const int family = address.is_v4 ? AF_INET : AF_INET6;
  if (inet_pton(family, terminated.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const char* const done =
      inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  WEIR_CHECK(done != nullptr);
  return done;
}

bool Cidr::contains(const IpAddress& other) const {
  if (address.is_v4 != other.is_v4) return false;
  const std::size_t whole = prefix_bits / 8;
  if (std::memcmp(address.bytes.data(), other.bytes.data(), whole) != 0) return false;
  const unsigned rest_bits = prefix_bits % 8;
  if (rest_bits == 0) return true;
  const unsigned difference = unsigned{address.bytes[whole]} ^ unsigned { other.bytes[whole] };
  return difference >> (8 - rest_bits) == 0;
}

base::Result<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto address = parse_ip(text.substr(0, slash));
  if (!address) {
    return base::Error{base::ErrorId::kConfigKey,
                       fmt::format("'{}': expected a network such as 10.0.0.0/8", text),
                       base::position_at(text, 0)};
  }
  const unsigned bits_max = address->is_v4 ? 32 : 128;
  Cidr cidr{.address = *address, .prefix_bits = bits_max};
  if (slash == text.size()) return cidr;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + slash + 1, end, cidr.prefix_bits);
  if (code != std::errc() || stop != end || cidr.prefix_bits > bits_max) {
    return base::Error{base::ErrorId::kConfigKey,
                       fmt::format("'{}': expected 0 to {} bits after '/'", text, bits_max),
                       base::position_at(text, slash + 1)};
  }
  return cidr;
}

base::Result<void> AddressGuard::check(const IpAddress& address) const {
  const std::string_view what = what_is(address);
  if (what.empty()) return {};
  const auto inner = address.is_v4 ? std::nullopt : embedded_v4(address);
  for (const Cidr& network : allowed_) {
    if (network.contains(address) || (inner && network.contains(*inner))) return {};
  }
  return base::Error{
      base::ErrorId::kBrokerSink,
      fmt::format("the address {} is {}: sinks there are not allowed", address.to_string(), what),
      std::nullopt};
}

}  // namespace weir::server
