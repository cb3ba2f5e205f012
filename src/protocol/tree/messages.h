// SPDX-License-Identifier: Apache-2.0
// Messages between a member of a tree and its parent.
//
//   up    report   the merged summary of the member and all below it
//         renew    nothing has changed since the report of that number
//         leave    the member has another parent now
//   down  again    the session is not known here, or a report was lost: begin anew
//         result   what the root has merged
//
// Every message names its tree by the root key. A session is one attachment of a child to a parent:
// its number grows with each, and the distance that the child states is the same throughout it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "protocol/effects.h"
#include "protocol/message.h"
#include "protocol/ring.h"

namespace weir::protocol::tree {

inline constexpr std::array<std::string_view, 5> kKindNames{"report", "renew", "leave", "again",
                                                            "result"};

enum class Kind : std::uint8_t { kReport, kRenew, kLeave, kAgain, kResult };

constexpr MessageKind kind_of(Kind kind) {
  return {.protocol = ProtocolId::kTree, .number = static_cast<std::uint8_t>(kind)};
}

// The same version is the same result. Numbers of one root grow, also when it restarts without
// state, as long as its clock does.
struct ResultVersion {
  NodeId root;  // kUser: none yet
  std::uint64_t number = 0;

  auto operator<=>(const ResultVersion&) const = default;
};

struct Report {
  static constexpr Kind kKind = Kind::kReport;
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t number = 0;    // within the session, from 1 on
  std::uint64_t distance = 0;  // of the child to the root key
  std::uint64_t member_count = 0;
  ResultVersion held;
  std::string summary;

  bool operator==(const Report&) const = default;
};

struct Renew {
  static constexpr Kind kKind = Kind::kRenew;
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t number = 0;
  std::uint64_t distance = 0;
  ResultVersion held;

  bool operator==(const Renew&) const = default;
};

struct Leave {
  static constexpr Kind kKind = Kind::kLeave;
  Key tree;
  std::uint64_t session = 0;

  bool operator==(const Leave&) const = default;
};

struct Again {
  static constexpr Kind kKind = Kind::kAgain;
  Key tree;
  std::uint64_t session = 0;

  bool operator==(const Again&) const = default;
};

struct Result {
  static constexpr Kind kKind = Kind::kResult;
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t sequence = 0;  // grows, so that the last one said is known
  ResultVersion version;
  std::uint64_t member_count = 0;
  std::string summary;

  bool operator==(const Result&) const = default;
};

std::string encode(const Report& message);
std::string encode(const Renew& message);
std::string encode(const Leave& message);
std::string encode(const Again& message);
std::string encode(const Result& message);

// The body of a message of that kind; false for what no encoder wrote.
bool decode(base::ByteReader body, Report& message);
bool decode(base::ByteReader body, Renew& message);
bool decode(base::ByteReader body, Leave& message);
bool decode(base::ByteReader body, Again& message);
bool decode(base::ByteReader body, Result& message);

using protocol::read;

}  // namespace weir::protocol::tree
