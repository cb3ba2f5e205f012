// SPDX-License-Identifier: Apache-2.0
#include "match/text_highlight.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/markup.h"

namespace weir::match {
namespace {

struct Word {
  std::string folded;
  std::size_t begin_bytes = 0;
  std::size_t end_bytes = 0;
  std::size_t begin_characters = 0;
  std::size_t end_characters = 0;
  std::optional<std::size_t> mark = {};  // which of the query's terms, or phrases behind them
  bool taken = false;                    // it is in a snippet
};

// Words from first to last, both included.
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Snippet {
  std::size_t string = 0;
  Run run;
  std::size_t term_count = 0;  // different ones
  std::size_t mark_count = 0;

  bool is_better_than(const Snippet& other) const {
    return std::pair(term_count, mark_count) > std::pair(other.term_count, other.mark_count);
  }
};

std::size_t character_count(std::string_view utf8) {
  constexpr unsigned kHighBits = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & kHighBits) != kContinuation; }));
}

// One string and its words.
class Text {
 public:
  Text(std::string_view text, const TextQuery& query, TextAnalyzer& analyzer,
       const HighlightOptions& options)
      : text_(text), options_(options) {
    std::map<std::string_view, std::size_t> terms;
    for (std::size_t i = 0; i < query.terms.size(); ++i) terms.emplace(query.terms[i], i);
    std::size_t characters = 0;
    std::size_t counted_bytes = 0;
    analyzer.for_each_word(text, [&](const TextToken& token, const TextWord& word) {
      Word& added = words_.emplace_back();
      added.folded = word.folded;
      added.begin_bytes = token.begin;
      added.end_bytes = token.end;
      characters += character_count(text.substr(counted_bytes, token.begin - counted_bytes));
      added.begin_characters = characters;
      characters += character_count(text.substr(token.begin, token.end - token.begin));
      added.end_characters = characters;
      counted_bytes = token.end;
      if (const auto term = terms.find(word.term); term != terms.end()) added.mark = term->second;
    });
    for (std::size_t i = 0; i < query.phrases.size(); ++i) {
      mark_phrase(query.phrases[i], query.terms.size() + i);
    }
  }

  // Its best run of marked words; nothing if there is none that fits and is not taken.
  std::optional<Snippet> best() const {
    std::optional<Snippet> best;
    for (std::size_t first = 0; first < words_.size(); ++first) {
      if (!words_[first].mark || words_[first].taken) continue;
      const Snippet found = longest_from(first);
      if (found.mark_count > 0 && (!best || found.is_better_than(*best))) best = found;
    }
    return best;
  }

  // With as much of the text around it as there is room for.
  Run widened(Run run) const {
    for (bool grows = true; grows;) {
      const bool grows_left = run.first > 0 && can_take(run.first - 1, {run.first - 1, run.last});
      if (grows_left) --run.first;
      const bool grows_right =
          run.last + 1 < words_.size() && can_take(run.last + 1, {run.first, run.last + 1});
      if (grows_right) ++run.last;
      grows = grows_left || grows_right;
    }
    return run;
  }

  void take(Run run) {
    for (std::size_t i = run.first; i <= run.last; ++i) words_[i].taken = true;
  }

  std::string marked(Run run) const {
    std::string out;
    std::size_t written = words_[run.first].begin_bytes;
    for (std::size_t i = run.first; i <= run.last; ++i) {
      const Word& word = words_[i];
      if (!word.mark) continue;
      append(written, word.begin_bytes, out);
      out += options_.before;
      append(word.begin_bytes, word.end_bytes, out);
      out += options_.after;
      written = word.end_bytes;
    }
    append(written, words_[run.last].end_bytes, out);
    return out;
  }

 private:
  void mark_phrase(const TextPhrase& phrase, std::size_t mark) {
    const auto is_word = [](const Word& word, const std::string& folded) {
      return word.folded == folded;
    };
    for (auto begin = words_.begin();; ++begin) {
      begin = std::search(begin, words_.end(), phrase.begin(), phrase.end(), is_word);
      if (begin == words_.end()) return;
      for (std::size_t i = 0; i < phrase.size(); ++i) {
        Word& word = begin[static_cast<std::ptrdiff_t>(i)];
        if (!word.mark) word.mark = mark;
      }
    }
  }

  Snippet longest_from(std::size_t first) const {
    Snippet snippet{.run = {first, first}};
    std::set<std::size_t> marks;
    for (std::size_t i = first; i < words_.size() && can_take(i, {first, i}); ++i) {
      if (!words_[i].mark) continue;
      marks.insert(*words_[i].mark);
      snippet.run.last = i;
      ++snippet.mark_count;
    }
    snippet.term_count = marks.size();
    return snippet;
  }

  bool can_take(std::size_t word, Run run) const {
    return !words_[word].taken &&
           words_[run.last].end_characters - words_[run.first].begin_characters <=
               options_.character_count_max;
  }

  void append(std::size_t begin_bytes, std::size_t end_bytes, std::string& out) const {
    const std::string_view part = text_.substr(begin_bytes, end_bytes - begin_bytes);
    if (options_.escapes) {
      base::append_escaped(part, out);
    } else {
      out += part;
    }
  }

  std::string_view text_;
  const HighlightOptions& options_;
  std::vector<Word> words_;
};

// The best of all strings, the first of equally good ones.
std::optional<Snippet> best_of(const std::vector<Text>& texts) {
  std::optional<Snippet> best;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto found = texts[i].best();
    if (!found || (best && !found->is_better_than(*best))) continue;
    found->string = i;
    best = found;
  }
  return best;
}

}  // namespace

std::vector<std::string> highlight(std::span<const std::string> strings, const TextQuery& query,
                                   TextAnalyzer& analyzer, const HighlightOptions& options) {
  std::vector<Text> texts;
  for (const std::string& text : strings) texts.emplace_back(text, query, analyzer, options);
  std::vector<Snippet> chosen;
  while (chosen.size() < options.snippet_count_max) {
    auto best = best_of(texts);
    if (!best) break;
    best->run = texts[best->string].widened(best->run);
    texts[best->string].take(best->run);
    chosen.push_back(*best);
  }
  std::ranges::sort(chosen, {},
                    [](const Snippet& one) { return std::pair(one.string, one.run.first); });
  std::vector<std::string> snippets;
  for (const Snippet& one : chosen) snippets.push_back(texts[one.string].marked(one.run));
  return snippets;
}

}  // namespace weir::match
