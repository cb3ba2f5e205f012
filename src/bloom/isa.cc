// SPDX-License-Identifier: Apache-2.0
#include "bloom/isa.h"

namespace weir::bloom {
namespace {

std::vector<Isa> find_isas() {
  std::vector<Isa> isas = {Isa::kPortable};
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") == 0) return isas;
  isas.push_back(Isa::kAvx2);
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0) {
    isas.push_back(Isa::kAvx512);
  }
#endif
  return isas;
}

}  // namespace

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> kIsas = find_isas();
  return kIsas;
}

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return "AVX2";
    case Isa::kAvx512:
      return "AVX-512";
    case Isa::kPortable:
      break;
  }
  return "portable";
}

}  // namespace weir::bloom
