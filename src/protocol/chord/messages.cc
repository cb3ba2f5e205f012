// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/messages.h"

#include <limits>
#include <variant>

namespace weir::protocol::chord {

namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::size_t kPeerBytesMin = 9;
constexpr std::size_t kItemBytesMin = 9;

void write_key(ByteWriter& writer, Key key) { writer.u64(key.value); }
Key read_key(ByteReader& reader) { return {reader.u64()}; }

void write_bool(ByteWriter& writer, bool value) { writer.u8(value ? 1 : 0); }
bool read_bool(ByteReader& reader) {
  const std::uint8_t value = reader.u8();
  if (value > 1) reader.fail();
  return value == 1;
}

// A member's address: never the user's.
NodeId read_node(ByteReader& reader) {
  const NodeId node{reader.varint()};
  if (node == kUser) reader.fail();
  return node;
}

unsigned read_hops(ByteReader& reader) {
  const std::uint64_t hops = reader.varint();
  if (hops > std::numeric_limits<std::uint16_t>::max()) reader.fail();
  return static_cast<unsigned>(hops);
}

void write_peer(ByteWriter& writer, const Peer& peer) {
  writer.varint(peer.node.value);
  write_key(writer, peer.id);
}
Peer read_peer(ByteReader& reader) {
  const NodeId node = read_node(reader);
  return {.node = node, .id = read_key(reader)};
}

void write_peer(ByteWriter& writer, const std::optional<Peer>& peer) {
  write_bool(writer, peer.has_value());
  if (peer) write_peer(writer, *peer);
}
std::optional<Peer> read_optional_peer(ByteReader& reader) {
  if (!read_bool(reader)) return std::nullopt;
  return read_peer(reader);
}

void write_peers(ByteWriter& writer, const std::vector<Peer>& peers) {
  writer.varint(peers.size());
  for (const Peer& peer : peers) write_peer(writer, peer);
}
std::vector<Peer> read_peers(ByteReader& reader) {
  std::vector<Peer> peers;
  const std::uint64_t count = reader.count(kPeerBytesMin);
  if (count > kSuccessorsMax) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) peers.push_back(read_peer(reader));
  return peers;
}

void write_arc(ByteWriter& writer, const KeyArc& arc) {
  write_key(writer, arc.after);
  write_key(writer, arc.last);
}
KeyArc read_arc(ByteReader& reader) {
  const Key after = read_key(reader);
  return {.after = after, .last = read_key(reader)};
}

void write_destinations(ByteWriter& writer, const Destinations& destinations) {
  const auto* keys = std::get_if<std::vector<Key>>(&destinations);
  write_bool(writer, keys != nullptr);
  if (keys == nullptr) return write_arc(writer, std::get<KeyArc>(destinations));
  writer.varint(keys->size());
  for (const Key key : *keys) write_key(writer, key);
}
Destinations read_destinations(ByteReader& reader) {
  if (!read_bool(reader)) return read_arc(reader);
  std::vector<Key> keys;
  const std::uint64_t count = reader.count(sizeof(std::uint64_t));
  if (count == 0 || count > kDestinationKeysMax) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const Key key = read_key(reader);
    if (!keys.empty() && key <= keys.back()) reader.fail();
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

void Lookup::write(ByteWriter& writer) const { write_key(writer, key); }
void Lookup::read(ByteReader& reader) { key = read_key(reader); }

void Found::write(ByteWriter& writer) const {
  write_key(writer, key);
  write_peer(writer, home);
  writer.varint(hops);
}
void Found::read(ByteReader& reader) {
  key = read_key(reader);
  home = read_peer(reader);
  hops = read_hops(reader);
}

void Find::write(ByteWriter& writer) const {
  writer.u64(number);
  writer.varint(asker.value);
  write_key(writer, key);
  writer.varint(hops);
  write_bool(writer, is_last);
  write_bool(writer, is_hint);
}
void Find::read(ByteReader& reader) {
  number = reader.u64();
  asker = read_node(reader);
  key = read_key(reader);
  hops = read_hops(reader);
  is_last = read_bool(reader);
  is_hint = read_bool(reader);
}

void Home::write(ByteWriter& writer) const {
  writer.u64(number);
  write_key(writer, key);
  write_key(writer, id);
  write_key(writer, predecessor);
  writer.varint(hops);
}
void Home::read(ByteReader& reader) {
  number = reader.u64();
  key = read_key(reader);
  id = read_key(reader);
  predecessor = read_key(reader);
  hops = read_hops(reader);
}

void Ask::write(ByteWriter& writer) const {
  writer.u64(number);
  write_key(writer, id);
  write_bool(writer, is_predecessor);
  write_bool(writer, predecessor.has_value());
  if (predecessor) write_key(writer, *predecessor);
}
void Ask::read(ByteReader& reader) {
  number = reader.u64();
  id = read_key(reader);
  is_predecessor = read_bool(reader);
  if (read_bool(reader)) predecessor = read_key(reader);
}

void Tell::write(ByteWriter& writer) const {
  writer.u64(number);
  write_key(writer, id);
  write_bool(writer, is_moving);
  write_peer(writer, predecessor);
  write_peers(writer, successors);
}
void Tell::read(ByteReader& reader) {
  number = reader.u64();
  id = read_key(reader);
  is_moving = read_bool(reader);
  predecessor = read_optional_peer(reader);
  successors = read_peers(reader);
}

void Introduce::write(ByteWriter& writer) const {
  write_peer(writer, peer);
  writer.varint(hops);
}
void Introduce::read(ByteReader& reader) {
  peer = read_peer(reader);
  hops = read_hops(reader);
}

void Goodbye::write(ByteWriter& writer) const {
  write_key(writer, id);
  write_peer(writer, predecessor);
  write_peers(writer, successors);
}
void Goodbye::read(ByteReader& reader) {
  id = read_key(reader);
  predecessor = read_optional_peer(reader);
  successors = read_peers(reader);
}

void Items::write(ByteWriter& writer) const {
  writer.u64(number);
  writer.varint(items.size());
  for (const KeyItem& item : items) {
    write_key(writer, item.key);
    writer.text(item.bytes);
  }
}
void Items::read(ByteReader& reader) {
  number = reader.u64();
  const std::uint64_t count = reader.count(kItemBytesMin);
  if (count == 0 || count > kItemsMax) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const Key key = read_key(reader);
    items.push_back({.key = key, .bytes = std::string(reader.text())});
  }
}

void Kept::write(ByteWriter& writer) const { writer.u64(number); }
void Kept::read(ByteReader& reader) { number = reader.u64(); }

void RouteEnvelope::write(ByteWriter& writer) const {
  writer.varint(origin.value);
  write_key(writer, key);
  writer.varint(hops);
  write_bool(writer, is_last);
  writer.text(carried);
}
void RouteEnvelope::read(ByteReader& reader) {
  origin = read_node(reader);
  key = read_key(reader);
  hops = read_hops(reader);
  is_last = read_bool(reader);
  carried = reader.text();
}

void MulticastEnvelope::write(ByteWriter& writer) const {
  writer.varint(origin.value);
  writer.varint(hops);
  write_arc(writer, range);
  write_destinations(writer, destinations);
  writer.text(carried);
}
void MulticastEnvelope::read(ByteReader& reader) {
  origin = read_node(reader);
  hops = read_hops(reader);
  range = read_arc(reader);
  destinations = read_destinations(reader);
  carried = reader.text();
}

}  // namespace weir::protocol::chord
