// SPDX-License-Identifier: Apache-2.0
#include "bloom/compressed_bloom.h"

#include <algorithm>
#include <utility>

#include "bloom/frame.h"

namespace weir::bloom {
namespace {

constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 56;
constexpr std::uint64_t kRangeMin = kRangeMax >> 8;
constexpr int kEndBytes = 7;

// P in the header: the set cells' share of the interval, in units of 2^-32. Neither kind of cell
// may get nothing.
std::uint64_t set_share(std::uint64_t set_cell_count, std::uint64_t cell_count) {
  __extension__ using Wide = unsigned __int128;
  const auto share = static_cast<std::uint64_t>((Wide{set_cell_count} << 32U) / cell_count);
  return std::clamp<std::uint64_t>(share, 1, 0xFFFFFFFF);
}

bool has_code(std::uint64_t set_cell_count, std::uint64_t cell_count) {
  return set_cell_count != 0 && set_cell_count != cell_count;
}

// A cell of a half-full filter cannot be predicted, so the coders choose by value, not by branch.
class CellEncoder {
 public:
  explicit CellEncoder(std::uint64_t share) : share_(share) {}

  void put(bool set) {
    const std::uint64_t split = (range_ >> 32U) * share_;
    low_ += set ? 0 : split;
    range_ = set ? split : range_ - split;
    if (low_ >= kRangeMax) carry();
    for (; range_ < kRangeMin; range_ <<= 8U) put_byte();
  }

  std::string finish() {
    for (int i = 0; i < kEndBytes; ++i) put_byte();
    return std::move(code_);
  }

 private:
  void put_byte() {
    code_.push_back(static_cast<char>(low_ >> 48U));
    low_ = (low_ << 8U) & (kRangeMax - 1);
  }

  // The lower end never reaches 1, so there is a byte that takes it.
  void carry() {
    low_ -= kRangeMax;
    auto byte = code_.rbegin();
    for (; *byte == '\xFF'; ++byte) *byte = 0;
    *byte = static_cast<char>(static_cast<unsigned char>(*byte) + 1);
  }

  std::uint64_t share_;
  std::uint64_t low_ = 0;
  std::uint64_t range_ = kRangeMax;
  std::string code_;
};

class CellDecoder {
 public:
  CellDecoder(std::string_view code, std::uint64_t share) : share_(share), reader_(code) {
    for (int i = 0; i < kEndBytes; ++i) take_byte();
  }

  bool get() {
    const std::uint64_t split = (range_ >> 32U) * share_;
    const bool set = above_low_ < split;
    above_low_ -= set ? 0 : split;
    range_ = set ? split : range_ - split;
    for (; range_ < kRangeMin; range_ <<= 8U) take_byte();
    return set;
  }

  bool failed() const { return reader_.failed(); }
  // The code is the lower end of the interval, and nothing follows.
  bool done() const { return above_low_ == 0 && reader_.done(); }

 private:
  void take_byte() { above_low_ = above_low_ << 8U | reader_.u8(); }

  std::uint64_t share_;
  std::uint64_t above_low_ = 0;  // the code less the lower end; below the range
  std::uint64_t range_ = kRangeMax;
  base::ByteReader reader_;
};

base::Error corrupt(std::string_view why) { return corrupt_frame(FrameKind::kCompressed, why); }

bool decode_cells(std::string_view code, std::uint64_t set_cell_count, ClassicBloom& filter) {
  const std::uint64_t cell_count = filter.shape().cell_count;
  CellDecoder decoder(code, set_share(set_cell_count, cell_count));
  for (std::uint64_t i = 0; i < cell_count && !decoder.failed(); ++i) {
    if (decoder.get()) filter.set_cell(i);
  }
  return decoder.done();
}

}  // namespace

std::string compress(const ClassicBloom& filter) {
  const auto [cell_count, probe_count] = filter.shape();
  base::ByteWriter writer = begin_frame(FrameKind::kCompressed);
  writer.varint(cell_count);
  writer.varint(probe_count);
  writer.varint(filter.set_cell_count());
  if (has_code(filter.set_cell_count(), cell_count)) {
    CellEncoder encoder(set_share(filter.set_cell_count(), cell_count));
    for (std::uint64_t i = 0; i < cell_count; ++i) encoder.put(filter.cell(i));
    writer.raw(encoder.finish());
  }
  return finish_frame(std::move(writer));
}

base::Result<ClassicBloom> decompress(std::string_view bytes, std::uint64_t cell_count_max) {
  const auto body = open_frame(FrameKind::kCompressed, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const std::uint64_t cell_count = reader.varint();
  const std::uint64_t probe_count = reader.varint();
  const std::uint64_t set_cell_count = reader.varint();
  if (cell_count > std::min(cell_count_max, kCellCountMax)) return corrupt("has too many cells");
  if (reader.failed() || cell_count < 1 || probe_count < 1 || probe_count > kProbeCountMax ||
      set_cell_count > cell_count) {
    return corrupt("has no valid shape");
  }
  ClassicBloom filter({cell_count, static_cast<std::uint32_t>(probe_count)});
  const std::string_view code = reader.raw(reader.rest_bytes());
  if (has_code(set_cell_count, cell_count)) {
    if (!decode_cells(code, set_cell_count, filter)) return corrupt("is not as its density codes");
  } else {
    if (!code.empty()) return corrupt("has a code where none is needed");
    for (std::uint64_t i = 0; i < set_cell_count; ++i) filter.set_cell(i);
  }
  if (filter.set_cell_count() != set_cell_count) return corrupt("has other cells than it counts");
  return filter;
}

}  // namespace weir::bloom
