// SPDX-License-Identifier: Apache-2.0
#include "engine/composite_streams.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "filter/print.h"

namespace weir::engine {
namespace {

// Which events are readings of the change in the conjunction.
filter::ExprPtr readings_of(const filter::Conjunction& conjunction, const filter::Change& change) {
  std::vector<filter::ExprPtr> terms = {filter::to_expr({conjunction.terms, {}})};
  if (conjunction.terms.empty()) terms.clear();
  if (change.condition != nullptr) terms.push_back(change.condition);
  return filter::make_and(std::move(terms));
}

std::string text_of(const std::vector<filter::Operand>& keys) {
  std::string text;
  for (const filter::Operand& key : keys) text += filter::to_text(key) + ',';
  return text;
}

// Gaps are closed by a look at all sources: not before so many leave that it is little for each.
constexpr std::size_t kSourcesPerGapMax = 64;

SubscriptionId matcher_id(StreamNumber number) {
  return {CompositeStreams::kMatcherIdMin + number};
}

}  // namespace

std::optional<StreamNumber> CompositeStreams::use(const filter::Conjunction& conjunction,
                                                  const filter::Change& change,
                                                  const std::shared_ptr<const Gate>& gate,
                                                  const base::MemoryAccount::Ptr& memory,
                                                  const match::WorkBudgetPtr& budget) {
  const filter::ExprPtr readings = readings_of(conjunction, change);
  const auto [key, is_new] =
      numbers_.emplace(StreamKey{filter::to_text(*readings), filter::to_text(change.value),
                                 text_of(change.keys), gate.get(), memory.get(), budget.get()},
                       0);
  if (is_new) {
    auto filter = filter::Filter::create({.expr = readings, .distinct = {}, .warnings = {}});
    if (!filter) {
      numbers_.erase(key);
      return std::nullopt;
    }
    key->second = add(key, change, gate);
    streams_[key->second].memory = memory;
    streams_[key->second].budget = budget;
    if (budget && match::is_costly(**filter)) meter_->add(matcher_id(key->second), budget);
    matcher_->add(matcher_id(key->second), std::move(*filter));
  }
  ++streams_[key->second].use_count;
  return key->second;
}

StreamNumber CompositeStreams::add(std::map<StreamKey, StreamNumber>::iterator key,
                                   const filter::Change& change,
                                   const std::shared_ptr<const Gate>& gate) {
  if (free_streams_.empty()) {
    free_streams_.push_back(static_cast<StreamNumber>(streams_.size()));
    streams_.emplace_back();
  }
  const StreamNumber number = free_streams_.back();
  free_streams_.pop_back();
  Stream& stream = streams_[number];
  stream.change.value = change.value;
  stream.change.keys = change.keys;
  stream.gate = gate;
  stream.key = key;
  return number;
}

void CompositeStreams::release(StreamNumber number) {
  Stream& stream = streams_[number];
  if (--stream.use_count > 0) return;
  WEIR_CHECK(stream.sources.empty());
  matcher_->remove(matcher_id(number));
  meter_->remove(matcher_id(number));
  numbers_.erase(stream.key);
  stream = {};
  free_streams_.push_back(number);
}

bool CompositeStreams::admits(StreamNumber stream, const event::Event& event) const {
  const std::shared_ptr<const Gate>& gate = streams_[stream].gate;
  return !gate || (*gate)(event);
}

void CompositeStreams::enter(CompositeMember& member) {
  for (const StreamNumber number : member.streams) {
    Stream& stream = streams_[number];
    member.entries.push_back({number, stream.gone_count + stream.members.size()});
    stream.members.push_back(&member);
  }
}

void CompositeStreams::exit(const CompositeMember& member) {
  for (const auto& [number, place] : member.entries) {
    Stream& stream = streams_[number];
    stream.members[place - stream.gone_count] = nullptr;
    ++stream.gap_count;
    if (stream.gap_count == stream.members.size()) {
      stream.gone_count += stream.members.size();
      stream.members.clear();
      stream.gap_count = 0;
    } else if (stream.gap_count > stream.members.size() / 2 &&
               stream.gap_count * kSourcesPerGapMax > stream.sources.size()) {
      close_gaps(number);
    }
  }
}

void CompositeStreams::close_gaps(StreamNumber number) {
  Stream& stream = streams_[number];
  std::vector<std::size_t> places;  // by former place
  std::vector<CompositeMember*> members;
  for (CompositeMember* const member : stream.members) {
    places.push_back(members.size());
    if (member == nullptr) continue;
    const auto entry = std::ranges::find(member->entries, number, &CompositeMember::Entry::stream);
    entry->place = stream.gone_count + members.size();
    members.push_back(member);
  }
  places.push_back(members.size());
  for (const auto& [key, source] : stream.sources) {
    std::uint64_t& introduced = sources_[source].introduced;
    const std::uint64_t gone = stream.gone_count;
    introduced = gone + places[std::max(introduced, gone) - gone];
  }
  stream.members = std::move(members);
  stream.gap_count = 0;
}

match::SourceNumber CompositeStreams::use_source(StreamNumber stream, std::string_view key) {
  if (const auto known = find_source(stream, key)) {
    ++sources_[*known].use_count;
    return *known;
  }
  if (free_sources_.empty()) {
    free_sources_.push_back(static_cast<match::SourceNumber>(sources_.size()));
    sources_.emplace_back();
  }
  const match::SourceNumber number = free_sources_.back();
  free_sources_.pop_back();
  Source& source = sources_[number];
  source.stream = stream;
  source.key = key;
  source.use_count = 1;
  source.memory = base::MemoryCharge(streams_[stream].memory);
  streams_[stream].sources.emplace(source.key, number);
  return number;
}

void CompositeStreams::release_source(match::SourceNumber number) {
  Source& source = sources_[number];
  if (--source.use_count > 0) return;
  streams_[source.stream].sources.erase(source.key);
  source = {};
  free_sources_.push_back(number);
}

std::optional<match::SourceNumber> CompositeStreams::find_source(StreamNumber stream,
                                                                 std::string_view key) const {
  const auto& sources = streams_[stream].sources;
  const auto found = sources.find(key);
  if (found == sources.end()) return std::nullopt;
  return found->second;
}

std::size_t CompositeStreams::memory_bytes() const {
  std::size_t bytes = streams_.capacity() * sizeof(Stream) + sources_.capacity() * sizeof(Source) +
                      free_streams_.capacity() * sizeof(StreamNumber) +
                      free_sources_.capacity() * sizeof(match::SourceNumber);
  for (const auto& [key, number] : numbers_) {
    bytes += sizeof(key) + key.condition.capacity() + key.value.capacity() + key.keys.capacity();
  }
  for (const Stream& stream : streams_) {
    bytes += stream.members.capacity() * sizeof(CompositeMember*) +
             stream.sources.bucket_count() * (sizeof(*stream.sources.begin()) + 1);
  }
  return bytes;
}

}  // namespace weir::engine
