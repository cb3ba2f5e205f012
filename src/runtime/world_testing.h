// SPDX-License-Identifier: Apache-2.0
// World: members of a cluster, each with a probe, in the simulator or as processes. One suite tests
// the properties that every world must have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runtime {

// A message of a member to its user.
struct Told {
  enum class Kind : std::uint8_t { kStored, kGot, kFailed, kArrived, kSum, kLeft };
  Kind kind = Kind::kStored;
  std::string key;                  // 16 hexadecimal digits; for a cast, all keys
  std::optional<std::string> text;  // for kGot
  std::int64_t number = 0;          // number of a cast, sum, or count of unmoved items
  std::uint64_t member_count = 0;   // for a sum
};

inline constexpr std::size_t kWorldMembers = 3;

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  // Members are 0 to kWorldMembers - 1. A member that was killed or has left may start again.
  virtual void start(std::size_t member) = 0;
  virtual void kill(std::size_t member) = 0;
  virtual void leave(std::size_t member) = 0;

  // Keys are words; the SHA-1 of a word is its place on the ring.
  virtual void put(std::size_t member, const std::string& word, const std::string& text) = 0;
  virtual void get(std::size_t member, const std::string& word) = 0;
  // Casts of a member are numbered from 1 since its start.
  virtual void cast(std::size_t member, const std::vector<std::string>& words) = 0;
  virtual void cast_to_all(std::size_t member) = 0;
  virtual void add(std::size_t member, std::int64_t amount) = 0;
  // A stranger sends these bytes to a member.
  virtual void send_hostile(std::size_t member, const std::string& bytes) = 0;

  // Messages since the last start of the member.
  virtual const std::vector<Told>& told(std::size_t member) = 0;
  // True if that many members are there, each is the settled home of some keys, and no key has two
  // homes.
  virtual bool is_calm(std::size_t member_count) = 0;
  virtual std::uint64_t dropped_count(std::size_t member) = 0;

  // Waits until the condition holds. Returns false after the longest time of the world's own clock.
  virtual bool wait(const std::function<bool()>& holds) = 0;
};

struct WorldKind {
  std::string_view name;
  std::function<std::unique_ptr<World>()> make;
};

std::unique_ptr<World> make_slots_in_simulator();
std::unique_ptr<World> make_chord_in_simulator();
// Runs processes of the program over a nats-server of their own.
std::unique_ptr<World> make_processes(const std::string& program);

}  // namespace weir::runtime
