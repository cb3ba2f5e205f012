// SPDX-License-Identifier: Apache-2.0
#include "protocol/message_list.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace weir::protocol {
namespace {

struct Command {
  static constexpr MessageType kType{{ProtocolId::kTree, 0}, "command", Way::kCommand};
  std::uint64_t number = 0;

  static constexpr auto fields() { return std::tuple{field(&Command::number)}; }
};
struct Both {
  static constexpr MessageType kType{{ProtocolId::kTree, 1}, "both", Way::kCommand | Way::kRouted};

  static constexpr auto fields() { return std::tuple{}; }
};
using List = MessageList<Command, Both>;

struct Handled {
  std::string names;
  std::optional<DropReason> refused;
};

template <Way kWay>
Handled handle(const std::string& bytes) {
  Handled handled;
  handled.refused = dispatch<kWay>(
      List{}, open_message(bytes),
      [&]<typename Message>(const Message& /*it*/) { handled.names += Message::kType.name; });
  return handled;
}

TEST(MessageListTest, AMessageReachesItsHandlerOnItsOwnWay) {
  const std::string command = encode(Command{.number = 5});
  EXPECT_EQ(handle<Way::kCommand>(command).names, "command");
  EXPECT_FALSE(handle<Way::kCommand>(command).refused);
  EXPECT_EQ(handle<Way::kRouted>(encode(Both{})).names, "both");
  EXPECT_EQ(handle<Way::kCommand>(encode(Both{})).names, "both");
}

TEST(MessageListTest, OtherMessagesAreRefusedWithTheReason) {
  const std::string command = encode(Command{.number = 5});
  EXPECT_EQ(handle<Way::kDirect>(command).refused, DropReason::kNonsense);
  EXPECT_EQ(handle<Way::kRouted>(command).refused, DropReason::kNonsense);
  EXPECT_EQ(handle<Way::kCommand>(command + "x").refused, DropReason::kMalformed);
  EXPECT_EQ(handle<Way::kCommand>(command.substr(0, 5)).refused, DropReason::kMalformed);
  const MessageKind unknown{.protocol = ProtocolId::kTree, .number = 2};
  EXPECT_EQ(handle<Way::kCommand>(begin_message(unknown).take()).refused, DropReason::kUnknown);
  EXPECT_EQ(handle<Way::kDirect>(command).names, "");
}

TEST(MessageListTest, NumbersAreInOrder) {
  EXPECT_TRUE(List::has_numbers_in_order());
  EXPECT_FALSE((MessageList<Both, Command>::has_numbers_in_order()));
  EXPECT_FALSE((MessageList<Both>::has_numbers_in_order()));
}

}  // namespace
}  // namespace weir::protocol
