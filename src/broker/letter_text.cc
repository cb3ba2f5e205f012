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

// The array of a group within its letter; no value if it is not one.
event::JsonRef group_in(const event::JsonDocument& document) {
  event::JsonRef group;
  if (document.root().kind() != event::JsonKind::kArray) return group;
  document.root().for_each_element([&](const event::JsonRef& element) {
    if (element.kind() == event::JsonKind::kArray) group = element;
  });
  return group;
}

}  // namespace

std::string letter_text(const Dispatch& dispatch) {
  std::string text = dispatch.is_group ? "[[" : "[";
  for (const EventText& event : dispatch.events) {
    if (&event != &dispatch.events.front()) text += ',';
    text += event.json;
  }
  return text + (dispatch.is_group ? "]]" : "]");
}

base::Result<Letter> read_letter(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  const auto document = event::JsonDocument::parse(*owner, kLimits);
  Letter letter;
  if (document && document->root().kind() == event::JsonKind::kArray) {
    const event::JsonRef group = group_in(*document);
    (group ? group : document->root()).for_each_element([&](const event::JsonRef& event) {
      letter.events.push_back({owner, event.raw()});
    });
    letter.is_group = group || letter.events.size() > 1;
  }
  if (!letter.events.empty()) return letter;
  return base::Error{base::ErrorId::kStoreCorrupt,
                     "the events of a dead letter are no JSON array of events", std::nullopt};
}

std::string_view letter_events(std::string_view text) {
  const auto document = event::JsonDocument::parse(text, kLimits);
  const event::JsonRef group = document ? group_in(*document) : event::JsonRef();
  return group ? group.raw() : text;
}

bool may_see_letter(const Grants& grants, std::string_view text) {
  if (grants.may_see_all()) return true;
  const auto events = event::decode_batch(letter_events(text), {.json = kLimits});
  return events && std::ranges::all_of(*events, [&](const base::Result<event::EventPtr>& event) {
           return event && grants.may_see(**event);
         });
}

}  // namespace weir::broker
