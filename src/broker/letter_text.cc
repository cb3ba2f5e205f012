// SPDX-License-Identifier: Apache-2.0
#include "broker/letter_text.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "event/event.h"
#include "event/json_document.h"

namespace weir::broker {
namespace {

constexpr event::JsonLimits kLimits = {.text_bytes_max = std::numeric_limits<std::size_t>::max(),
                                       .depth_max = 1024};

}  // namespace

std::string letter_text(std::span<const EventText> events) {
  std::string text = "[";
  for (const EventText& event : events) {
    if (text.size() > 1) text += ',';
    text += event.json;
  }
  return text + ']';
}

base::Result<std::vector<EventText>> read_letter(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  const auto document = event::JsonDocument::parse(*owner, kLimits);
  std::vector<EventText> events;
  if (document && document->root().kind() == event::JsonKind::kArray) {
    document->root().for_each_element(
        [&](const event::JsonRef& event) { events.push_back({owner, event.raw()}); });
  }
  if (!events.empty()) return events;
  return base::Error{base::ErrorId::kStoreCorrupt,
                     "the events of a dead letter are no JSON array of events", std::nullopt};
}

bool may_see_letter(const Grants& grants, std::string_view text) {
  if (grants.may_see_all()) return true;
  const auto events = event::decode_batch(text, {.json = kLimits});
  return events && std::ranges::all_of(*events, [&](const base::Result<event::EventPtr>& event) {
           return event && grants.may_see(**event);
         });
}

}  // namespace weir::broker
