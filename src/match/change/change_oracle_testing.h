// SPDX-License-Identifier: Apache-2.0
// ChangeOracle: what a ChangeGroup does, by definition: a state for each subscriber and key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/instant.h"
#include "match/change/change_group.h"

namespace weir::match {

class ChangeOracle {
 public:
  // Whom a value is for, and what they were told before.
  using Fired = std::map<std::uint64_t, std::optional<LastDelivery>>;

  explicit ChangeOracle(const ChangeGroupOptions& options) : options_(options) {}

  void join(const ChangeGroup::Joiner& joiner) { subscribers_[joiner.id] = {joiner, {}}; }
  void leave(std::uint64_t id) { subscribers_.erase(id); }
  void move(std::uint64_t id, double to) { subscribers_.at(id).joiner.threshold = to; }
  void forget(std::uint64_t id, const std::string& key);

  Fired update(const std::string& key, double value, base::Instant now);

  struct Due {
    base::Instant at;
    std::string key;
    Fired fired;
  };
  // Whom the newest value of a source is for, once they are no longer held, by now.
  std::optional<Due> advance(base::Instant now);

  std::optional<LastDelivery> last(std::uint64_t id, const std::string& key) const;
  double threshold(std::uint64_t id) const { return subscribers_.at(id).joiner.threshold; }
  std::size_t key_count() const { return newest_.size(); }
  std::size_t size() const { return subscribers_.size(); }
  // A subscriber, by its place in the order of ids.
  std::uint64_t nth(std::size_t n) const;

 private:
  struct State {
    std::optional<LastDelivery> last;
    std::optional<base::Instant> due;  // set while a held reading waits
  };
  struct Subscriber {
    ChangeGroup::Joiner joiner;
    std::map<std::string, State> states;
  };

  void retire(base::Instant now);
  bool wants(const Subscriber& subscriber, const State& state, const Reading& reading) const;
  std::optional<Due> first_due(base::Instant now) const;
  bool read(const Subscriber& subscriber, State& state, double value, base::Instant now) const;

  ChangeGroupOptions options_;
  std::map<std::uint64_t, Subscriber> subscribers_;
  std::map<std::string, Reading> newest_;
};

}  // namespace weir::match
