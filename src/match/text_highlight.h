// SPDX-License-Identifier: Apache-2.0
// Highlights: the places of a text that a query is about, with its words marked.
//
// A word is marked if its term is one of the query's, or if it is part of a phrase of the query. A
// snippet is a run of words of one string with what stands between them, at most as long as asked
// for, marks and escapes apart, and has at least one marked word. The first one chosen has the most
// different terms, then the most marked words, then stands first; the next ones are chosen in the
// same way among what is left, and then all are given in the order of the text. A marked word is in
// the middle as far as the string and other snippets leave room for it. What is escaped can stand
// in HTML, as text or in quotes.
//
// Costs: reads the text once, then looks at each marked word once for each snippet. At most
// kHighlightTextBytesMax of the text are looked at: words behind that are not found. The snippets
// have kHighlightBytesMax bytes at most and their marks kHighlightMarkBytesMax: further words stand
// without marks, further snippets are left out.
//
//   highlight(strings, query, analyzer, {});  // "a <em>storm</em> &amp; its <em>floods</em>"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "match/text_analyzer.h"
#include "match/text_query.h"

namespace weir::match {

inline constexpr std::size_t kHighlightTextBytesMax = std::size_t{256} << 10U;
inline constexpr std::size_t kHighlightBytesMax = std::size_t{64} << 10U;
inline constexpr std::size_t kHighlightMarkBytesMax = std::size_t{16} << 10U;

struct HighlightOptions {
  std::size_t character_count_max = 200;  // of a snippet: code points of the text
  std::size_t snippet_count_max = 3;
  std::string before = "<em>";
  std::string after = "</em>";
  bool escapes = true;  // & < > " ' of the text become references
};

// The analyzer is the one that the query was compiled with. Words longer than a snippet are not
// shown.
std::vector<std::string> highlight(std::span<const std::string> strings, const TextQuery& query,
                                   TextAnalyzer& analyzer, const HighlightOptions& options);

}  // namespace weir::match
