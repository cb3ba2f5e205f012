// SPDX-License-Identifier: Apache-2.0
// Evaluation of CESQL 1.0.0 expressions, exactly, in the specification's fail-fast mode.
//
// Always gives a value. An operator or function whose operand failed, or cannot be cast to the type
// it needs, gives the zero value of its own type with that one error, and nothing after it is
// evaluated. What fails by itself gives the value the specification names (LEFT and RIGHT their
// string, ABS the largest integer), otherwise its zero value.
//
// - An attribute that the event lacks is FALSE with missingAttribute; `data` is no attribute.
//   Boolean and Integer attributes keep their type, all others (time too) are Strings as written.
// - AND and OR do not evaluate their right operand where the left one decides.
// - = and != cast the left operand to the right one's type; IN casts its elements, from left to
//   right up to the first match, to the left operand's type. Everything else has fixed types.
// - Arithmetic that leaves 32 bits is a math error with value 0, and so is division by zero.
// - A call that no function answers, by name or number of arguments, is FALSE with missingFunction.
// - Functions that would handle more than kStringWorkBytesMax in all end in functionEvaluation, so
//   that a long attribute and a short expression cannot take all memory.
//
// Costs the size of the expression, and for LIKE the length of the text. Recursion is bounded by
// the height of the expression. Single-threaded on its own data: one expression may be evaluated by
// several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "event/event.h"
#include "filter/cesql/evaluation.h"
#include "filter/cesql/expression.h"

namespace weir::filter::cesql {

// Per evaluation; a call counts its longest argument as often as it has arguments.
inline constexpr std::size_t kStringWorkBytesMax = std::size_t{8} << 20U;

Evaluation evaluate(const Expression& expression, const event::Event& event);

// Whether the event passes: the value is TRUE and there is no error. Allocates only where the
// expression calls a function. Adds the bytes of strings that LIKE and functions looked at.
bool passes(const Expression& expression, const event::Event& event,
            std::uint64_t* work_bytes = nullptr);

}  // namespace weir::filter::cesql
