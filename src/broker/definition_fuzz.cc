// SPDX-License-Identifier: Apache-2.0
// Any bytes as a subscription's document: refused, or read the same when written back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "broker/definition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::broker::Definition;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto definition = Definition::parse(json);
  if (!definition) return 0;
  const auto again = Definition::parse((*definition)->to_json());
  WEIR_CHECK(again.has_value());
  WEIR_CHECK((*again)->filter()->to_text() == (*definition)->filter()->to_text());
  WEIR_CHECK((*again)->to_json() == (*definition)->to_json());
  return 0;
}
