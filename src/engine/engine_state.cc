// SPDX-License-Identifier: Apache-2.0
// What an engine remembers as bytes.
#include <array>
#include <utility>

#include "base/hash.h"
#include "engine/checkpoint.h"
#include "engine/subscription.h"
#include "filter/shape.h"

namespace weir::engine {
namespace {

// What is counted and saved; the rest can be derived.
using Count = std::uint64_t SubscriptionCounters::*;
constexpr std::array<Count, 6> kOutcomes = {
    &SubscriptionCounters::passed,   &SubscriptionCounters::below_score,
    &SubscriptionCounters::no_value, &SubscriptionCounters::within_threshold,
    &SubscriptionCounters::held,     &SubscriptionCounters::duplicate};

CheckpointHead head_of(const filter::Filter& filter) {
  return {CheckpointKind::kSubscription, base::hash_bytes(filter::shape_of(filter)),
          base::hash_bytes(filter.to_text())};
}

match::ChangeLayout layout_of(std::uint8_t version) {
  using enum match::ChangeLayout;
  if (version < 3) return kUntimed;
  return version == 3 ? kUnmarked : kMarked;
}

constexpr CheckpointHead kTextHead = {CheckpointKind::kText};

match::TextLayout text_layout_of(std::uint8_t version) {
  using enum match::TextLayout;
  constexpr std::array kLayouts = {kOneLanguage, kLanguages, kVisibility};
  return kLayouts.at(version - 1U);
}

}  // namespace

std::string Engine::Subscription::save() const {
  if (!has_state()) return {};
  base::ByteWriter writer = begin_checkpoint(head_of(*filter_));
  const SubscriptionCounters now = counted_now();
  for (const Count count : kOutcomes) writer.varint(now.*count);
  writer.varint(now.delivered);
  if (const auto change = change_for(nullptr, {})) change->save(writer);
  if (window_ != nullptr) {
    writer.u8(static_cast<std::uint8_t>(window_->mode()));
    window_->save(writer);
  }
  return finish_checkpoint(std::move(writer));
}

base::Result<void> Engine::Subscription::restore(std::string_view bytes) {
  using enum CheckpointKind;
  if (!has_state())
    return corrupt_checkpoint(kSubscription, "is of a filter that remembers something");
  const auto body = open_checkpoint(head_of(*filter_), bytes);
  if (!body) return body.error();
  base::ByteReader reader(body->bytes);
  if (auto restored = restore_parts(body->version, reader); !restored) return restored.error();
  const auto due = change_ != nullptr ? change_->next_wake() : std::nullopt;
  const bool overdue = due && *due <= restored_at_;
  // A state has one way to be written: what is not that was not written by save().
  const bool is_written_so = body->version < kSubscriptionVersion || save() == bytes;
  if (!reader.done() || overdue || !is_written_so) {
    return corrupt_checkpoint(kSubscription, "is malformed");
  }
  return {};
}

base::Result<void> Engine::Subscription::restore_parts(std::uint8_t version,
                                                       base::ByteReader& reader) {
  for (const Count count : kOutcomes) {
    counted.*count = reader.varint();
    published_before -= counted.*count;
  }
  counted.delivered = reader.varint();
  if (change_ != nullptr) {
    if (auto restored = change_->restore(layout_of(version), reader, restored_at_); !restored) {
      return restored.error();
    }
  }
  if (window_ == nullptr) return {};
  return restore_window(version == 1 ? 0 : reader.u8(), reader);
}

// A window goes on in the way it was begun, whatever the limits have become since.
base::Result<void> Engine::Subscription::restore_window(std::uint8_t mode,
                                                        base::ByteReader& reader) {
  using enum match::DistinctMode;
  window_options_.mode = static_cast<match::DistinctMode>(mode);
  const bool is_known = mode <= static_cast<std::uint8_t>(kVerified);
  if (!is_known || (window_options_.mode == kVerified && !window_options_.confirm)) {
    return corrupt_checkpoint(CheckpointKind::kSubscription, "has a window of an unknown kind");
  }
  window_ = match::make_distinct_window(window_options_);
  return window_->restore(reader, restored_at_);
}

base::Result<std::string> Engine::save(SubscriptionId id) const {
  const auto found = find(id);
  if (!found) return found.error();
  return (*found)->save();
}

std::uint64_t Engine::state_revision(SubscriptionId id) const {
  const auto* const found = subscriptions_.find(id);
  return found == nullptr ? 0 : (*found)->revision();
}

std::string Engine::save_text() const {
  base::ByteWriter writer = begin_checkpoint(kTextHead);
  scorer_->save(writer);
  return finish_checkpoint(std::move(writer));
}

std::vector<std::string> Engine::save_text_pieces(std::size_t bytes_max) const {
  std::vector<std::string> pieces;
  std::size_t next = 0;
  do {
    base::ByteWriter writer = begin_checkpoint(kTextHead);
    next = scorer_->save_some(next, bytes_max, writer);
    pieces.push_back(finish_checkpoint(std::move(writer)));
  } while (next < scorer_->corpus_count());
  return pieces;
}

base::Result<void> Engine::restore_text(std::string_view bytes) {
  const auto body = open_checkpoint(kTextHead, bytes);
  if (!body) return body.error();
  base::ByteReader reader(body->bytes);
  if (auto restored = scorer_->restore(text_layout_of(body->version), reader); !restored) {
    return restored.error();
  }
  if (!reader.done()) return corrupt_checkpoint(CheckpointKind::kText, "is malformed");
  return {};
}

}  // namespace weir::engine
