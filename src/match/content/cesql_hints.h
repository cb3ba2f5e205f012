// SPDX-License-Identifier: Apache-2.0
// What an event must fulfil if a CESQL expression is to pass it, in terms of the weir language.
//
//   type = 'a' AND subject LIKE 'x%' AND LENGTH(id) > 3
//   ->  string(type) = 'a',  string(subject) like 'x%'
//
// Taken are the operands of AND alone, of these forms: attribute = 'text', attribute IN ('a', 'b'),
// attribute LIKE 'pattern', EXISTS attribute. An expression passes only if it is true without an
// error, and AND is only if both sides are; so each is necessary, whatever the others do. Of the
// casts between types those are avoided that make two texts one.
#pragma once

#include <vector>

#include "filter/ast.h"

namespace weir::match::content {

std::vector<filter::Predicate> cesql_hints(const filter::cesql::Expression& expression);

}  // namespace weir::match::content
