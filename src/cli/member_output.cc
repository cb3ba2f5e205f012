// SPDX-License-Identifier: Apache-2.0
#include "cli/member_output.h"

#include <fmt/format.h>

#include <vector>

#include "event/json_writer.h"
#include "protocol/probe/messages.h"

namespace weir::cli {
namespace {

namespace probe = protocol::probe;
namespace slots = protocol::slots;

using event::JsonObject;

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

void add_key(JsonObject& object, protocol::Key key, const MemberInput& input) {
  object.member("key", hex(key.value));
  if (const auto word = input.word_of(key); !word.empty()) object.member("word", word);
}

std::string_view name_of(slots::MemberState state) {
  return slots::kMemberStateNames[static_cast<std::size_t>(state)];
}

void add(JsonObject& object, const probe::Stored& stored, const MemberInput& input) {
  object.member("kind", "stored");
  add_key(object, stored.key, input);
}

void add(JsonObject& object, const probe::Got& got, const MemberInput& input) {
  object.member("kind", "got");
  add_key(object, got.key, input);
  if (got.text) {
    object.member("text", *got.text);
  } else {
    object.raw("text", "null");
  }
}

void add(JsonObject& object, const probe::Failed& failed, const MemberInput& input) {
  object.member("kind", "failed");
  object.member("command", failed.is_put ? "put" : "get");
  add_key(object, failed.key, input);
}

void add(JsonObject& object, const probe::Arrived& arrived, const MemberInput& /*input*/) {
  std::vector<std::string> keys;
  for (const protocol::Key key : arrived.keys) keys.push_back(hex(key.value));
  object.member("kind", "arrived");
  object.member("cast", arrived.number);
  object.member("origin", hex(arrived.origin.value));
  object.member("keys", keys);
  object.member("hops", arrived.hops);
}

void add(JsonObject& object, const probe::Sum& sum, const MemberInput& /*input*/) {
  object.member("kind", "sum");
  object.member("sum", sum.sum);
  object.member("members", sum.member_count);
}

void add(JsonObject& object, const slots::Left& left, const MemberInput& /*input*/) {
  object.member("kind", "left");
  object.member("unmoved", left.unmoved_count);
}

void add(JsonObject& object, const slots::View& view, const MemberInput& /*input*/) {
  std::string members = "[";
  for (const slots::View::Entry& entry : view.members) {
    if (members.size() > 1) members += ',';
    JsonObject member(members);
    member.member("name", entry.name);
    member.member("id", hex(entry.id.value));
    member.member("state", name_of(entry.state));
    member.close();
  }
  object.member("kind", "view");
  object.member("state", name_of(view.state));
  object.member("settled", view.is_settled);
  object.member("slots", view.own_slots.count());
  object.raw("members", members + "]");
}

// The line, if the delivery is of that kind.
template <typename Message>
bool try_line(const protocol::Deliver& deliver, const MemberInput& input, std::string& line) {
  const auto message = protocol::read<Message>(deliver.bytes);
  if (!message) return false;
  JsonObject object(line);
  add(object, *message, input);
  object.close();
  line += '\n';
  return true;
}

template <typename... Messages>
std::string line_of(const protocol::Deliver& deliver, const MemberInput& input) {
  std::string line;
  (try_line<Messages>(deliver, input, line) || ...);
  return line;
}

}  // namespace

std::string member_line(const protocol::Deliver& deliver, const MemberInput& input) {
  return line_of<probe::Stored, probe::Got, probe::Failed, probe::Arrived, probe::Sum, slots::Left,
                 slots::View>(deliver, input);
}

std::string slots_line(const slots::View& view) {
  std::vector<std::string> ranges;
  for (std::uint32_t first = 0; first < protocol::kSlotCount; ++first) {
    if (!view.own_slots[first]) continue;
    std::uint32_t last = first;
    while (last + 1 < protocol::kSlotCount && view.own_slots[last + 1]) ++last;
    ranges.push_back(first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last));
    first = last;
  }
  std::string line;
  JsonObject object(line);
  object.member("kind", "slots");
  object.member("slots", ranges);
  object.close();
  return line + '\n';
}

}  // namespace weir::cli
