// SPDX-License-Identifier: Apache-2.0
// Messages of the probe: commands of a user, messages between members, reports to a user.
//
//   sim.tell(node, encode(Put{.key = key, .text = "hello"}));
//   if (const auto got = read<Got>(deliver.bytes)) ...
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/codec.h"
#include "protocol/message_list.h"
#include "protocol/slot.h"

namespace weir::protocol::probe {

using protocol::encode;
using protocol::read;

inline constexpr std::size_t kTextBytesMax = 65'536;

constexpr MessageType message_type(std::uint8_t number, std::string_view name, Way ways) {
  return {.kind = {.protocol = ProtocolId::kProbe, .number = number}, .name = name, .ways = ways};
}

// Orders the texts for a key: by the clock of the member that put them, then by member.
struct Version {
  std::uint64_t number = 0;
  NodeId origin;

  auto operator<=>(const Version&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Version::number), field(&Version::origin)};
  }
};

struct Put {
  static constexpr MessageType kType = message_type(0, "put", Way::kCommand);
  Key key;
  std::string text;

  bool operator==(const Put&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Put::key).traced(), field(&Put::text).sized(0, kTextBytesMax)};
  }
};

struct Get {
  static constexpr MessageType kType = message_type(1, "get", Way::kCommand);
  Key key;

  bool operator==(const Get&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Get::key).traced()}; }
};

// The member sends the user's command to the homes unchanged.
struct Cast {
  static constexpr MessageType kType = message_type(2, "cast", Way::kCommand | Way::kRouted);
  std::uint64_t number = 0;
  Destinations destinations;  // keys ascend, each once
  std::string text;

  bool operator==(const Cast&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Cast::number), field(&Cast::destinations).traced(),
                      field(&Cast::text).sized(0, kTextBytesMax)};
  }
};

// Adds to this member's part of the sum over all members.
struct Add {
  static constexpr MessageType kType = message_type(3, "add", Way::kCommand);
  std::int64_t amount = 0;

  bool operator==(const Add&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Add::amount)}; }
};

// Answers Put.
struct Stored {
  static constexpr MessageType kType = message_type(4, "stored", Way::kTold);
  Key key;

  bool operator==(const Stored&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Stored::key).traced()}; }
};

// Answers Get.
struct Got {
  static constexpr MessageType kType = message_type(5, "got", Way::kTold);
  Key key;
  std::optional<std::string> text;

  bool operator==(const Got&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Got::key).traced(), field(&Got::text).sized(0, kTextBytesMax)};
  }
};

// Nobody answered a Put or a Get after all tries; a Put may have been stored.
struct Failed {
  static constexpr MessageType kType = message_type(6, "failed", Way::kTold);
  Key key;
  bool is_put = false;

  bool operator==(const Failed&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Failed::key).traced(), field(&Failed::is_put)};
  }
};

// A Cast has reached this member.
struct Arrived {
  static constexpr MessageType kType = message_type(7, "arrived", Way::kTold);
  std::uint64_t number = 0;
  NodeId origin;
  std::vector<Key> keys;  // this member is their home; empty if the cast went to an arc
  unsigned hops = 0;

  bool operator==(const Arrived&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Arrived::number), field(&Arrived::origin),
                      field(&Arrived::keys).traced(), field(&Arrived::hops).hop_count()};
  }
};

// The sum over all members has changed.
struct Sum {
  static constexpr MessageType kType = message_type(8, "sum", Way::kTold);
  std::int64_t sum = 0;
  std::uint64_t member_count = 0;
  std::uint64_t version = 0;

  bool operator==(const Sum&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Sum::sum), field(&Sum::member_count), field(&Sum::version)};
  }
};

// Carries a Put to the home of the key.
struct Store {
  static constexpr MessageType kType = message_type(9, "store", Way::kRouted);
  Key key;
  std::uint64_t number = 0;
  std::string text;

  bool operator==(const Store&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Store::key).traced(), field(&Store::number),
                      field(&Store::text).sized(0, kTextBytesMax)};
  }
};

// The home answers Store.
struct Acknowledge {
  static constexpr MessageType kType = message_type(10, "acknowledge", Way::kDirect);
  Key key;
  std::uint64_t number = 0;

  bool operator==(const Acknowledge&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Acknowledge::key).traced(), field(&Acknowledge::number)};
  }
};

// Carries a Get to the home of the key.
struct Fetch {
  static constexpr MessageType kType = message_type(11, "fetch", Way::kRouted);
  Key key;
  std::uint64_t number = 0;

  bool operator==(const Fetch&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Fetch::key).traced(), field(&Fetch::number)};
  }
};

// The home answers Fetch.
struct Answer {
  static constexpr MessageType kType = message_type(12, "answer", Way::kDirect);
  Key key;
  std::uint64_t number = 0;
  std::optional<std::string> text;

  bool operator==(const Answer&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Answer::key).traced(), field(&Answer::number),
                      field(&Answer::text).sized(0, kTextBytesMax)};
  }
};

using Messages = MessageList<Put, Get, Cast, Add, Stored, Got, Failed, Arrived, Sum, Store,
                             Acknowledge, Fetch, Answer>;

// The text kept for a key, as it is handed over to another home.
struct Item {
  Version version;
  std::string text;

  bool operator==(const Item&) const = default;

  static constexpr auto fields() {
    return std::tuple{field(&Item::version), field(&Item::text).sized(0, kTextBytesMax)};
  }
};

}  // namespace weir::protocol::probe
