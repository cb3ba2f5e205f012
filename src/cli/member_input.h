// SPDX-License-Identifier: Apache-2.0
// MemberInput: the lines that the user of `weir member` writes.
//
//   put KEY TEXT      keep a text at the key's home        get KEY       fetch it
//   cast KEY...       a message to the keys' homes         add N         to the sum over members
//   segment [FROM TO] to all homes of the keys behind FROM up to TO; of all keys without them
//   members, slots    who is there, which slots are own    leave, quit   in good order, at once
//
// A key is a word; its place on the ring is its SHA-1. A text is the rest of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "protocol/ring.h"

namespace weir::cli {

// What the command itself answers; everything else is a message to the node.
enum class MemberRequest : std::uint8_t { kNothing, kMembers, kSlots, kLeave, kQuit };

class MemberInput {
 public:
  using Meaning = std::variant<MemberRequest, std::string>;

  // What a line asks for. Fails with kCliUsage, the place in the line and what was expected.
  base::Result<Meaning> read(std::string_view line);

  // The word of a key that was in a line; empty if there was none.
  std::string_view word_of(protocol::Key key) const;
  // Of the last cast or segment, from 1.
  std::uint64_t cast_number() const { return cast_number_; }

 private:
  class Words;  // of a line, each with its place

  static base::Result<Meaning> alone(Words& words, MemberRequest request);
  static base::Result<Meaning> read_add(Words& words);
  base::Result<Meaning> read_put(Words& words);
  base::Result<Meaning> read_get(Words& words);
  base::Result<Meaning> read_cast(Words& words);
  base::Result<Meaning> read_segment(Words& words);
  protocol::Key key_of(std::string_view word);

  std::map<protocol::Key, std::string> words_;
  std::uint64_t cast_number_ = 0;
};

// Words that are remembered.
inline constexpr std::size_t kMemberWordsMax = 100'000;

}  // namespace weir::cli
