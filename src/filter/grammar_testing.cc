// SPDX-License-Identifier: Apache-2.0
#include "filter/grammar_testing.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <optional>

#include "base/check.h"
#include "filter/keywords.h"

namespace weir::filter {
namespace {

using Ends = std::set<std::size_t>;

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// The characters that a special sequence stands for.
std::optional<std::function<bool(char)>> character_class(std::string_view meaning) {
  if (meaning == "0 to 9") return [](char c) { return c >= '0' && c <= '9'; };
  if (meaning == "a to z") return [](char c) { return c >= 'a' && c <= 'z'; };
  if (meaning == "any character but '") return [](char c) { return c != '\''; };
  if (meaning == "a letter, _ or any character beyond ASCII") {
    return [](char c) { return (is_word_char(c) && (c < '0' || c > '9')) || is_beyond_ascii(c); };
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "grammar: %s\n", why.c_str());
  const bool the_grammar_is_well_formed = false;
  WEIR_CHECK(the_grammar_is_well_formed);
  std::abort();
}

}  // namespace

struct Grammar::Node {
  enum class Kind : std::uint8_t { kTerminal, kClass, kRule, kSequence, kChoice, kOption, kRepeat };

  Kind kind;
  std::string text;  // terminal, or name of a rule
  std::function<bool(char)> accepts;
  std::vector<std::unique_ptr<Node>> parts;

  void for_each(const std::function<void(const Node&)>& visit) const {
    visit(*this);
    for (const auto& part : parts) part->for_each(visit);
  }
};

// Recursive descent over the EBNF.
class Grammar::Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Rules read() {
    Rules rules;
    for (blanks(); offset_ < text_.size(); blanks()) {
      const std::string name = word();
      if (name.empty() || !accept('=')) refuse("expected 'rule =' at " + rest());
      if (!rules.emplace(name, choice()).second) refuse("two rules " + name);
      if (!accept(';')) refuse("expected ';' at " + rest());
    }
    return rules;
  }

 private:
  using Kind = Node::Kind;

  std::unique_ptr<Node> choice() {
    auto node = make(Kind::kChoice);
    do {
      node->parts.push_back(sequence());
    } while (accept('|'));
    return node;
  }

  std::unique_ptr<Node> sequence() {
    auto node = make(Kind::kSequence);
    for (blanks(); offset_ < text_.size() && !at_any("|;)]}"); blanks()) {
      node->parts.push_back(element());
    }
    return node;
  }

  std::unique_ptr<Node> element() {
    if (accept('(')) return closed(choice(), ')');
    if (accept('[')) return group(Kind::kOption, ']');
    if (accept('{')) return group(Kind::kRepeat, '}');
    if (at_any("\"'")) {
      auto node = make(Kind::kTerminal);
      node->text = until(text_[offset_]);
      return node;
    }
    if (at_any("?")) return special();
    auto node = make(Kind::kRule);
    node->text = word();
    if (node->text.empty()) refuse("expected an element at " + rest());
    return node;
  }

  std::unique_ptr<Node> special() {
    std::string meaning = until('?');
    meaning = meaning.substr(1, meaning.size() - 2);
    auto accepted = character_class(meaning);
    if (!accepted) refuse("no meaning is known of ? " + meaning + " ?");
    auto node = make(Kind::kClass);
    node->accepts = std::move(*accepted);
    return node;
  }

  std::unique_ptr<Node> group(Kind kind, char close) {
    auto node = make(kind);
    node->parts.push_back(closed(choice(), close));
    return node;
  }

  std::unique_ptr<Node> closed(std::unique_ptr<Node> node, char close) {
    if (!accept(close)) refuse(std::string("expected '") + close + "' at " + rest());
    return node;
  }

  // What stands between the mark at the cursor and the next one.
  std::string until(char mark) {
    const std::size_t begin = offset_ + 1;
    const std::size_t end = text_.find(mark, begin);
    if (end == std::string_view::npos) refuse("no second mark at " + rest());
    offset_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  std::string word() {
    blanks();
    const std::size_t begin = offset_;
    while (offset_ < text_.size() && is_word_char(text_[offset_])) ++offset_;
    return std::string(text_.substr(begin, offset_ - begin));
  }

  void blanks() { offset_ = std::min(text_.find_first_not_of(" \n", offset_), text_.size()); }
  bool at_any(std::string_view marks) {
    blanks();
    return offset_ < text_.size() && marks.find(text_[offset_]) != std::string_view::npos;
  }
  bool accept(char mark) {
    if (!at_any({&mark, 1})) return false;
    ++offset_;
    return true;
  }
  std::string rest() const { return std::string(text_.substr(offset_, 40)); }
  static std::unique_ptr<Node> make(Kind kind) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    return node;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
};

// All ends of all readings of a node from a place. A rule in upper case is read without blanks.
class Grammar::Matcher {
 public:
  Matcher(const Rules& rules, std::string_view text) : rules_(rules), text_(text) {}

  Ends ends(const Node& node, std::size_t begin, bool lexical) {
    const auto known = memo_.find({&node, begin});
    if (known != memo_.end()) return known->second;
    Ends found = read(node, begin, lexical);
    memo_.emplace(std::pair(&node, begin), found);
    return found;
  }

  std::size_t skip(std::size_t offset) const {
    return std::min(text_.find_first_not_of(" \t\r\n", offset), text_.size());
  }

 private:
  using Kind = Node::Kind;

  Ends read(const Node& node, std::size_t begin, bool lexical) {
    switch (node.kind) {
      case Kind::kTerminal:
        return terminal(node, begin, lexical);
      case Kind::kClass:
        if (begin < text_.size() && node.accepts(text_[begin])) return {begin + 1};
        return {};
      case Kind::kRule:
        return rule(node.text, begin, lexical);
      case Kind::kSequence:
        return sequence(node, begin, lexical);
      case Kind::kChoice:
        return choice(node, begin, lexical);
      case Kind::kOption: {
        Ends found = ends(*node.parts[0], begin, lexical);
        found.insert(begin);
        return found;
      }
      case Kind::kRepeat:
        return repeat(node, begin, lexical);
    }
    return {};
  }

  Ends terminal(const Node& node, std::size_t begin, bool lexical) const {
    if (!lexical) begin = skip(begin);
    const std::string_view here = text_.substr(begin, node.text.size());
    const std::size_t end = begin + node.text.size();
    const bool word = is_word_char(node.text.back());
    if (lexical) return here == node.text ? Ends{end} : Ends{};
    if (!(word ? is_keyword(here, node.text) : here == node.text)) return {};
    return word && continues(end) ? Ends{} : Ends{end};
  }

  Ends rule(const std::string& name, std::size_t begin, bool lexical) {
    const bool token = !lexical && std::isupper(static_cast<unsigned char>(name[0])) != 0;
    if (token) begin = skip(begin);
    Ends found = ends(*rules_.find(name)->second, begin, lexical || token);
    std::erase_if(found, [&](std::size_t end) {
      return (token && !may_end(name, begin, end)) || !may_be(name, begin, end);
    });
    return found;
  }

  // Tokens are as long as they can be.
  bool may_end(const std::string& name, std::size_t begin, std::size_t end) const {
    if (name == "STRING") return end == text_.size() || text_[end] != '\'';
    const bool quoted = text_[begin] == '"' || text_[end - 1] == ']';
    return quoted || (!continues(end) && (name != "PATH" || !is_member(end)));
  }

  // What the document says about names in prose.
  bool may_be(const std::string& name, std::size_t begin, std::size_t end) const {
    const std::string_view read = text_.substr(begin, end - begin);
    if (name == "NAME") return read != "data" && !is_reserved(read);
    return name != "QUOTED" || read != "\"data\"";
  }

  bool continues(std::size_t end) const { return end < text_.size() && is_word_char(text_[end]); }
  bool is_member(std::size_t end) const {
    return end < text_.size() && is_beyond_ascii(text_[end]);
  }

  Ends sequence(const Node& node, std::size_t begin, bool lexical) {
    Ends here = {begin};
    for (const auto& part : node.parts) {
      Ends next;
      for (const std::size_t end : here) next.merge(ends(*part, end, lexical));
      here = std::move(next);
    }
    return here;
  }

  Ends choice(const Node& node, std::size_t begin, bool lexical) {
    Ends found;
    for (const auto& part : node.parts) found.merge(ends(*part, begin, lexical));
    return found;
  }

  Ends repeat(const Node& node, std::size_t begin, bool lexical) {
    Ends found = {begin};
    Ends fresh = found;
    while (!fresh.empty()) {
      Ends next;
      for (const std::size_t end : fresh) next.merge(ends(*node.parts[0], end, lexical));
      fresh.clear();
      for (const std::size_t end : next) {
        if (found.insert(end).second) fresh.insert(end);
      }
    }
    return found;
  }

  const Rules& rules_;
  std::string_view text_;
  std::map<std::pair<const Node*, std::size_t>, Ends> memo_;
};

Grammar::Grammar(Rules rules) : rules_(std::move(rules)) {}
Grammar::~Grammar() = default;
Grammar::Grammar(Grammar&&) noexcept = default;
Grammar& Grammar::operator=(Grammar&&) noexcept = default;

Grammar Grammar::parse(std::string_view ebnf) {
  Grammar grammar(Reader(ebnf).read());
  for (const auto& [name, node] : grammar.rules_) {
    node->for_each([&](const Node& part) {
      const bool known = part.kind != Node::Kind::kRule || grammar.rules_.contains(part.text);
      if (!known) refuse("there is no rule " + part.text);
    });
  }
  return grammar;
}

bool Grammar::accepts(std::string_view rule, std::string_view text) const {
  Matcher matcher(rules_, text);
  const auto found = rules_.find(rule);
  WEIR_CHECK(found != rules_.end());
  for (const std::size_t end : matcher.ends(*found->second, 0, false)) {
    if (matcher.skip(end) == text.size()) return true;
  }
  return false;
}

std::set<std::string> Grammar::words() const {
  std::set<std::string> words;
  for (const auto& [name, node] : rules_) {
    if (std::isupper(static_cast<unsigned char>(name[0])) != 0) continue;
    node->for_each([&](const Node& part) {
      if (part.kind == Node::Kind::kTerminal && is_word_char(part.text[0])) words.insert(part.text);
    });
  }
  return words;
}

std::set<std::string> Grammar::unused_rules() const {
  std::set<std::string> unused;
  for (const auto& [name, node] : rules_) unused.insert(name);
  for (const auto& [name, node] : rules_) {
    node->for_each([&](const Node& part) {
      if (part.kind == Node::Kind::kRule) unused.erase(part.text);
    });
  }
  return unused;
}

}  // namespace weir::filter
