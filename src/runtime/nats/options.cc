// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"

namespace weir::runtime::nats {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

base::Result<void> check_name(std::string_view what, std::string_view name) {
  if (!name.empty() && name.size() <= kClusterNameBytesMax &&
      std::ranges::all_of(name, is_name_character)) {
    return {};
  }
  return base::Error{base::ErrorId::kNatsOption,
                     fmt::format("the {}'s name is '{}', expected 1 to {} letters, digits, - or _",
                                 what, name, kClusterNameBytesMax),
                     {}};
}

}  // namespace

base::Result<void> check(const NatsOptions& options) {
  if (auto checked = check_name("cluster", options.cluster); !checked) return checked;
  return check_name("member", options.member);
}

protocol::NodeId node_id_of(std::string_view member) {
  return {std::max<std::uint64_t>(base::hash_bytes(member), 1)};
}

std::string without_password(std::string_view url) {
  const std::size_t at = url.rfind('@');
  const std::size_t scheme = url.find("://");
  if (at == std::string_view::npos) return std::string(url);
  const std::size_t begin = scheme == std::string_view::npos || scheme > at ? 0 : scheme + 3;
  return fmt::format("{}***{}", url.substr(0, begin), url.substr(at));
}

}  // namespace weir::runtime::nats
