// SPDX-License-Identifier: Apache-2.0
// What a delivery says of the text predicate that it matched, as members of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "match/text_match.h"

namespace weir::engine {

// Terms whose shares are told: those that count most, in the order of the query.
inline constexpr std::size_t kAnnotatedTermCountMax = 32;

// What stands between two snippets.
inline constexpr std::string_view kSnippetSeparator = " … ";

// weirscore, weirepoch, weirterms and, if there are snippets, weirhighlight of event/annotation.h.
// Requires a predicate that holds.
std::string text_annotation(const match::TextMatchInfo& info,
                            const std::vector<std::string>& snippets = {});

}  // namespace weir::engine
