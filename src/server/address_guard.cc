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

// IANA's special-purpose address registries of IPv4 and IPv6, whole, also those blocks that are
// reachable from everywhere: a sink has no business there. Besides, multicast, and what was
// site-local.
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
      reserved("192.31.196.0/24", "a sink of AS112"),
      reserved("192.52.193.0/24", "a multicast relay's"),
      reserved("192.88.99.0/24", "a 6to4 relay's"),
      reserved("192.175.48.0/24", "a sink of AS112"),
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
      reserved("100:0:0:1::/64", "a dummy"),
      reserved("2001::/32", "a Teredo tunnel"),
      reserved("2001::/23", "reserved for protocols"),
      reserved("2001:db8::/32", "for documentation"),
      reserved("2620:4f:8000::/48", "a sink of AS112"),
      reserved("3fff::/20", "for documentation"),
      reserved("5f00::/16", "for segment routing"),
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

// A way to write an IPv4 address in an IPv6 address.
struct Embedding {
  Reserved form;
  std::size_t offset;
};

const Embedding* embedding_of(const IpAddress& address) {
  static const std::array<Embedding, 5> kEmbeddings = {{
      {reserved("::ffff:0:0/96", "an IPv4 address in IPv6"), 12},
      {reserved("::ffff:0:0:0/96", "a translated IPv4 address"), 12},
      {reserved("::/96", "an IPv4 address in IPv6"), 12},
      {reserved("64:ff9b::/96", "a translated IPv4 address"), 12},
      {reserved("2002::/16", "a 6to4 tunnel"), 2},
  }};
  const auto found = std::ranges::find_if(kEmbeddings, [&](const Embedding& embedding) {
    return embedding.form.network.contains(address);
  });
  return found == kEmbeddings.end() ? nullptr : &*found;
}

// What keeps an address from being public; empty if nothing does.
std::string_view what_is(const IpAddress& address) {
  for (const Reserved& entry : reserved_networks()) {
    if (entry.network.contains(address)) return entry.what;
  }
  if (address.is_v4) return {};
  if (const Embedding* const embedding = embedding_of(address)) {
    const std::string_view inner = what_is(v4_at(address, embedding->offset));
    return inner.empty() ? embedding->form.what : inner;
  }
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

bool AddressGuard::is_allowed(const IpAddress& address) const {
  const auto has = [this](const IpAddress& other) {
    return std::ranges::any_of(allowed_, [&](const Cidr& it) { return it.contains(other); });
  };
  const Embedding* const embedding = embedding_of(address);
  if (embedding == nullptr) return has(address);
  const IpAddress inner = v4_at(address, embedding->offset);
  if (has(inner)) return true;
  // To allow a whole form, such as NAT64, does not allow every address behind it.
  return std::ranges::any_of(allowed_, [&](const Cidr& network) {
    const bool is_narrower = network.prefix_bits > embedding->form.network.prefix_bits;
    return network.contains(address) && (is_narrower || what_is(inner).empty());
  });
}

base::Result<void> AddressGuard::check(const IpAddress& address) const {
  const std::string_view what = what_is(address);
  if (what.empty() || is_allowed(address)) return {};
  return base::Error{
      base::ErrorId::kBrokerSink,
      fmt::format("the address {} is {}: sinks there are not allowed", address.to_string(), what),
      std::nullopt};
}

}  // namespace weir::server
