// SPDX-License-Identifier: Apache-2.0
#include "event/annotation.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "event/json_document.h"

namespace weir::event {

// A member goes with the comma and the white space before it. The first one that stays needs no
// comma.
std::string annotate(std::string_view event_json, std::string_view members) {
  constexpr auto kNoLimit = std::numeric_limits<std::size_t>::max();
  const auto document =
      JsonDocument::parse(event_json, {.text_bytes_max = kNoLimit, .depth_max = kNoLimit});
  WEIR_CHECK(document && document->root().kind() == JsonKind::kObject);
  const std::string_view text = document->text();
  std::string annotated;
  annotated.reserve(text.size() + members.size() + 1);
  annotated += '{';
  std::size_t from = 1;  // behind the brace or the last value
  bool is_first = true;
  document->root().for_each_member([&](const JsonRef& name, const JsonRef& value) {
    const std::size_t end = value.offset_bytes() + value.raw().size();
    if (std::ranges::find(kAnnotationNames, name.string()) == kAnnotationNames.end()) {
      std::string_view member = text.substr(from, end - from);
      if (is_first) member.remove_prefix(member.find('"'));
      annotated += member;
      is_first = false;
    }
    from = end;
  });
  if (!members.empty() && !is_first) annotated += ',';
  annotated += members;
  annotated += text.substr(from);
  return annotated;
}

}  // namespace weir::event
