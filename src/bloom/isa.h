// SPDX-License-Identifier: Apache-2.0
// Isa: which instructions a structure works with. Answers and bytes are the same with each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::bloom {

enum class Isa : std::uint8_t { kPortable, kAvx2, kAvx512 };

// What this machine has, slowest first; kPortable always.
const std::vector<Isa>& available_isas();
inline Isa best_isa() { return available_isas().back(); }

std::string_view name_of(Isa isa);

}  // namespace weir::bloom
