// SPDX-License-Identifier: Apache-2.0
// compare_any: whether an operator holds between some value on the left and some value on the
// right, as a comparison of two paths with [*] asks.
//
// Says what trying every pair says; a missing value takes part in no pair. Costs n log n for n
// values in all, where every pair would cost their product.
#pragma once

#include <span>

#include "event/value.h"
#include "filter/ast.h"

namespace weir::filter {

bool compare_any(std::span<const event::Value> left, CompareOp op,
                 std::span<const event::Value> right);

}  // namespace weir::filter
