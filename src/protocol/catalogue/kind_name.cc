// SPDX-License-Identifier: Apache-2.0
#include "protocol/catalogue/kind_name.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/catalogue/protocols.h"

namespace weir::protocol::catalogue {

namespace {

struct Names {
  std::string_view protocol;
  std::span<const std::string_view> kinds;
};

Names names_of(ProtocolId protocol) {
  Names names;
  with_messages(protocol, [&]<typename Messages>(std::string_view name, Messages /*list*/) {
    names = {.protocol = name, .kinds = Messages::kNames};
  });
  return names;
}

}  // namespace

std::string kind_name(MessageKind kind) {
  const Names names = names_of(kind.protocol);
  if (kind.number < names.kinds.size()) {
    return fmt::format("{}.{}", names.protocol, names.kinds[kind.number]);
  }
  return fmt::format("{}.{}", names.protocol, kind.number);
}

}  // namespace weir::protocol::catalogue
