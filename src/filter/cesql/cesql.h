// SPDX-License-Identifier: Apache-2.0
// CESQL 1.0.0, the CloudEvents SQL expression language (filter dialect `sql`): all of the module.
//
//   auto expression = cesql::parse("type LIKE 'com.%' AND sequence % 2 = 0");
//   if (!expression) return expression.error();
//   if (auto checked = cesql::check_filter(**expression); !checked) return checked.error();
//   if (cesql::passes(**expression, *event)) deliver();
//
// Where the specification's text, its grammar and its test kit leave room or disagree:
// - AND, OR and XOR are read from left to right, as the text says; the grammar reads them from the
//   right. An unparenthesised mixture earns a warning, and the canonical text has parentheses.
// - Attribute names are [a-zA-Z0-9]+ and lower-cased, as in the grammar; the text has lower case
//   only. EXISTS also takes a name of digits alone, which elsewhere is an integer.
// - A sign belongs to the digits after it only where a value is expected: 4-1 is 3. The grammar
//   would refuse it.
// - Strings know no doubled quote: the text has only the backslash, and so do the grammar's
//   engines, which accept the doubled one without turning it into one.
// - The value of an attribute that is missing, standing alone, is FALSE.
// - INT_MIN / -1, -(INT_MIN) and overflow are math errors with value 0; the text is silent.
#pragma once

#include "filter/cesql/canonical_text.h"
#include "filter/cesql/evaluation.h"
#include "filter/cesql/evaluator.h"
#include "filter/cesql/expression.h"
#include "filter/cesql/filter_check.h"
#include "filter/cesql/parser.h"
