// SPDX-License-Identifier: Apache-2.0
// KeyItem: the state that an application keeps for one key, in the application's own format.
#pragma once

#include <string>
#include <tuple>

#include "protocol/field.h"
#include "protocol/ring.h"

namespace weir::protocol {

struct KeyItem {
  Key key;
  std::string bytes;

  bool operator==(const KeyItem&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&KeyItem::key).traced(), field(&KeyItem::bytes)};
  }
};

}  // namespace weir::protocol
