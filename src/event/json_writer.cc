// SPDX-License-Identifier: Apache-2.0
#include "event/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "base/utf8.h"
#include "event/json_document.h"

namespace weir::event {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t good = base::utf8_valid_prefix_bytes(text);
    valid += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    valid += kReplacement;
    text.remove_prefix(1);
  }
  return valid;
}

}  // namespace

void append_json(std::string_view text, std::string& out) {
  if (base::utf8_valid_prefix_bytes(text) == text.size()) {
    append_json_string(text, out);
  } else {
    append_json_string(valid_utf8(text), out);
  }
}

void append_json(bool boolean, std::string& out) { out += boolean ? "true" : "false"; }

void append_json(double number, std::string& out) {
  if (std::isfinite(number)) {
    fmt::format_to(std::back_inserter(out), "{}", number);
  } else {
    out += "null";
  }
}

void append_json(std::uint64_t number, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void append_json(std::int64_t number, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void append_json(const std::vector<std::string>& texts, std::string& out) {
  out += '[';
  const char* separator = "";
  for (const std::string& text : texts) {
    out += std::exchange(separator, ",");
    append_json(std::string_view(text), out);
  }
  out += ']';
}

void JsonObject::separate() {
  if (!std::exchange(first_, false)) out_ += ',';
}

void JsonObject::name(std::string_view name) {
  separate();
  append_json(name, out_);
  out_ += ':';
}

void JsonObject::raw_members(std::string_view members) {
  if (members.empty()) return;
  separate();
  out_ += members;
}

}  // namespace weir::event
