// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_directory_testing.h"

#include <stdlib.h>

#include <string>
#include <system_error>

#include "base/check.h"

namespace weir::base {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "weir_test_XXXXXX").string();
  WEIR_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weir::base
