// SPDX-License-Identifier: Apache-2.0
#include "engine/text_explanation.h"

#include <fmt/format.h>

#include <utility>

namespace weir::engine {
namespace {

using match::TextFailure;
using match::TextMatchInfo;

std::string describe_failure(const TextMatchInfo& info) {
  switch (info.failure) {
    case TextFailure::kNone:
      return "";
    case TextFailure::kNoText:
      return "no field has text in its language";
    case TextFailure::kExcludedTerm:
      return fmt::format("it has the excluded '{}'", info.failed);
    case TextFailure::kExcludedPhrase:
      return fmt::format("it has the excluded phrase \"{}\"", info.failed);
    case TextFailure::kMissingPhrase:
      return fmt::format("the phrase \"{}\" is not in it", info.failed);
    case TextFailure::kMissingTerm:
      return fmt::format("'{}' is not in it", info.failed);
    case TextFailure::kNoneOfThem:
      return "none of the words and phrases is in it";
    case TextFailure::kLowScore:
      return fmt::format("below {}", info.score_min);
  }
  return "";
}

std::string describe_score(const TextMatchInfo& info) {
  std::string text = fmt::format("the score is {:.4f}", info.verdict.score);
  const char* separator = " = ";
  for (const auto& [term, share] : info.shares) {
    text += fmt::format("{}{} {:.4f}", std::exchange(separator, " + "), term, share);
  }
  return text;
}

}  // namespace

std::string describe(const TextMatchInfo& info) {
  if (info.failure == TextFailure::kNoText) return describe_failure(info);
  const std::string failure = describe_failure(info);
  std::string text = describe_score(info);
  if (!failure.empty()) text += ", " + failure;
  return text + fmt::format(" (epoch {})", info.verdict.epoch);
}

}  // namespace weir::engine
