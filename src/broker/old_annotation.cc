// SPDX-License-Identifier: Apache-2.0
#include "broker/old_annotation.h"

#include <charconv>
#include <memory>
#include <string>

#include "event/json_document.h"

namespace weir::broker {
namespace {

std::uint64_t ten_thousandths(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return match::to_ten_thousandths(value);
}

// "storm=0.3466 flood=1.3863"
void read_terms(std::string_view text, match::TextShares& shares) {
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view one = text.substr(0, end);
    const std::size_t equals = one.rfind('=');
    if (equals != std::string_view::npos) {
      shares.terms.emplace(one.substr(0, equals), ten_thousandths(one.substr(equals + 1)));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace

match::TextFinding read_old_annotation(std::string_view members) {
  if (members.empty()) return {};
  const std::string text = "{" + std::string(members) + "}";
  const auto document = event::JsonDocument::parse(text);
  if (!document) return {};
  auto shares = std::make_shared<match::TextShares>();
  match::TextFinding finding;
  bool has_score = false;
  document->root().for_each_member([&](const event::JsonRef& name, const event::JsonRef& value) {
    const bool is_string = value.kind() == event::JsonKind::kString;
    if (name.string() == "weirscore" && is_string) {
      finding.score = ten_thousandths(value.string());
      has_score = true;
    } else if (name.string() == "weirepoch") {
      const std::string_view digits = value.raw();
      std::from_chars(digits.data(), digits.data() + digits.size(), shares->epoch);
    } else if (name.string() == "weirterms" && is_string) {
      read_terms(value.string(), *shares);
    }
  });
  if (has_score) finding.shares = std::move(shares);
  return finding;
}

}  // namespace weir::broker
