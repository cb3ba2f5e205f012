// SPDX-License-Identifier: Apache-2.0
#include "cli/member_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/near_name.h"
#include "protocol/probe/messages.h"

namespace weir::cli {
namespace {

namespace probe = protocol::probe;

constexpr std::string_view kBlanks = " \t";
constexpr std::array<std::string_view, 9> kCommands{"put",     "get",   "cast",  "segment", "add",
                                                    "members", "slots", "leave", "quit"};

}  // namespace

// The words of a line, each with its place.
class MemberInput::Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  // Empty at the end.
  std::string_view next() {
    at_ = std::min(line_.find_first_not_of(kBlanks, end_), line_.size());
    end_ = std::min(line_.find_first_of(kBlanks, at_), line_.size());
    return line_.substr(at_, end_ - at_);
  }
  std::string_view rest() {
    at_ = std::min(line_.find_first_not_of(kBlanks, end_), line_.size());
    end_ = line_.size();
    return line_.substr(at_);
  }
  // Of the word at hand.
  base::Error expected(std::string_view what) const {
    const std::string_view found = line_.substr(at_, end_ - at_);
    return {base::ErrorId::kCliUsage,
            fmt::format("expected {}, found {}", what,
                        found.empty() ? "the end of the line" : fmt::format("'{}'", found)),
            base::position_at(line_, at_)};
  }
  // Nothing must follow.
  base::Result<void> end() {
    if (next().empty()) return {};
    return expected("the end of the line");
  }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

using Meaning = MemberInput::Meaning;

base::Result<Meaning> MemberInput::alone(Words& words, MemberRequest request) {
  if (auto ended = words.end(); !ended) return ended.error();
  return request;
}

base::Result<Meaning> MemberInput::read_add(Words& words) {
  const std::string_view word = words.next();
  probe::Add add;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), add.amount);
  if (failed != std::errc() || rest != word.data() + word.size()) {
    return words.expected("a whole number");
  }
  if (auto ended = words.end(); !ended) return ended.error();
  return encode(add);
}

protocol::Key MemberInput::key_of(std::string_view word) {
  const protocol::Key key = protocol::Ring().key_of(word);
  if (words_.size() < kMemberWordsMax) words_.try_emplace(key, word);
  return key;
}

std::string_view MemberInput::word_of(protocol::Key key) const {
  const auto found = words_.find(key);
  return found != words_.end() ? std::string_view(found->second) : std::string_view();
}

base::Result<Meaning> MemberInput::read(std::string_view line) {
  Words words(line);
  const std::string_view command = words.next();
  if (command.empty()) return MemberRequest::kNothing;
  if (command == "members") return alone(words, MemberRequest::kMembers);
  if (command == "slots") return alone(words, MemberRequest::kSlots);
  if (command == "leave") return alone(words, MemberRequest::kLeave);
  if (command == "quit") return alone(words, MemberRequest::kQuit);
  if (command == "add") return read_add(words);
  if (command == "put") return read_put(words);
  if (command == "get") return read_get(words);
  if (command == "cast") return read_cast(words);
  if (command == "segment") return read_segment(words);
  base::Error error = words.expected(fmt::format("one of {}", fmt::join(kCommands, ", ")));
  error.message += base::did_you_mean(command, kCommands);
  return error;
}

base::Result<Meaning> MemberInput::read_put(Words& words) {
  const std::string_view word = words.next();
  if (word.empty()) return words.expected("a key");
  const std::string_view text = words.rest();
  if (text.size() <= probe::kTextBytesMax) {
    return encode(probe::Put{.key = key_of(word), .text = std::string(text)});
  }
  return base::Error{base::ErrorId::kCliUsage,
                     fmt::format("expected a text of at most {} bytes, found {}",
                                 probe::kTextBytesMax, text.size()),
                     {}};
}

base::Result<Meaning> MemberInput::read_get(Words& words) {
  const std::string_view word = words.next();
  if (word.empty()) return words.expected("a key");
  if (auto ended = words.end(); !ended) return ended.error();
  return encode(probe::Get{.key = key_of(word)});
}

base::Result<Meaning> MemberInput::read_cast(Words& words) {
  std::vector<protocol::Key> keys;
  for (auto word = words.next(); !word.empty(); word = words.next()) keys.push_back(key_of(word));
  if (keys.empty()) return words.expected("a key");
  if (keys.size() > protocol::kDestinationKeysMax) {
    return words.expected(fmt::format("at most {} keys", protocol::kDestinationKeysMax));
  }
  return encode(probe::Cast{
      .number = ++cast_number_, .destinations = protocol::in_order(std::move(keys)), .text = {}});
}

base::Result<Meaning> MemberInput::read_segment(Words& words) {
  protocol::KeyArc arc;
  if (const std::string_view from = words.next(); !from.empty()) {
    const std::string_view to = words.next();
    if (to.empty()) return words.expected("a second key");
    arc = {.after = key_of(from), .last = key_of(to)};
    if (auto ended = words.end(); !ended) return ended.error();
  }
  return encode(probe::Cast{.number = ++cast_number_, .destinations = arc, .text = {}});
}

}  // namespace weir::cli
