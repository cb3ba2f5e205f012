// SPDX-License-Identifier: Apache-2.0
#include "cli/delivery_writer.h"

#include <algorithm>

#include "event/annotation.h"
#include "event/json_writer.h"

namespace weir::cli {

void DeliveryWriter::write(std::span<const engine::Delivery> deliveries) {
  if (!options_.json) {
    write_plain(deliveries);
    return;
  }
  for (const engine::Delivery& delivery : deliveries) write_json(delivery);
}

void DeliveryWriter::write_plain(std::span<const engine::Delivery> deliveries) {
  const event::Event* last = nullptr;
  for (const engine::Delivery& delivery : deliveries) {
    for (std::size_t i = 0; i < delivery.events.size(); ++i) {
      const event::EventPtr& event = delivery.events[i];
      const bool is_repeated = std::ranges::binary_search(delivery.repeated, i);
      if (is_repeated || event.get() == last) continue;
      last = event.get();
      if (!options_.events_return || is_new(event)) write_line(event->json());
    }
  }
}

void DeliveryWriter::write_json(const engine::Delivery& delivery) {
  const auto found = std::ranges::lower_bound(ids_, delivery.subscription);
  prefix_.clear();
  event::JsonObject object(prefix_);
  const auto index = static_cast<std::size_t>(found - ids_.begin());
  object.member("filter", static_cast<std::uint64_t>(index) + 1);
  if (delivery.is_group) object.member("group", ++group_count_);
  object.name("event");
  for (std::size_t i = 0; i < delivery.events.size(); ++i) {
    const event::Event& event = *delivery.events[i];
    const bool is_repeated = std::ranges::binary_search(delivery.repeated, i);
    std::string members(is_repeated ? event::kRepeated : "");
    const bool is_last = i + 1 == delivery.events.size();
    if (is_last && delivery.text && index < options_.annotators.size()) {
      members += (members.empty() ? "" : ",") +
                 options_.annotators[index].annotation(delivery.text, &event);
    }
    output_.append(prefix_);
    output_.append(members.empty() ? event.json() : event::annotate(event.json(), members));
    write_line("}");
  }
}

// An event that only the writer holds cannot come again.
bool DeliveryWriter::is_new(const event::EventPtr& event) {
  if (!written_.insert(event).second) return false;
  if (written_.size() >= sweep_at_) {
    std::erase_if(written_, [](const event::EventPtr& kept) { return kept.use_count() == 1; });
    sweep_at_ = std::max<std::size_t>(256, 2 * written_.size());
  }
  return true;
}

void DeliveryWriter::write_line(std::string_view text) {
  output_.append(text);
  output_.append("\n");
  ++line_count_;
}

}  // namespace weir::cli
