// SPDX-License-Identifier: Apache-2.0
// ByteWriter and ByteReader: the pieces that byte formats are made of, little-endian.
//
//   u8 u32 u64      fixed width            varint   7 bits per byte, low first, the shortest form
//   f64             its 64 bits as u64     text     varint length, then the bytes
//   block           u64 length, then the bytes
//
// A reader never reads beyond its input. After the first piece that is not there it stays failed
// and gives zeros, so that a format is read straight through and asked once at the end:
//
//   ByteReader reader(bytes);
//   state.count = reader.varint();
//   if (!reader.done()) return corrupt();
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weir::base {

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void varint(std::uint64_t value);
  void text(std::string_view bytes);
  void raw(std::string_view bytes) { bytes_.append(bytes); }
  void reserve(std::size_t byte_count) { bytes_.reserve(byte_count); }
  // What is written until end_block() is a block: a u64 length, then the bytes. Unlike a text it
  // need not be in memory twice.
  std::size_t begin_block();
  void end_block(std::size_t begun);

  std::size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void fixed(std::uint64_t value, std::size_t byte_count);

  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  double f64() { return std::bit_cast<double>(u64()); }
  std::uint64_t varint();
  // A view into the input.
  std::string_view text() { return raw(varint()); }
  std::string_view raw(std::uint64_t byte_count);
  std::string_view block() { return raw(u64()); }
  // A count of things of at least this many bytes each; fails if the rest cannot hold them.
  std::uint64_t count(std::size_t bytes_each_min);

  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  std::size_t rest_bytes() const { return rest_.size(); }
  // Everything was there, and nothing is left.
  bool done() const { return !failed_ && rest_.empty(); }

 private:
  std::uint64_t fixed(std::size_t byte_count);

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace weir::base
