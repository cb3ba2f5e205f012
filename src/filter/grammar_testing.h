// SPDX-License-Identifier: Apache-2.0
// Grammar: the EBNF of docs/filters.md, able to say whether a text is a sentence of it.
//
// By definition and without any cleverness: every way to read the text is tried. The judge of the
// parser's syntax, and of the document's grammar. Costs the text's length, squared and worse.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::filter {

class Grammar {
 public:
  // Parses `rule = ... ;` with "terminals", | [ ] { } ( ) and ? special sequences ?. Aborts, after
  // printing why, if the text is no grammar, uses a rule it does not define or knows no meaning of
  // a special sequence.
  static Grammar parse(std::string_view ebnf);
  ~Grammar();
  Grammar(Grammar&&) noexcept;
  Grammar& operator=(Grammar&&) noexcept;

  // Whether the whole text can be read as `rule`.
  bool accepts(std::string_view rule, std::string_view text) const;

  // Terminals that are words, and rules that no other rule uses.
  std::set<std::string> words() const;
  std::set<std::string> unused_rules() const;

 private:
  struct Node;
  class Reader;
  class Matcher;
  using Rules = std::map<std::string, std::unique_ptr<Node>, std::less<>>;

  explicit Grammar(Rules rules);

  Rules rules_;
};

}  // namespace weir::filter
