// SPDX-License-Identifier: Apache-2.0
// Files of the source tree, for tests that hold a document or a header against the code.
#pragma once

#include <string>
#include <string_view>

namespace weir::base {

// The whole text of a file, by its path from the source root. Aborts if it cannot be read.
std::string read_source_file(std::string_view path_from_source_root);

}  // namespace weir::base
