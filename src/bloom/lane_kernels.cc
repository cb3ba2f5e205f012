// SPDX-License-Identifier: Apache-2.0
#include "bloom/lane_kernels.h"

#include "base/check.h"
#include "bloom/lane_loop.h"

namespace weir::bloom {
namespace {

template <std::uint32_t LineCount>
struct PortableMachine {
  static constexpr std::uint64_t kLines = LineCount;
  struct Masks {
    std::uint64_t of_line[LineCount];
  };

  static std::uint64_t product(std::uint64_t key, std::size_t index) {
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(key) * kLaneProduct[index];
    return static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64U);
  }

  static Masks masks(std::uint64_t key) {
    Masks masks;
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      const std::uint64_t bits = product(key, line / 4) >> (line % 4 * 16);
      const std::uint64_t first = bits & 63U;
      const std::uint64_t second = first ^ (1 + ((bits >> 8U & 255U) * 63 >> 8U));
      masks.of_line[line] = std::uint64_t{1} << first | std::uint64_t{1} << second;
    }
    return masks;
  }

  static std::uint32_t find(const std::uint64_t* bucket, const Masks& masks) {
    std::uint64_t missing[kLaneCount] = {};
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
        missing[lane] |= ~bucket[line * kLaneCount + lane] & masks.of_line[line];
      }
    }
    std::uint32_t found = 0;
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      found |= (missing[lane] == 0 ? 1U : 0U) << lane;
    }
    return found;
  }

  static void set(std::uint64_t* bucket, std::uint32_t lane, const Masks& masks) {
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      bucket[line * kLaneCount + lane] |= masks.of_line[line];
    }
  }

  static std::uint32_t find_then_set(std::uint64_t* bucket, std::uint32_t lane, bool refresh,
                                     const Masks& masks) {
    const std::uint32_t found = find(bucket, masks);
    if (found == 0 || refresh) set(bucket, lane, masks);
    return found;
  }
};

}  // namespace

const LaneKernels& portable_lane_kernels(std::uint32_t line_count) {
  return line_count == 4 ? LaneLoop<PortableMachine<4>>::kKernels
                         : LaneLoop<PortableMachine<8>>::kKernels;
}

const LaneKernels& lane_kernels(Isa isa, std::uint32_t line_count) {
  WEIR_CHECK(line_count == 4 || line_count == 8);
#ifdef __x86_64__
  if (isa == Isa::kAvx512) return avx512_lane_kernels(line_count);
  if (isa == Isa::kAvx2) return avx2_lane_kernels(line_count);
#endif
  WEIR_CHECK(isa == Isa::kPortable);
  return portable_lane_kernels(line_count);
}

}  // namespace weir::bloom
