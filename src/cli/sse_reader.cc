// SPDX-License-Identifier: Apache-2.0
#include "cli/sse_reader.h"

#include <utility>

namespace weir::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::optional<SseMessage> SseReader::take(std::string_view line) {
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (!line.empty()) {
    const std::size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
    return std::nullopt;
  }
  std::string type = std::exchange(type_, {});
  std::string data = std::exchange(data_, {});
  if (data.empty()) return std::nullopt;
  data.pop_back();
  return SseMessage{
      .type = type.empty() ? "message" : std::move(type), .data = std::move(data), .id = id_};
}

// A comment is a field without a name; it and unknown names are nothing. `retry` is for browsers.
void SseReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    data_.append(value).append("\n");
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  }
}

}  // namespace weir::cli
