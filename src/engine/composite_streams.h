// SPDX-License-Identifier: Apache-2.0
// CompositeStreams: what subscriptions to several changes read.
//
// A stream is a value in the events that pass the stateless part of a conjunction and the change's
// own condition, through one gate. It is one entry in the matcher, whoever reads it. It has one
// source for each key, which remembers its newest event; a stream without keys has one in all.
//
// Members of a stream with keys are listed in the order in which they came. A source knows how many
// of them it was introduced to: those behind have not been told of its key yet.
//
//   stream  a b c . d e f    . has left
//   key k   ----------^      e and f hear of k with its next reading
//
// Single-threaded.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "engine/composite_member.h"
#include "engine/engine.h"

namespace weir::engine {

class CompositeStreams {
 public:
  // Ids of streams in the matcher, beyond all others.
  static constexpr std::uint64_t kMatcherIdMin = std::uint64_t{3} << 62U;

  struct Source {
    StreamNumber stream = 0;
    std::string key;
    std::size_t use_count = 0;
    std::size_t limited_count = 0;  // of these, in conjunctions with `at most every`
    std::uint64_t introduced = 0;   // members of the stream that ever came and know of the key
    event::EventPtr event;          // the newest
    base::MemoryCharge memory;      // of the event
    std::uint64_t order = 0;
    base::Instant read_at = {};
  };

  CompositeStreams(match::Matcher* matcher, match::WorkMeter* meter)
      : matcher_(matcher), meter_(meter) {}

  // Nothing if its events are beyond the limits of a filter.
  std::optional<StreamNumber> use(const filter::Conjunction& conjunction,
                                  const filter::Change& change,
                                  const std::shared_ptr<const Gate>& gate,
                                  const base::MemoryAccount::Ptr& memory = {},
                                  const match::WorkBudgetPtr& budget = {});
  void release(StreamNumber stream);
  const filter::Change& change(StreamNumber stream) const { return streams_[stream].change; }
  bool admits(StreamNumber stream, const event::Event& event) const;
  std::uint64_t reading_count(StreamNumber stream) const { return streams_[stream].reading_count; }
  void count_reading(StreamNumber stream) { ++streams_[stream].reading_count; }

  // Puts a member on the lists of all its streams, or takes it off.
  void enter(CompositeMember& member);
  void exit(const CompositeMember& member);
  // Calls `tell` with each member of the stream that was not told of the key yet. It may use
  // sources, but no member may come or go.
  template <typename Tell>
  void introduce(StreamNumber stream, std::string_view key, Tell tell);

  // The source of a key is made by its first user and goes with its last one.
  match::SourceNumber use_source(StreamNumber stream, std::string_view key);
  void release_source(match::SourceNumber source);
  std::optional<match::SourceNumber> find_source(StreamNumber stream, std::string_view key) const;
  Source& source(match::SourceNumber number) { return sources_[number]; }
  const std::vector<CompositeMember*>& members(StreamNumber stream) const {
    return streams_[stream].members;
  }
  const base::MemoryAccount::Ptr& memory(StreamNumber stream) const {
    return streams_[stream].memory;
  }
  // Null: nobody limits its work.
  match::WorkBudget* budget(StreamNumber stream) const { return streams_[stream].budget.get(); }
  const Source& source(match::SourceNumber number) const { return sources_[number]; }

  std::size_t size() const { return numbers_.size(); }
  std::size_t memory_bytes() const;

 private:
  struct StreamKey {
    std::string condition;
    std::string value;
    std::string keys;
    const Gate* gate;
    const base::MemoryAccount* memory;
    const match::WorkBudget* budget;

    auto operator<=>(const StreamKey&) const = default;
  };
  struct Stream {
    filter::Change change;  // how it is read
    std::shared_ptr<const Gate> gate;
    base::MemoryAccount::Ptr memory;  // where its events are counted
    match::WorkBudgetPtr budget = {};
    std::map<StreamKey, StreamNumber>::iterator key = {};
    std::size_t use_count = 0;
    std::uint64_t reading_count = 0;
    std::vector<CompositeMember*> members;  // in the order they came; null where one has left
    std::uint64_t gone_count = 0;           // places of members before these
    std::size_t gap_count = 0;
    boost::unordered_flat_map<std::string, match::SourceNumber, base::StringHash, std::equal_to<>>
        sources;  // by key
  };

  StreamNumber add(std::map<StreamKey, StreamNumber>::iterator key, const filter::Change& change,
                   const std::shared_ptr<const Gate>& gate);
  void close_gaps(StreamNumber number);

  match::Matcher* matcher_;
  match::WorkMeter* meter_;
  std::map<StreamKey, StreamNumber> numbers_;
  std::vector<Stream> streams_;  // by number
  std::vector<StreamNumber> free_streams_;
  std::vector<Source> sources_;  // by number
  std::vector<match::SourceNumber> free_sources_;
};

template <typename Tell>
void CompositeStreams::introduce(StreamNumber stream, std::string_view key, Tell tell) {
  const std::vector<CompositeMember*>& members = streams_[stream].members;
  if (members.empty()) return;
  const std::uint64_t gone = streams_[stream].gone_count;
  const auto known = find_source(stream, key);
  const std::uint64_t introduced = known ? std::max(sources_[*known].introduced, gone) : gone;
  for (std::uint64_t i = introduced - gone; i < members.size(); ++i) {
    if (members[i] != nullptr) tell(*members[i]);
  }
  if (const auto made = find_source(stream, key)) {
    sources_[*made].introduced = gone + members.size();
  }
}

}  // namespace weir::engine
