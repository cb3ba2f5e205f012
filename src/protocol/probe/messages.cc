// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/messages.h"

#include <bit>
#include <variant>

namespace weir::protocol::probe {

namespace {

enum class Form : std::uint8_t { kKeys, kArc };

base::ByteWriter begin(Kind kind) { return begin_message(kind_of(kind)); }

bool read_flag(base::ByteReader& body) {
  const std::uint8_t value = body.u8();
  if (value > 1) body.fail();
  return value == 1;
}

std::string read_text(base::ByteReader& body) {
  const std::string_view text = body.text();
  if (text.size() <= kTextBytesMax) return std::string(text);
  body.fail();
  return {};
}

void write_optional(base::ByteWriter& writer, const std::optional<std::string>& text) {
  writer.u8(text ? 1 : 0);
  if (text) writer.text(*text);
}

std::optional<std::string> read_optional(base::ByteReader& body) {
  if (!read_flag(body)) return {};
  return read_text(body);
}

void write_keys(base::ByteWriter& writer, const std::vector<Key>& keys) {
  writer.varint(keys.size());
  for (const Key key : keys) writer.u64(key.value);
}

std::vector<Key> read_keys(base::ByteReader& body) {
  const std::uint64_t count = body.count(sizeof(std::uint64_t));
  if (count > kCastKeysMax) body.fail();
  if (body.failed()) return {};
  std::vector<Key> keys(count);
  for (Key& key : keys) key.value = body.u64();
  return keys;
}

void write_destinations(base::ByteWriter& writer, const Destinations& destinations) {
  if (const auto* arc = std::get_if<KeyArc>(&destinations)) {
    writer.u8(static_cast<std::uint8_t>(Form::kArc));
    writer.u64(arc->after.value);
    writer.u64(arc->last.value);
  } else {
    writer.u8(static_cast<std::uint8_t>(Form::kKeys));
    write_keys(writer, std::get<std::vector<Key>>(destinations));
  }
}

Destinations read_destinations(base::ByteReader& body) {
  if (!read_flag(body)) return read_keys(body);
  const Key after{body.u64()};
  return KeyArc{.after = after, .last = {body.u64()}};
}

std::string encode_numbered(Kind kind, Key key, std::uint64_t number) {
  base::ByteWriter writer = begin(kind);
  writer.u64(key.value);
  writer.u64(number);
  return writer.take();
}

bool decode_numbered(base::ByteReader body, Key& key, std::uint64_t& number) {
  key.value = body.u64();
  number = body.u64();
  return body.done();
}

}  // namespace

std::string encode(const Put& message) {
  base::ByteWriter writer = begin(Kind::kPut);
  writer.u64(message.key.value);
  writer.text(message.text);
  return writer.take();
}

bool decode(base::ByteReader body, Put& message) {
  message.key.value = body.u64();
  message.text = read_text(body);
  return body.done();
}

std::string encode(const Get& message) {
  base::ByteWriter writer = begin(Kind::kGet);
  writer.u64(message.key.value);
  return writer.take();
}

bool decode(base::ByteReader body, Get& message) {
  message.key.value = body.u64();
  return body.done();
}

std::string encode(const Cast& message) {
  base::ByteWriter writer = begin(Kind::kCast);
  writer.u64(message.number);
  write_destinations(writer, message.destinations);
  writer.text(message.text);
  return writer.take();
}

bool decode(base::ByteReader body, Cast& message) {
  message.number = body.u64();
  message.destinations = read_destinations(body);
  message.text = read_text(body);
  return body.done();
}

std::string encode(const Add& message) {
  base::ByteWriter writer = begin(Kind::kAdd);
  writer.u64(std::bit_cast<std::uint64_t>(message.amount));
  return writer.take();
}

bool decode(base::ByteReader body, Add& message) {
  message.amount = std::bit_cast<std::int64_t>(body.u64());
  return body.done();
}

std::string encode(const Stored& message) {
  base::ByteWriter writer = begin(Kind::kStored);
  writer.u64(message.key.value);
  return writer.take();
}

bool decode(base::ByteReader body, Stored& message) {
  message.key.value = body.u64();
  return body.done();
}

std::string encode(const Got& message) {
  base::ByteWriter writer = begin(Kind::kGot);
  writer.u64(message.key.value);
  write_optional(writer, message.text);
  return writer.take();
}

bool decode(base::ByteReader body, Got& message) {
  message.key.value = body.u64();
  message.text = read_optional(body);
  return body.done();
}

std::string encode(const Failed& message) {
  base::ByteWriter writer = begin(Kind::kFailed);
  writer.u64(message.key.value);
  writer.u8(message.is_put ? 1 : 0);
  return writer.take();
}

bool decode(base::ByteReader body, Failed& message) {
  message.key.value = body.u64();
  message.is_put = read_flag(body);
  return body.done();
}

std::string encode(const Arrived& message) {
  base::ByteWriter writer = begin(Kind::kArrived);
  writer.u64(message.number);
  writer.u64(message.origin.value);
  write_keys(writer, message.keys);
  writer.u32(message.hops);
  return writer.take();
}

bool decode(base::ByteReader body, Arrived& message) {
  message.number = body.u64();
  message.origin.value = body.u64();
  message.keys = read_keys(body);
  message.hops = body.u32();
  return body.done();
}

std::string encode(const Sum& message) {
  base::ByteWriter writer = begin(Kind::kSum);
  writer.u64(std::bit_cast<std::uint64_t>(message.sum));
  writer.u64(message.member_count);
  writer.u64(message.version);
  return writer.take();
}

bool decode(base::ByteReader body, Sum& message) {
  message.sum = std::bit_cast<std::int64_t>(body.u64());
  message.member_count = body.u64();
  message.version = body.u64();
  return body.done();
}

std::string encode(const Store& message) {
  base::ByteWriter writer = begin(Kind::kStore);
  writer.u64(message.key.value);
  writer.u64(message.number);
  writer.text(message.text);
  return writer.take();
}

bool decode(base::ByteReader body, Store& message) {
  message.key.value = body.u64();
  message.number = body.u64();
  message.text = read_text(body);
  return body.done();
}

std::string encode(const Acknowledge& message) {
  return encode_numbered(Kind::kAcknowledge, message.key, message.number);
}

bool decode(base::ByteReader body, Acknowledge& message) {
  return decode_numbered(body, message.key, message.number);
}

std::string encode(const Fetch& message) {
  return encode_numbered(Kind::kFetch, message.key, message.number);
}

bool decode(base::ByteReader body, Fetch& message) {
  return decode_numbered(body, message.key, message.number);
}

std::string encode(const Answer& message) {
  base::ByteWriter writer = begin(Kind::kAnswer);
  writer.u64(message.key.value);
  writer.u64(message.number);
  write_optional(writer, message.text);
  return writer.take();
}

bool decode(base::ByteReader body, Answer& message) {
  message.key.value = body.u64();
  message.number = body.u64();
  message.text = read_optional(body);
  return body.done();
}

std::string encode_item(const Item& item) {
  base::ByteWriter writer;
  writer.u64(item.version.number);
  writer.u64(item.version.origin.value);
  writer.text(item.text);
  return writer.take();
}

std::optional<Item> decode_item(std::string_view bytes) {
  base::ByteReader reader(bytes);
  Item item;
  item.version.number = reader.u64();
  item.version.origin.value = reader.u64();
  item.text = read_text(reader);
  if (!reader.done()) return {};
  return item;
}

}  // namespace weir::protocol::probe
