// SPDX-License-Identifier: Apache-2.0
// Canonical text: one way to write each tree, in the weir language. It parses to the same tree.
#pragma once

#include <string>

#include "filter/ast.h"

namespace weir::filter {

std::string to_text(const Expr& expr);
std::string to_text(const Predicate& predicate);
// What stands behind change(...), from the blank on; nothing for any change.
std::string to_text(const Movement& movement);
std::string to_text(const Operand& operand);
std::string to_text(const TextField& field);
std::string to_text(const TextSource& source);
std::string to_text(const event::Path& path);
std::string to_text(const Literal& literal);
std::string to_text(const Distinct& distinct);
std::string_view to_text(CompareOp op);

// The whole filter: the expression, and distinct after a final and.
std::string to_text(const Expr& expr, const std::optional<Distinct>& distinct);

}  // namespace weir::filter
