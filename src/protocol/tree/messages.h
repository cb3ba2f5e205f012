// SPDX-License-Identifier: Apache-2.0
// Messages between a member of a tree and its parent. Report, Renew and Leave go up, Again and
// Result go down.
//
// Every message names its tree by the root key. A session is one attachment of a child to a parent:
// its number grows with each attachment, and the child's distance does not change within it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "protocol/codec.h"
#include "protocol/message_list.h"

namespace weir::protocol::tree {

using protocol::encode;
using protocol::read;

constexpr MessageType message_type(std::uint8_t number, std::string_view name) {
  return {.kind = {.protocol = ProtocolId::kTree, .number = number},
          .name = name,
          .ways = Way::kDirect};
}

// Equal versions mean equal results. Numbers of one root grow, also across a restart without
// state, as long as its clock does.
struct ResultVersion {
  NodeId root;  // kUser: no result yet
  std::uint64_t number = 0;

  auto operator<=>(const ResultVersion&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&ResultVersion::root).or_nobody(), field(&ResultVersion::number)};
  }
};

// The merged summary of a member and all members below it.
struct Report {
  static constexpr MessageType kType = message_type(0, "report");
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t number = 0;    // within the session, from 1 on
  std::uint64_t distance = 0;  // from the child to the root key
  std::uint64_t member_count = 0;
  ResultVersion held;
  std::string summary;

  bool operator==(const Report&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Report::tree),         field(&Report::session),
                      field(&Report::number),       field(&Report::distance),
                      field(&Report::member_count), field(&Report::held),
                      field(&Report::summary)};
  }
};

// Nothing has changed since the report with this number.
struct Renew {
  static constexpr MessageType kType = message_type(1, "renew");
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t number = 0;
  std::uint64_t distance = 0;
  ResultVersion held;

  bool operator==(const Renew&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Renew::tree), field(&Renew::session), field(&Renew::number),
                      field(&Renew::distance), field(&Renew::held)};
  }
};

// The member has another parent now.
struct Leave {
  static constexpr MessageType kType = message_type(2, "leave");
  Key tree;
  std::uint64_t session = 0;

  bool operator==(const Leave&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Leave::tree), field(&Leave::session)}; }
};

// The parent does not know the session or missed a report: the child must begin a new session.
struct Again {
  static constexpr MessageType kType = message_type(3, "again");
  Key tree;
  std::uint64_t session = 0;

  bool operator==(const Again&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Again::tree), field(&Again::session)}; }
};

// The summary of all members, merged by the root.
struct Result {
  static constexpr MessageType kType = message_type(4, "result");
  Key tree;
  std::uint64_t session = 0;
  std::uint64_t sequence = 0;  // grows, so that the receiver knows the newest one
  ResultVersion version;
  std::uint64_t member_count = 0;
  std::string summary;

  bool operator==(const Result&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Result::tree),         field(&Result::session),
                      field(&Result::sequence),     field(&Result::version),
                      field(&Result::member_count), field(&Result::summary)};
  }
};

using Messages = MessageList<Report, Renew, Leave, Again, Result>;

}  // namespace weir::protocol::tree
