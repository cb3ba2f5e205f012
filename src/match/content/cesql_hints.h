// SPDX-License-Identifier: Apache-2.0
// What an event must fulfil if a CESQL expression is to pass it, in terms of the weir language.
//
//   type = 'a' AND subject LIKE 'x%' AND LENGTH(note) > 3
//   ->  string(type) in ('a');  string(subject) like 'x%';  exists note
//   type = 'a' OR type = 'b' AND lot > 5
//   ->  string(type) in ('a') or string(type) in ('b');  exists lot
//
// An expression passes only if it is true without an error. So each side of AND must hold, one of
// OR and XOR, and whatever is read on the way must be there, else it fails. Conditions come from
// an attribute that is equal to a text or a number, IN with constants, LIKE with a fixed beginning
// or end, and EXISTS. They allow for the casts between types, which make several texts one. What
// every event has is no condition.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "filter/ast.h"

namespace weir::match::content {

using CesqlCondition = std::variant<filter::In, filter::Like, filter::Exists>;
// At least one of these holds.
using CesqlHint = std::vector<CesqlCondition>;

// What a condition is about.
filter::Operand operand_of(const CesqlCondition& condition);

// What has more alternatives than that is no hint, and of more hints than that the first are taken.
inline constexpr std::size_t kCesqlAlternativeCountMax = 1024;
inline constexpr std::size_t kCesqlHintCountMax = 64;

std::vector<CesqlHint> cesql_hints(const filter::cesql::Expression& expression);

}  // namespace weir::match::content
