// SPDX-License-Identifier: Apache-2.0
// Command lines for tests: what they ask for, or why they are refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "cli/options.h"

namespace weir::cli {

// The options of a command line that must ask for a T.
template <typename T>
T parsed(const std::vector<std::string>& arguments) {
  auto options = parse_arguments(arguments);
  if (!options) {
    ADD_FAILURE() << options.error().message;
    return {};
  }
  auto* const wanted = std::get_if<T>(&*options);
  EXPECT_NE(wanted, nullptr);
  return wanted == nullptr ? T() : *wanted;
}

// The message of a command line that must be refused; "accepted" if it is not.
inline std::string refused(const std::vector<std::string>& arguments) {
  const auto options = parse_arguments(arguments);
  if (options) return "accepted";
  EXPECT_EQ(options.error().id, base::ErrorId::kCliUsage);
  return options.error().message;
}

}  // namespace weir::cli
