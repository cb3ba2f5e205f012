// SPDX-License-Identifier: Apache-2.0
#include "broker/delivery_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/logged_event.h"
#include "event/annotation.h"

namespace weir::broker {
namespace {

void annotate(std::string_view members, EventText& text) {
  const auto annotated = std::make_shared<const std::string>(event::annotate(text.json, members));
  text = {annotated, *annotated};
}

// An event of a group may come from another broker, with marks that were true there.
bool has_marks(std::string_view json) {
  return json.find("weirrepeated") != std::string_view::npos ||
         json.find("weirmissing") != std::string_view::npos;
}

void append_member(std::string_view member, std::string& members) {
  if (!members.empty()) members += ',';
  members += member;
}

}  // namespace

// Events from the log are decoded only for a reader with bounds, or if it is asked for.
base::Result<Loaded> DeliveryLoader::load_event(std::uint64_t sequence, const Grants& reader,
                                                bool decodes, Event& event) const {
  const bool sees_all = reader.may_see_all();
  event.decoded = recent_.find(sequence);
  if (!event.decoded) {
    auto read = log_.read(std::span(&sequence, 1));
    if (!read) return read.error();
    if (!read->front()) return Loaded::kGone;
    if (sees_all && !decodes) {
      const auto owner = std::make_shared<const std::string>(std::move(read->front()->payload));
      event.text = {owner, *owner};
      return Loaded::kThere;
    }
    auto decoded = decode_logged(*read->front());
    if (!decoded) return decoded.error();
    event.decoded = *std::move(decoded);
  }
  if (!sees_all && !reader.may_see(*event.decoded)) return Loaded::kHidden;
  event.text = {event.decoded, event.decoded->json()};
  return Loaded::kThere;
}

base::Result<Loaded> DeliveryLoader::load(const OutboxEntry& entry, const Grants& reader,
                                          engine::TextAnnotator* annotator,
                                          Dispatch& dispatch) const {
  dispatch.is_group = entry.is_group;
  if (entry.is_group) return load_group(entry, reader, annotator, dispatch);
  Event event;
  const bool decodes = entry.text && annotator->highlights();
  const auto loaded = load_event(entry.sequences.front(), reader, decodes, event);
  if (!loaded || *loaded != Loaded::kThere) return loaded;
  if (entry.text) annotate(annotator->annotation(entry.text, event.decoded.get()), event.text);
  dispatch.events.push_back(std::move(event.text));
  return loaded;
}

base::Result<Loaded> DeliveryLoader::load_group(const OutboxEntry& entry, const Grants& reader,
                                                engine::TextAnnotator* annotator,
                                                Dispatch& dispatch) const {
  const std::uint64_t newest = std::ranges::max(entry.sequences);
  std::vector<std::string> members;  // of the events that are there
  for (std::size_t i = 0; i < entry.sequences.size(); ++i) {
    const bool says_why = entry.text && i + 1 == entry.sequences.size();
    Event event;
    const bool decodes = says_why && annotator->highlights();
    const auto loaded = load_event(entry.sequences[i], reader, decodes, event);
    if (!loaded || *loaded == Loaded::kHidden) return loaded;
    if (*loaded == Loaded::kGone && entry.sequences[i] == newest) return loaded;
    if (*loaded == Loaded::kGone) continue;
    members.emplace_back();
    if (std::ranges::binary_search(entry.repeated, i)) {
      append_member(event::kRepeated, members.back());
    }
    if (says_why)
      append_member(annotator->annotation(entry.text, event.decoded.get()), members.back());
    dispatch.events.push_back(std::move(event.text));
  }
  const std::size_t missing_count = entry.sequences.size() - members.size();
  if (missing_count > 0) {
    append_member(fmt::format(R"("weirmissing":{})", missing_count), members.back());
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    EventText& text = dispatch.events[i];
    if (!members[i].empty() || has_marks(text.json)) annotate(members[i], text);
  }
  return Loaded::kThere;
}

}  // namespace weir::broker
