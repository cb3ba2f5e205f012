// SPDX-License-Identifier: Apache-2.0
#include "server/json_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.h"
#include "event/json_document.h"

namespace weir::server {

void append_json(std::string_view text, std::string& out) {
  std::size_t valid_bytes = base::utf8_valid_prefix_bytes(text);
  if (valid_bytes == text.size()) return event::append_json_string(text, out);
  std::string repaired;
  while (valid_bytes < text.size()) {
    repaired.append(text.substr(0, valid_bytes)).append("\xEF\xBF\xBD");
    text.remove_prefix(valid_bytes + 1);
    valid_bytes = base::utf8_valid_prefix_bytes(text);
  }
  repaired.append(text);
  event::append_json_string(repaired, out);
}

void append_json(std::uint64_t number, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void JsonObject::name(std::string_view name_text) {
  if (!first_) out_ += ',';
  first_ = false;
  append_json(name_text, out_);
  out_ += ':';
}

void JsonObject::raw_members(std::string_view members) {
  if (members.empty()) return;
  if (!first_) out_ += ',';
  first_ = false;
  out_ += members;
}

}  // namespace weir::server
