// SPDX-License-Identifier: Apache-2.0
// Result<T>: a T, or the Error that kept it from being made. Ignoring one does not compile.
//
//   Result<Path> path = parse_path(text);
//   if (!path) return path.error();
//   use(*path);
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace weir::base {

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  using Base = tl::expected<T, Error>;

 public:
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using tl::expected<void, Error>::expected;
  Result(Error error) : tl::expected<void, Error>(tl::unexpect, std::move(error)) {}
};

}  // namespace weir::base
