// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

namespace weir::base {
namespace {

constexpr unsigned kVarintBits = 7;
constexpr std::uint64_t kVarintMask = 0x7F;
constexpr std::uint8_t kVarintMore = 0x80;
constexpr unsigned kVarintLastShift = 63;

std::uint64_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

}  // namespace

void ByteWriter::fixed(std::uint64_t value, std::size_t byte_count) {
  char bytes[sizeof value];
  for (char& byte : bytes) {
    byte = static_cast<char>(value);
    value >>= 8U;
  }
  bytes_.append(bytes, byte_count);
}

std::size_t ByteWriter::begin_block() {
  u64(0);
  return bytes_.size();
}

void ByteWriter::end_block(std::size_t begun) {
  ByteWriter length;
  length.u64(bytes_.size() - begun);
  bytes_.replace(begun - length.size(), length.size(), length.bytes());
}

void ByteWriter::varint(std::uint64_t value) {
  for (; value > kVarintMask; value >>= kVarintBits) {
    u8(static_cast<std::uint8_t>((value & kVarintMask) | kVarintMore));
  }
  u8(static_cast<std::uint8_t>(value));
}

void ByteWriter::text(std::string_view bytes) {
  varint(bytes.size());
  raw(bytes);
}

std::uint64_t ByteReader::fixed(std::size_t byte_count) {
  const std::string_view bytes = raw(byte_count);
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | byte_at(bytes, i);
  return value;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !failed_ && shift <= kVarintLastShift; shift += kVarintBits) {
    const std::uint8_t byte = u8();
    const bool is_overlong = shift > 0 && byte == 0;  // the same value has a shorter form
    if (is_overlong || (shift == kVarintLastShift && byte > 1)) break;
    value |= (byte & kVarintMask) << shift;
    if ((byte & kVarintMore) == 0) return failed_ ? 0 : value;
  }
  fail();
  return 0;
}

std::string_view ByteReader::raw(std::uint64_t byte_count) {
  if (failed_ || byte_count > rest_.size()) {
    fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, byte_count);
  rest_.remove_prefix(byte_count);
  return bytes;
}

std::uint64_t ByteReader::count(std::size_t bytes_each_min) {
  const std::uint64_t value = varint();
  if (bytes_each_min != 0 && value > rest_.size() / bytes_each_min) fail();
  return failed_ ? 0 : value;
}

}  // namespace weir::base
