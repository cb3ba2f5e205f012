// SPDX-License-Identifier: Apache-2.0
// The codec of all messages: the type of a field decides its bytes, little-endian.
//
//   bool                        u8, 0 or 1
//   std::uint64_t, std::int64_t u64 (two's complement)
//   unsigned                    varint
//   an enumeration              u8, below kEnumeratorCount<Enum>
//   Key                         u64
//   NodeId                      varint; kUser only where the field says or_nobody()
//   std::string, string_view    varint length, bytes; a decoded string_view points into the message
//   std::bitset<N>              N / 8 bytes, the lowest bit first
//   std::optional<T>            u8 0, or u8 1 and T
//   std::vector<T>              varint count, then each; keys ascend, each once, at most
//                               kDestinationKeysMax
//   std::variant<T, ...>        u8 index, then the alternative; it is not an empty list
//   a struct with fields()      its fields; refused if its is_valid() returns false
//
// Decoders are bounded: they never read beyond the bytes, never make room for more than the bytes
// can hold, and refuse bytes that no encoder writes.
#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "protocol/field.h"
#include "protocol/message.h"
#include "protocol/node_id.h"
#include "protocol/ring.h"

namespace weir::protocol {

// The most keys that one message can be addressed to.
inline constexpr std::size_t kDestinationKeysMax = 16'384;

// How many enumerators an enumeration has, from 0 on. Specialised beside each one that travels.
template <typename Enum>
inline constexpr std::size_t kEnumeratorCount = 0;

namespace codec {

template <typename T>
concept Struct = requires { T::fields(); };

template <typename T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::string_view>;

// Field of a value that stands in a list, an optional or a variant.
template <typename T>
struct Element {
  T value;
};
template <typename T>
inline constexpr Field<Element<T>, T> kElement{.member = &Element<T>::value};

// The fewest bytes of a value: the room that a count of them needs at least.
template <typename T>
constexpr std::size_t bytes_min() {
  if constexpr (Struct<T>) {
    return std::apply(
        []<typename... S, typename... V>(const Field<S, V>&...) {
          return (std::size_t{0} + ... + bytes_min<V>());
        },
        T::fields());
  } else if constexpr (std::same_as<T, Key> || std::same_as<T, std::uint64_t> ||
                       std::same_as<T, std::int64_t>) {
    return sizeof(std::uint64_t);
  } else {
    return 1;
  }
}

// ---- writing

inline void write(base::ByteWriter& writer, bool value) { writer.u8(value ? 1 : 0); }
inline void write(base::ByteWriter& writer, std::uint64_t value) { writer.u64(value); }
inline void write(base::ByteWriter& writer, std::int64_t value) {
  writer.u64(static_cast<std::uint64_t>(value));
}
inline void write(base::ByteWriter& writer, unsigned value) { writer.varint(value); }
inline void write(base::ByteWriter& writer, Key value) { writer.u64(value.value); }
inline void write(base::ByteWriter& writer, NodeId value) { writer.varint(value.value); }
inline void write(base::ByteWriter& writer, std::string_view value) { writer.text(value); }

template <typename Enum>
  requires std::is_enum_v<Enum>
void write(base::ByteWriter& writer, Enum value) {
  writer.u8(static_cast<std::uint8_t>(value));
}
template <std::size_t Size>
void write(base::ByteWriter& writer, const std::bitset<Size>& value) {
  static_assert(Size % 8 == 0);
  for (std::size_t first = 0; first < Size; first += 8) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) byte |= (value[first + bit] ? 1U : 0U) << bit;
    writer.u8(static_cast<std::uint8_t>(byte));
  }
}
template <typename T>
void write(base::ByteWriter& writer, const std::optional<T>& value);
template <typename T>
void write(base::ByteWriter& writer, const std::vector<T>& value);
template <typename... Ts>
void write(base::ByteWriter& writer, const std::variant<Ts...>& value);

template <Struct T>
void write(base::ByteWriter& writer, const T& value) {
  std::apply([&](const auto&... field) { (write(writer, value.*field.member), ...); }, T::fields());
}
template <typename T>
void write(base::ByteWriter& writer, const std::optional<T>& value) {
  write(writer, value.has_value());
  if (value) write(writer, *value);
}
template <typename T>
void write(base::ByteWriter& writer, const std::vector<T>& value) {
  writer.varint(value.size());
  for (const T& element : value) write(writer, element);
}
template <typename... Ts>
void write(base::ByteWriter& writer, const std::variant<Ts...>& value) {
  writer.u8(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& alternative) { write(writer, alternative); }, value);
}

// ---- reading: each marks the reader as failed if the bytes are refused

template <typename FieldType>
void read_value(base::ByteReader& reader, bool& value, const FieldType& /*field*/) {
  const std::uint8_t byte = reader.u8();
  if (byte > 1) reader.fail();
  value = byte == 1;
}
template <typename FieldType>
void read_value(base::ByteReader& reader, std::uint64_t& value, const FieldType& /*field*/) {
  value = reader.u64();
}
template <typename FieldType>
void read_value(base::ByteReader& reader, std::int64_t& value, const FieldType& /*field*/) {
  value = static_cast<std::int64_t>(reader.u64());
}
template <typename FieldType>
void read_value(base::ByteReader& reader, unsigned& value, const FieldType& field) {
  const std::uint64_t wide = reader.varint();
  if (wide > (field.is_hop_count ? kHopCountMax : std::numeric_limits<unsigned>::max())) {
    reader.fail();
  }
  value = static_cast<unsigned>(wide);
}
template <typename FieldType>
void read_value(base::ByteReader& reader, Key& value, const FieldType& /*field*/) {
  value.value = reader.u64();
}
template <typename FieldType>
void read_value(base::ByteReader& reader, NodeId& value, const FieldType& field) {
  value.value = reader.varint();
  if (value == kUser && !field.may_be_user) reader.fail();
}
template <Text T, typename FieldType>
void read_value(base::ByteReader& reader, T& value, const FieldType& field) {
  const std::string_view text = reader.text();
  if (text.size() < field.size_min || text.size() > field.size_max) return reader.fail();
  value = text;
}
template <typename Enum, typename FieldType>
  requires std::is_enum_v<Enum>
void read_value(base::ByteReader& reader, Enum& value, const FieldType& /*field*/) {
  static_assert(kEnumeratorCount<Enum> > 0, "specialise kEnumeratorCount beside the enumeration");
  const std::uint8_t number = reader.u8();
  if (number >= kEnumeratorCount<Enum>) return reader.fail();
  value = static_cast<Enum>(number);
}
template <std::size_t Size, typename FieldType>
void read_value(base::ByteReader& reader, std::bitset<Size>& value, const FieldType& /*field*/) {
  for (std::size_t first = 0; first < Size; first += 8) {
    const unsigned byte = reader.u8();
    for (std::size_t bit = 0; bit < 8; ++bit) value[first + bit] = (byte >> bit & 1U) != 0;
  }
}
template <typename T, typename FieldType>
void read_value(base::ByteReader& reader, std::optional<T>& value, const FieldType& field);
template <typename T, typename FieldType>
void read_value(base::ByteReader& reader, std::vector<T>& value, const FieldType& field);
template <typename... Ts, typename FieldType>
void read_value(base::ByteReader& reader, std::variant<Ts...>& value, const FieldType& field);

template <Struct T, typename FieldType>
void read_value(base::ByteReader& reader, T& value, const FieldType& /*field*/) {
  std::apply([&](const auto&... field) { (read_value(reader, value.*field.member, field), ...); },
             T::fields());
  if constexpr (requires { value.is_valid(); }) {
    if (!reader.failed() && !value.is_valid()) reader.fail();
  }
}
// The field's limits are those of the value inside.
template <typename T, typename FieldType>
void read_value(base::ByteReader& reader, std::optional<T>& value, const FieldType& field) {
  bool has_value = false;
  read_value(reader, has_value, field);
  value.reset();
  if (has_value) read_value(reader, value.emplace(), field);
}
template <typename T, typename FieldType>
void read_value(base::ByteReader& reader, std::vector<T>& value, const FieldType& field) {
  constexpr bool kIsKeys = std::same_as<T, Key>;
  const std::uint64_t count = reader.count(bytes_min<T>());
  if (count < field.size_min || count > field.size_max) return reader.fail();
  if (kIsKeys && count > kDestinationKeysMax) return reader.fail();
  value.clear();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    read_value(reader, value.emplace_back(), kElement<T>);
    if constexpr (kIsKeys) {
      if (i > 0 && value[i] <= value[i - 1]) reader.fail();
    }
  }
}
template <std::size_t Index, typename... Ts>
void read_alternative(base::ByteReader& reader, std::size_t index, std::variant<Ts...>& value) {
  if constexpr (Index == sizeof...(Ts)) {
    reader.fail();
  } else if (index == Index) {
    using T = std::variant_alternative_t<Index, std::variant<Ts...>>;
    read_value(reader, value.template emplace<Index>(), kElement<T>.sized(1, SIZE_MAX));
  } else {
    read_alternative<Index + 1>(reader, index, value);
  }
}
template <typename... Ts, typename FieldType>
void read_value(base::ByteReader& reader, std::variant<Ts...>& value, const FieldType& /*field*/) {
  read_alternative<0>(reader, reader.u8(), value);
}

}  // namespace codec

// A struct without a message's header, as it is kept or handed over.
template <codec::Struct T>
std::string encode_fields(const T& value) {
  base::ByteWriter writer;
  codec::write(writer, value);
  return writer.take();
}
// Decodes a whole body; false if no encoder writes these bytes.
template <codec::Struct T>
bool decode(base::ByteReader body, T& value) {
  codec::read_value(body, value, codec::kElement<T>);
  return body.done();
}

// Returns the struct; nullopt if no encoder writes these bytes.
template <codec::Struct T>
std::optional<T> read_fields(std::string_view bytes) {
  std::optional<T> value;
  if (!decode(base::ByteReader(bytes), value.emplace())) value.reset();
  return value;
}

// A whole message: header and body.
template <codec::Struct Message>
std::string encode(const Message& message) {
  base::ByteWriter writer = begin_message(kind_of<Message>());
  codec::write(writer, message);
  return writer.take();
}
// Returns the message; nullopt if the bytes are of another kind or no encoder writes them.
template <codec::Struct Message>
std::optional<Message> read(std::string_view bytes) {
  const OpenMessage open = open_message(bytes);
  std::optional<Message> message;
  if (open.refused || open.kind != kind_of<Message>()) return message;
  if (!decode(open.body, message.emplace())) message.reset();
  return message;
}

}  // namespace weir::protocol
