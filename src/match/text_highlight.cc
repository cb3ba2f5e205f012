// SPDX-License-Identifier: Apache-2.0
#include "match/text_highlight.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/markup.h"
#include "base/utf8.h"
#include "match/text_phrase.h"

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
      : text_(text), options_(options), mark_count_(query.terms.size() + query.phrases.size()) {
    read(query, analyzer);
    for (std::size_t i = 0; i < query.phrases.size(); ++i) {
      mark_phrase(query.phrases[i], query.terms.size() + i);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].mark) marked_.push_back(i);
    }
    snippets_.resize(marked_.size());
    measure(0, marked_.size());
  }

  // Its best run of marked words; nothing if there is none that fits and is not taken.
  std::optional<Snippet> best() const {
    const Snippet* best = nullptr;
    for (const Snippet& snippet : snippets_) {
      if (snippet.mark_count == 0) continue;
      if (best == nullptr || snippet.is_better_than(*best)) best = &snippet;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
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

  // Runs that reach into this one are measured again.
  void take(Run run) {
    for (std::size_t i = run.first; i <= run.last; ++i) words_[i].taken = true;
    const std::size_t begin = words_[run.first].begin_characters;
    const std::size_t reach = std::min(begin, options_.character_count_max);
    const auto begin_of = [this](std::size_t word) { return words_[word].begin_characters; };
    const auto first = std::ranges::lower_bound(marked_, begin - reach, {}, begin_of);
    const auto last = std::ranges::upper_bound(marked_, run.last);
    measure(static_cast<std::size_t>(first - marked_.begin()),
            static_cast<std::size_t>(last - marked_.begin()));
  }

  // Marks take at most so many bytes; then words stand without them.
  std::string marked(Run run, std::size_t& mark_bytes_left) const {
    const std::size_t mark_bytes = options_.before.size() + options_.after.size();
    std::string out;
    std::size_t written = words_[run.first].begin_bytes;
    for (std::size_t i = run.first; i <= run.last; ++i) {
      const Word& word = words_[i];
      if (!word.mark || mark_bytes > mark_bytes_left) continue;
      mark_bytes_left -= mark_bytes;
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
  void read(const TextQuery& query, TextAnalyzer& analyzer) {
    std::map<std::string_view, std::size_t> terms;
    for (std::size_t i = 0; i < query.terms.size(); ++i) terms.emplace(query.terms[i], i);
    std::size_t characters = 0;
    std::size_t counted_bytes = 0;
    analyzer.for_each_word(text_, [&](const TextToken& token, const TextWord& word) {
      Word& added = words_.emplace_back();
      if (!query.phrases.empty()) added.folded = word.folded;
      added.begin_bytes = token.begin;
      added.end_bytes = token.end;
      characters += character_count(text_.substr(counted_bytes, token.begin - counted_bytes));
      added.begin_characters = characters;
      characters += character_count(text_.substr(token.begin, token.end - token.begin));
      added.end_characters = characters;
      counted_bytes = token.end;
      if (const auto term = terms.find(word.term); term != terms.end()) added.mark = term->second;
    });
  }

  void mark_phrase(const TextPhrase& phrase, std::size_t mark) {
    std::size_t marked_end = 0;  // words before it are marked already
    PhraseFinder(phrase).for_each(
        words_.size(), [this](std::size_t i) -> const std::string& { return words_[i].folded; },
        [&](std::size_t begin) {
          for (std::size_t i = std::max(begin, marked_end); i < begin + phrase.size(); ++i) {
            if (!words_[i].mark) words_[i].mark = mark;
          }
          marked_end = begin + phrase.size();
          return true;
        });
  }

  // The longest run from each of these marked words on. The end moves forwards only, so that each
  // word is entered once and left once.
  void measure(std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> counts(mark_count_, 0);  // of each mark in the run
    Snippet run;
    std::size_t run_end = 0;  // word after the run
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t first = marked_[i];
      run_end = std::max(run_end, first);
      for (; run_end < words_.size() && can_take(run_end, {first, run_end}); ++run_end) {
        if (!words_[run_end].mark) continue;
        ++run.mark_count;
        if (++counts[*words_[run_end].mark] == 1) ++run.term_count;
      }
      run.run = {first, run.mark_count == 0 ? first : marked_[i + run.mark_count - 1]};
      snippets_[i] = run;
      if (run.mark_count == 0) continue;
      --run.mark_count;
      if (--counts[*words_[first].mark] == 0) --run.term_count;
    }
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
  std::size_t mark_count_;  // different ones
  std::vector<Word> words_;
  std::vector<std::size_t> marked_;  // indexes of marked words
  std::vector<Snippet> snippets_;    // the longest run from each of them on; no marks: none
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
  std::size_t bytes_left = kHighlightTextBytesMax;
  for (const std::string& text : strings) {
    const std::string_view looked_at = base::utf8_prefix(text, bytes_left);
    bytes_left -= looked_at.size();
    texts.emplace_back(looked_at, query, analyzer, options);
  }
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
  std::size_t mark_bytes_left = kHighlightMarkBytesMax;
  std::size_t total_bytes = 0;
  for (const Snippet& one : chosen) {
    std::string snippet = texts[one.string].marked(one.run, mark_bytes_left);
    total_bytes += snippet.size();
    if (total_bytes > kHighlightBytesMax) break;
    snippets.push_back(std::move(snippet));
  }
  return snippets;
}

}  // namespace weir::match
