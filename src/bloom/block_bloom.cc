// SPDX-License-Identifier: Apache-2.0
#include "bloom/block_bloom.h"

#include <bit>
#include <utility>

#include "base/check.h"
#include "bloom/frame.h"

namespace weir::bloom {
namespace {

// Below this the next cache is near enough without asking ahead.
constexpr std::size_t kAskAheadBytesMin = std::size_t{1} << 21U;

std::size_t line_count(const BlockOptions& options) {
  WEIR_CHECK(options.block_bits == 256 || options.block_bits == 512);
  WEIR_CHECK(options.block_count >= 1 && options.block_count <= kBlockCountMax);
  return (options.block_count * options.block_bits / 8 + kLineBytes - 1) / kLineBytes;
}

}  // namespace

BlockBloom::BlockBloom(const BlockOptions& options)
    : options_(options),
      kernels_(&block_kernels(options.isa, options.block_bits)),
      lines_(line_count(options)) {}

// Kernels write only through passes of calls that are not const.
BlockPass BlockBloom::pass() const {
  return {const_cast<std::uint64_t*>(lines_.data()), options_.block_count,
          lines_.bytes() >= kAskAheadBytesMin};
}

bool BlockBloom::test(std::uint64_t key) const {
  bool distinct = false;
  test({&key, 1}, {&distinct, 1});
  return distinct;
}

bool BlockBloom::test_and_set(std::uint64_t key) {
  bool distinct = false;
  test_and_set({&key, 1}, {&distinct, 1});
  return distinct;
}

void BlockBloom::test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const {
  WEIR_CHECK(distinct.size() >= keys.size());
  kernels_->test(pass(), keys.data(), keys.size(), distinct.data());
}

void BlockBloom::set(std::span<const std::uint64_t> keys) {
  kernels_->set(pass(), keys.data(), keys.size());
}

void BlockBloom::test_and_set(std::span<const std::uint64_t> keys, std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  kernels_->test_and_set(pass(), keys.data(), keys.size(), distinct.data());
}

double BlockBloom::density() const {
  std::uint64_t set_count = 0;
  for (const std::uint64_t word : lines_.words()) {
    set_count += static_cast<std::uint64_t>(std::popcount(word));
  }
  return static_cast<double>(set_count) / static_cast<double>(word_count() * 64);
}

std::string BlockBloom::save() const {
  base::ByteWriter writer = begin_frame(FrameKind::kBlock);
  writer.varint(options_.block_count);
  writer.u8(options_.block_bits == 512 ? 1 : 0);
  for (const std::uint64_t word : lines_.words().first(word_count())) writer.u64(word);
  return finish_frame(std::move(writer));
}

base::Result<BlockBloom> BlockBloom::restore(std::string_view bytes) {
  const auto body = open_frame(FrameKind::kBlock, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const std::uint64_t block_count = reader.varint();
  const std::uint8_t wide = reader.u8();
  const std::uint64_t block_bytes = wide == 1 ? 64 : 32;
  if (reader.failed() || wide > 1 || block_count < 1 || block_count > kBlockCountMax ||
      reader.rest_bytes() != block_count * block_bytes) {
    return corrupt_frame(FrameKind::kBlock, "is of another size than it says");
  }
  BlockBloom filter(
      {.block_count = block_count, .block_bits = static_cast<std::uint32_t>(block_bytes * 8)});
  for (std::uint64_t& word : filter.lines_.words().first(filter.word_count())) word = reader.u64();
  return filter;
}

bool BlockBloom::operator==(const BlockBloom& other) const {
  return options_.block_count == other.options_.block_count &&
         options_.block_bits == other.options_.block_bits && lines_ == other.lines_;
}

}  // namespace weir::bloom
