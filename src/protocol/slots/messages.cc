// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/messages.h"

#include <utility>

#include "protocol/slots/options.h"

namespace weir::protocol::slots {

namespace {

using base::ByteReader;
using base::ByteWriter;

enum class Form : std::uint8_t { kKeys, kArc };

ByteWriter begin(Kind kind) { return begin_message(kind_of(kind)); }

void write_slots(const SlotSet& slots, ByteWriter& writer) {
  for (std::size_t first = 0; first < kSlotCount; first += 8) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) byte |= (slots[first + bit] ? 1U : 0U) << bit;
    writer.u8(static_cast<std::uint8_t>(byte));
  }
}

SlotSet read_slots(ByteReader& body) {
  SlotSet slots;
  for (std::size_t first = 0; first < kSlotCount; first += 8) {
    const unsigned byte = body.u8();
    for (std::size_t bit = 0; bit < 8; ++bit) slots[first + bit] = (byte >> bit & 1U) != 0;
  }
  return slots;
}

MemberState read_state(ByteReader& body) {
  const std::uint8_t state = body.u8();
  if (state >= kMemberStateNames.size()) body.fail();
  return static_cast<MemberState>(state);
}

std::string read_name(ByteReader& body) {
  const std::string_view name = body.text();
  if (name.empty() || name.size() > kNameBytesMax) body.fail();
  return std::string(name);
}

void write_destination(const Envelope& envelope, ByteWriter& writer) {
  if (const auto* keys = std::get_if<std::vector<Key>>(&envelope.destination)) {
    writer.u8(static_cast<std::uint8_t>(Form::kKeys));
    writer.varint(keys->size());
    for (const Key key : *keys) writer.u64(key.value);
    return;
  }
  const auto& part = std::get<ArcSlots>(envelope.destination);
  writer.u8(static_cast<std::uint8_t>(Form::kArc));
  writer.u64(part.arc.after.value);
  writer.u64(part.arc.last.value);
  write_slots(part.slots, writer);
}

std::vector<Key> read_keys(ByteReader& body) {
  const std::uint64_t count = body.count(sizeof(std::uint64_t));
  if (count == 0 || count > kKeysMax) body.fail();
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < count && !body.failed(); ++i) {
    const Key key{body.u64()};
    if (!keys.empty() && key <= keys.back()) body.fail();
    keys.push_back(key);
  }
  return keys;
}

ArcSlots read_arc(ByteReader& body) {
  ArcSlots part;
  part.arc.after.value = body.u64();
  part.arc.last.value = body.u64();
  part.slots = read_slots(body);
  SlotSet others = part.slots;
  for (const std::uint32_t slot : slots_of(part.arc)) others.reset(slot);
  if (part.slots.none() || others.any()) body.fail();
  return part;
}

void read_destination(ByteReader& body, Envelope& envelope) {
  switch (static_cast<Form>(body.u8())) {
    case Form::kKeys:
      envelope.destination = read_keys(body);
      return;
    case Form::kArc:
      envelope.destination = read_arc(body);
      return;
  }
  body.fail();
}

}  // namespace

std::string encode(const Heartbeat& heartbeat) {
  ByteWriter writer = begin(Kind::kHeartbeat);
  writer.text(heartbeat.name);
  writer.u64(heartbeat.incarnation);
  writer.varint(heartbeat.beat);
  writer.u8(static_cast<std::uint8_t>(heartbeat.state));
  writer.u64(heartbeat.view);
  return writer.take();
}

bool decode(ByteReader body, Heartbeat& heartbeat) {
  heartbeat.name = read_name(body);
  heartbeat.incarnation = body.u64();
  heartbeat.beat = body.varint();
  heartbeat.state = read_state(body);
  heartbeat.view = body.u64();
  return body.done();
}

std::string encode(const Envelope& envelope) {
  ByteWriter writer = begin(Kind::kEnvelope);
  writer.u64(envelope.origin.value);
  writer.u64(envelope.incarnation);
  writer.varint(envelope.number);
  writer.u8(envelope.hops);
  write_destination(envelope, writer);
  writer.text(envelope.message);
  return writer.take();
}

bool decode(ByteReader body, Envelope& envelope) {
  envelope.origin.value = body.u64();
  envelope.incarnation = body.u64();
  envelope.number = body.varint();
  envelope.hops = body.u8();
  read_destination(body, envelope);
  envelope.message = body.text();
  return body.done();
}

std::string encode(const Items& items) {
  ByteWriter writer = begin(Kind::kItems);
  writer.varint(items.number);
  writer.varint(items.items.size());
  for (const KeyItem& item : items.items) {
    writer.u64(item.key.value);
    writer.text(item.bytes);
  }
  return writer.take();
}

bool decode(ByteReader body, Items& items) {
  items.number = body.varint();
  const std::uint64_t count = body.count(sizeof(std::uint64_t) + 1);
  if (count == 0 || count > kChunkItemsMax) body.fail();
  for (std::uint64_t i = 0; i < count && !body.failed(); ++i) {
    const Key key{body.u64()};
    if (!items.items.empty() && key < items.items.back().key) body.fail();
    items.items.push_back({.key = key, .bytes = std::string(body.text())});
  }
  return body.done();
}

std::string encode(Taken taken) {
  ByteWriter writer = begin(Kind::kTaken);
  writer.varint(taken.number);
  return writer.take();
}

bool decode(ByteReader body, Taken& taken) {
  taken.number = body.varint();
  return body.done();
}

std::string encode(Left left) {
  ByteWriter writer = begin(Kind::kLeft);
  writer.varint(left.unmoved_count);
  return writer.take();
}

bool decode(ByteReader body, Left& left) {
  left.unmoved_count = body.varint();
  return body.done();
}

std::string encode(const View& view) {
  ByteWriter writer = begin(Kind::kView);
  writer.u8(static_cast<std::uint8_t>(view.state));
  writer.u8(view.is_settled ? 1 : 0);
  write_slots(view.own_slots, writer);
  writer.varint(view.members.size());
  for (const View::Entry& entry : view.members) {
    writer.u64(entry.id.value);
    writer.text(entry.name);
    writer.u8(static_cast<std::uint8_t>(entry.state));
  }
  return writer.take();
}

bool decode(ByteReader body, View& view) {
  view.state = read_state(body);
  const std::uint8_t is_settled = body.u8();
  if (is_settled > 1) body.fail();
  view.is_settled = is_settled == 1;
  view.own_slots = read_slots(body);
  const std::uint64_t count = body.count(sizeof(std::uint64_t) + 3);
  if (count > kMembersMax) body.fail();
  for (std::uint64_t i = 0; i < count && !body.failed(); ++i) {
    View::Entry entry;
    entry.id.value = body.u64();
    entry.name = read_name(body);
    entry.state = read_state(body);
    view.members.push_back(std::move(entry));
  }
  return body.done();
}

std::string encode_leave() { return begin(Kind::kLeave).take(); }
std::string encode_show() { return begin(Kind::kShow).take(); }

}  // namespace weir::protocol::slots
