// SPDX-License-Identifier: Apache-2.0
#include "bloom/bloom_tree.h"

namespace weir::bloom {

template class BasicBloomTree<ClassicBloom>;

}  // namespace weir::bloom
