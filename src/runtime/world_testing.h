// SPDX-License-Identifier: Apache-2.0
// World: some members of a cluster with the probe on them, wherever they run, for the one suite of
// properties that all of them must have.
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

// What a member told its user.
struct Told {
  enum class Kind : std::uint8_t { kStored, kGot, kFailed, kArrived, kSum, kLeft };
  Kind kind = Kind::kStored;
  std::string key;                  // 16 hexadecimal digits; of a cast, all of them
  std::optional<std::string> text;  // of what was got
  std::int64_t number = 0;          // of a cast; a sum; what was not moved
  std::uint64_t member_count = 0;   // of a sum
};

inline constexpr std::size_t kWorldMembers = 3;

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  // Members are 0 to kWorldMembers - 1. One that was killed or has left may be started again.
  virtual void start(std::size_t member) = 0;
  virtual void kill(std::size_t member) = 0;
  virtual void leave(std::size_t member) = 0;

  // Keys are words, whose place on the ring is their SHA-1.
  virtual void put(std::size_t member, const std::string& word, const std::string& text) = 0;
  virtual void get(std::size_t member, const std::string& word) = 0;
  // A cast's number is how many casts the member has been told to make since its start.
  virtual void cast(std::size_t member, const std::vector<std::string>& words) = 0;
  virtual void cast_to_all(std::size_t member) = 0;
  virtual void add(std::size_t member, std::int64_t amount) = 0;
  // A stranger sends these bytes to a member.
  virtual void send_hostile(std::size_t member, const std::string& bytes) = 0;

  // Since the member was last started.
  virtual const std::vector<Told>& told(std::size_t member) = 0;
  // So many members are there, each the settled home of some keys, and no key has another one.
  virtual bool is_calm(std::size_t member_count) = 0;
  virtual std::uint64_t dropped_count(std::size_t member) = 0;

  // Time passes until it holds; false if it takes too long, by the world's own clock.
  virtual bool wait(const std::function<bool()>& holds) = 0;
};

struct WorldKind {
  std::string_view name;
  std::function<std::unique_ptr<World>()> make;
};

std::unique_ptr<World> make_slots_in_simulator();
std::unique_ptr<World> make_chord_in_simulator();
// Processes of the program, over a nats-server of their own.
std::unique_ptr<World> make_processes(const std::string& program);

}  // namespace weir::runtime
