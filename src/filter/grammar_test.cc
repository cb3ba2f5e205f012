// SPDX-License-Identifier: Apache-2.0
// The grammar in docs/filters.md is the parser's: both accept the same texts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/case_file_testing.h"
#include "base/prng.h"
#include "filter/document_testing.h"
#include "filter/filter_testing.h"
#include "filter/grammar_testing.h"
#include "filter/keywords.h"
#include "filter/lexer.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

const Grammar& grammar() {
  static const Grammar kGrammar = [] {
    std::string ebnf;
    for (const DocumentBlock& block : Document::read("docs/filters.md").blocks("ebnf")) {
      for (const DocumentLine& line : block.lines) ebnf += line.text + "\n";
    }
    return Grammar::parse(ebnf);
  }();
  return kGrammar;
}

// Whether the parser finds the text well formed; nothing if it fails for a reason that the document
// gives in prose, and may not have read to the end.
std::optional<bool> well_formed(std::string_view text) {
  const auto parsed = parse_weir(text, {.list_count_max = 100'000});
  if (parsed) return true;
  switch (parsed.error().id) {
    case ErrorId::kFilterSyntax:
      if (parsed.error().message.starts_with("expected an index")) return std::nullopt;
      if (parsed.error().message == "expected valid UTF-8") return std::nullopt;
      return false;
    case ErrorId::kFilterDistinctPlace:
      return false;
    default:
      return std::nullopt;
  }
}

// Tokens with the blanks before them.
std::vector<std::string> pieces_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::string> pieces;
  std::size_t end = 0;
  for (Token token = lexer.take(); token.kind != TokenKind::kEnd; token = lexer.take()) {
    const std::size_t next = token.offset_bytes + token.text.size();
    pieces.emplace_back(text.substr(end, next - end));
    end = next;
  }
  return pieces;
}

// The text with one token lost, doubled, swapped or replaced.
std::string damaged(std::string_view text, base::Prng& prng) {
  static constexpr auto kStrays = std::to_array<std::string_view>({" and",
                                                                   " or",
                                                                   " not",
                                                                   "(",
                                                                   ")",
                                                                   ",",
                                                                   " =",
                                                                   " >=",
                                                                   " 5",
                                                                   " 'x'",
                                                                   " type",
                                                                   " data.x",
                                                                   " in",
                                                                   " true",
                                                                   " exists",
                                                                   " \"in\"",
                                                                   ".",
                                                                   "[0]",
                                                                   "%",
                                                                   " within",
                                                                   " 10m",
                                                                   " by",
                                                                   " timestamp",
                                                                   " change(data.x) > 1",
                                                                   " distinct(id) within 1h",
                                                                   " refresh",
                                                                   " exact",
                                                                   " false positives <= 0.1",
                                                                   " positives",
                                                                   " <=",
                                                                   " verify",
                                                                   " ü",
                                                                   "-",
                                                                   "==",
                                                                   " string(data.x)",
                                                                   " or silent for",
                                                                   " at most every 1s",
                                                                   " with previous",
                                                                   " > 2%",
                                                                   " rises by",
                                                                   " crosses 5",
                                                                   " upwards",
                                                                   " hysteresis 1",
                                                                   " any",
                                                                   " text(data.x)",
                                                                   " between 1 and 2",
                                                                   " like"});
  std::vector<std::string> pieces = pieces_of(text);
  const std::size_t at = prng.below(pieces.size());
  switch (prng.below(4)) {
    case 0:
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      pieces[at] += " " + pieces[at];
      break;
    case 2:
      if (at + 1 < pieces.size()) std::swap(pieces[at], pieces[at + 1]);
      break;
    default:
      pieces[at] = kStrays[prng.below(kStrays.size())];
  }
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

TEST(GrammarTest, EveryRuleButTheFirstIsUsed) {
  EXPECT_EQ(grammar().unused_rules(), std::set<std::string>{"filter"});
}

TEST(GrammarTest, NamesEveryWordOfTheLanguage) {
  const std::set<std::string> words = grammar().words();
  for (const std::string_view word : kReservedWords) EXPECT_TRUE(words.contains(std::string(word)));
  for (const std::string_view word : kFunctionWords) EXPECT_TRUE(words.contains(std::string(word)));
}

TEST(GrammarTest, AgreesWithTheParserOnEveryCase) {
  std::size_t accepted_count = 0;
  std::size_t refused_count = 0;
  for (const std::string_view path :
       {"src/filter/weir_cases.txt", "src/filter/weir_stateful_cases.txt",
        "src/filter/weir_error_cases.txt", "src/filter/weir_stateful_error_cases.txt"}) {
    for (const base::Case& one : base::read_cases(path)) {
      const std::string* const text = one.find("expr");
      const std::optional<bool> truth = well_formed(*text);
      if (!truth) continue;
      EXPECT_EQ(grammar().accepts("filter", *text), *truth) << one.where() << "\n" << *text;
      ++(*truth ? accepted_count : refused_count);
    }
  }
  EXPECT_GE(accepted_count, 200U);
  EXPECT_GE(refused_count, 200U);
}

TEST(GrammarTest, AgreesWithTheParserOnRandomFiltersAndDamagedOnes) {
  constexpr std::uint64_t kSeed = 0x5EED'0002;
  std::size_t accepted_count = 0;
  std::size_t refused_count = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + 1'500; ++seed) {
    FilterGenerator generator(seed, {.depth_max = 2, .change = true, .distinct = true});
    const Parsed parsed = generator.parsed();
    const std::string text = to_text(*parsed.expr, parsed.distinct);
    if (text.size() > 200) continue;
    ASSERT_TRUE(grammar().accepts("filter", text)) << fmt::format("seed {}: {}", seed, text);
    const std::string other = damaged(text, generator.prng());
    const std::optional<bool> truth = well_formed(other);
    if (!truth) continue;
    ASSERT_EQ(grammar().accepts("filter", other), *truth)
        << fmt::format("seed {}: {}", seed, other);
    ++(*truth ? accepted_count : refused_count);
  }
  EXPECT_GE(accepted_count, 50U);
  EXPECT_GE(refused_count, 300U);
}

}  // namespace
}  // namespace weir::filter
