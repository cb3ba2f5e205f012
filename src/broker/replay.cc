// SPDX-License-Identifier: Apache-2.0
#include "broker/replay.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "broker/logged_event.h"

namespace weir::broker {
namespace {

// The length of the filter's state in decimal digits, a line feed, that state, that of the texts.
std::string join_states(const Replay::States& states) {
  return fmt::format("{}\n{}{}", states.filter.size(), states.filter, states.text);
}

base::Result<Replay::States> split_states(std::string_view bytes) {
  if (bytes.empty()) return Replay::States{};
  std::size_t length = 0;
  const auto parsed = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
  const auto begin = static_cast<std::size_t>(parsed.ptr - bytes.data()) + 1;
  const bool is_length = parsed.ec == std::errc() && begin <= bytes.size() && *parsed.ptr == '\n';
  if (!is_length || length > bytes.size() - begin) {
    return base::Error{base::ErrorId::kStoreCorrupt, "the state of a replay cannot be read",
                       std::nullopt};
  }
  return Replay::States{std::string(bytes.substr(begin, length)),
                        std::string(bytes.substr(begin + length))};
}

}  // namespace

Replay::Replay(Options options, store::ReplayRow from)
    : options_(std::move(options)), row_(std::move(from)) {}

base::Result<void> Replay::begin() {
  if (engine_) return {};
  const auto states = split_states(row_.state);
  if (!states) return states.error();
  auto engine = std::make_unique<engine::Engine>(options_.engine);
  if (!states->text.empty()) {
    if (auto restored = engine->restore_text(states->text); !restored) return restored;
  }
  engine::SubscribeOptions subscribe = options_.subscribe;
  subscribe.state = states->filter;
  const auto id = engine->subscribe(options_.filter, subscribe);
  if (!id) return id.error();
  id_ = *id;
  engine_ = std::move(engine);
  row_.state.clear();
  reader_.emplace(options_.log.reader(row_.next_sequence));
  return {};
}

base::Result<void> Replay::step(const Bounds& bounds, const Deliver& deliver) {
  if (auto begun = begin(); !begun) return begun;
  std::size_t count = 0;
  while (row_.next_sequence <= bounds.through_sequence && count < bounds.event_count_max) {
    const auto record = reader_->next();
    if (!record) return record.error();
    if (!*record) return {};
    const store::LogRecord& found = **record;
    if (found.kind != store::RecordKind::kEvent || found.sequence < row_.next_sequence) continue;
    if (auto read = read_one(found, deliver); !read) return read;
    ++count;
    if (!bounds.may_go_on()) return {};
  }
  return {};
}

base::Result<void> Replay::read_one(const store::LogRecord& record, const Deliver& deliver) {
  auto event = decode_logged(record);
  if (!event) return event.error();
  while (const std::optional<base::Instant> due = engine_->next_wake()) {
    if (*due > record.at) break;
    hand_out(engine_->advance(*due), *due, deliver);
  }
  hand_out(engine_->publish(*event, record.at), record.at, deliver);
  row_.skipped += record.sequence - row_.next_sequence;
  row_.next_sequence = record.sequence + 1;
  return {};
}

void Replay::hand_out(std::span<const engine::Delivery> deliveries, base::Instant at,
                      const Deliver& deliver) {
  for (const engine::Delivery& delivery : deliveries) deliver(delivery, ++row_.last_delivery, at);
}

base::Result<Replay::States> Replay::states() const {
  if (!engine_) return split_states(row_.state);
  auto filter = engine_->save(id_);
  if (!filter) return filter.error();
  return States{std::move(*filter), engine_->save_text()};
}

base::Result<store::ReplayRow> Replay::save(std::uint64_t subscription) const {
  const auto now = states();
  if (!now) return now.error();
  store::ReplayRow row = row_;
  row.subscription = subscription;
  row.state = join_states(*now);
  return row;
}

}  // namespace weir::broker
