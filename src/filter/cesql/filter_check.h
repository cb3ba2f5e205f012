// SPDX-License-Identifier: Apache-2.0
// What a subscription refuses of an expression that parses, because no event could ever pass it as
// it was meant.
#pragma once

#include "base/result.h"
#include "filter/cesql/expression.h"

namespace weir::filter::cesql {

// Fails with kFilterCesqlFunction (no function of that name) or kFilterCesqlArity (none that takes
// so many arguments), at the first such call, even where evaluation might never reach it; and with
// kFilterType if the value is an Integer or a String on every event, since only TRUE passes.
base::Result<void> check_filter(const Expression& expression);

}  // namespace weir::filter::cesql
