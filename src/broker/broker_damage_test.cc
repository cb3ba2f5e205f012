// SPDX-License-Identifier: Apache-2.0
// Damage of every kind, in every file, after a stop and after a crash: a broker refuses the
// directory and says where, or everything is as it was. It never goes on in silence without
// something that was confirmed. A repair lists exactly the losses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/prng.h"
#include "base/seed_count_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "broker/directory_files_testing.h"
#include "broker/repair.h"
#include "store/database.h"
#include "store/registry.h"
#include "store/registry_file.h"
#include "store/registry_numbers.h"

namespace weir::broker {
namespace {

const std::array<std::string, 3> kIds = {"a", "b", "c"};

// Collects deliveries until the session ends.
class Collector final : public Consumer {
 public:
  void on_begin(const SessionStart& /*start*/) override {}
  void on_dispatch(std::vector<Dispatch> dispatches) override {
    const std::scoped_lock lock(mutex_);
    for (const Dispatch& dispatch : dispatches) {
      std::string& text = got_[dispatch.number];
      for (const EventText& event : dispatch.events) text += std::string(event.json) + '\n';
    }
  }
  void on_acknowledged(std::uint64_t /*number*/) override {}
  void on_settled(std::vector<std::uint64_t> /*numbers*/) override {}
  void on_end(const base::Error& reason) override {
    const std::scoped_lock lock(mutex_);
    end_ = reason.to_string();
  }

  // Whether there are so many, or no more will come.
  bool has(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    return end_ || got_.size() >= count;
  }
  std::map<std::uint64_t, std::string> got() {
    const std::scoped_lock lock(mutex_);
    return got_;
  }
  std::string end() {
    const std::scoped_lock lock(mutex_);
    return end_.value_or("");
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> got_;  // by number
  std::optional<std::string> end_;
};

// Everything that a broker confirmed, as lines of text.
struct State {
  std::map<std::string, std::map<std::uint64_t, std::string>> deliveries;  // by subscription
  std::map<std::uint64_t, std::string> events;                             // by sequence
  std::set<std::string> rows;       // subscriptions, cursors, tokens
  std::vector<std::string> errors;  // where something could not be read
  bool operator==(const State&) const = default;
};

std::string differences(const State& want, const State& got) {
  std::string text;
  for (const auto& [id, deliveries] : want.deliveries) {
    const auto& found = got.deliveries.at(id);
    for (const auto& [number, content] : deliveries) {
      const auto one = found.find(number);
      if (one == found.end() || one->second != content) {
        text += fmt::format("delivery {} of {}; ", number, id);
      }
    }
    for (const auto& [number, content] : found) {
      if (!deliveries.contains(number)) text += fmt::format("new delivery {} of {}; ", number, id);
    }
  }
  for (const auto& [sequence, json] : want.events) {
    const auto one = got.events.find(sequence);
    if (one == got.events.end() || one->second != json) text += fmt::format("event {}; ", sequence);
  }
  for (const auto& row : want.rows) {
    if (!got.rows.contains(row)) text += "lost " + row + "; ";
  }
  for (const auto& row : got.rows) {
    if (!want.rows.contains(row)) text += "new " + row + "; ";
  }
  return text;
}

class BrokerDamageTest : public testing::Test {
 protected:
  // Copies keep all that they have, so that each start finds the same.
  BrokerOptions options(const std::string& name) {
    const std::uint64_t retention_bytes = name == "data" ? 12'000 : 1'000'000'000;
    return {.directory = directory_ / name,
            .lock_patience = {},
            .shard_count = 2,
            .log = {.segment_bytes = 3000, .retention_bytes = retention_bytes},
            .dedup_window = std::nullopt,
            .retention_interval = base::Duration{5'000'000}};
  }

  // A broker with three subscriptions, tokens and acknowledgements. Retention has removed its first
  // segments. The last events came after the last write to the registry.
  void make_bases() {
    make_tokens();
    TestBroker broker(options("data"));
    ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"b","filters":[{"weir":"change(data.v) > 1"}]})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"data.v > 30"}]})"), "ok");
    publish(broker, 0, 90);
    const auto oldest = directory_ / "data" / "log" / "00000000000000000001.log";
    ASSERT_TRUE(eventually([&] { return !std::filesystem::exists(oldest); }));
    const auto consumer = broker.attach("a");
    ASSERT_TRUE(consumer->wait_count(10));
    broker.session->close();
    ASSERT_EQ(broker.acknowledge("a", consumer->received()[5].number), "ok");
    publish(broker, 90, 26);
    ASSERT_TRUE(eventually([&] { return (*broker).get(everyone(), "b")->counts.pending > 0; }));
    crashed_ = quiet_copy();
    broker.stop();
    stopped_ = read_files(directory_ / "data");
  }

  // A copy of files that nobody writes meanwhile, as after kill -9.
  Files quiet_copy() {
    Files copied;
    EXPECT_TRUE(eventually([&] {
      copied = read_files(directory_ / "data");
      return is_confirmed(copied) && read_files(directory_ / "data") == copied;
    })) << "the broker never rests";
    return copied;
  }

  // A transaction that was not confirmed yet may be lost without a word.
  bool is_confirmed(const Files& files) {
    write_files(files, directory_ / "probe");
    const auto file = directory_ / "probe" / store::kRegistryName;
    const auto numbers = store::read_numbers(file);
    const auto database = store::Database::open(file, {});
    if (!numbers || !*numbers || !database) return false;
    const auto number =
        (*database)->query_integer("SELECT value FROM meta WHERE name = 'transaction_number'");
    return number && static_cast<std::uint64_t>(*number) == (*numbers)->highest();
  }

  void make_tokens() {
    std::filesystem::create_directories(directory_ / "data");
    const auto registry = store::Registry::open(directory_ / "data" / store::kRegistryName).value();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(registry->add_token({.name = fmt::format("token{}", i),
                                       .lookup = fmt::format("lookup{}", i),
                                       .hash = "hash",
                                       .grants = R"({"publish":[{}],"subscribe":[{}]})",
                                       .created = {1}}));
    }
    ASSERT_TRUE(registry->revoke_token("token1").value());
  }

  static void publish(TestBroker& broker, int from, int count) {
    for (int i = from; i < from + count; ++i) {
      ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}","data":{{"v":{},"pad":"{:60}"}}}})", i,
                                           (i * 37) % 91, i)),
                "accepted");
    }
  }

  // Starts a broker on the directory and reads everything; nullopt if it refuses, with the reason.
  std::optional<State> observe(const std::string& name, const State* expected,
                               std::string& refusal) {
    State state;
    {
      auto opened = Broker::open(options(name));
      if (!opened) {
        refusal = base::describe(opened);
        return std::nullopt;
      }
      Broker& broker = **opened;
      for (const std::string& id : kIds) {
        auto consumer = std::make_shared<Collector>();
        const auto session = broker.attach(everyone(), id, std::nullopt, consumer);
        session->add_credit(1'000'000);
        // Deliveries whose event is lost are pending until it is looked for.
        const std::size_t expected_count = expected ? expected->deliveries.at(id).size() : 0;
        EXPECT_TRUE(eventually([&] {
          const auto info = broker.get(everyone(), id);
          const std::size_t count = info ? info->counts.pending : 0;
          return consumer->has(std::max(count, expected_count));
        }));
        state.deliveries[id] = consumer->got();
        if (!consumer->end().empty()) state.errors.push_back(consumer->end());
        session->close();
        if (const auto after = broker.get(everyone(), id)) check_counts(id, after->counts);
      }
      broker.stop();
    }
    read_log(name, state);
    read_registry(name, state);
    return state;
  }

  static void check_counts(const std::string& id, const DeliveryCounts& counts) {
    EXPECT_EQ(counts.deliveries, counts.pending + counts.settled.total()) << id;
  }

  void read_log(const std::string& name, State& state) {
    const auto log = store::EventLog::open(store::posix_file_system(), directory_ / name / "log",
                                           options(name).log);
    if (!log) return state.errors.push_back(base::describe(log));
    for (std::uint64_t i = (*log)->first_sequence(); i < (*log)->next_sequence(); ++i) {
      const auto read = (*log)->read(std::span(&i, 1));
      if (!read) {
        state.errors.push_back(base::describe(read));
      } else if (read->front()) {
        state.events[i] = read->front()->payload;
      }
    }
  }

  void read_registry(const std::string& name, State& state) {
    const auto registry = store::Registry::open(directory_ / name / store::kRegistryName);
    if (!registry) return state.errors.push_back(base::describe(registry));
    const auto contents = (*registry)->contents().value();
    for (const auto& row : contents.subscriptions) {
      state.rows.insert(
          fmt::format("subscription {} {} {} {}", row.number, row.id, row.owner, row.definition));
    }
    for (const auto& row : contents.cursors) {
      const store::SettledCounts& counts = row.counts;
      state.rows.insert(fmt::format("cursor {} {} acknowledged {} dropped {} expired {}",
                                    row.subscription, row.settled_through, counts.acknowledged,
                                    counts.dropped, counts.expired));
    }
    const auto tokens = (*registry)->tokens().value();
    for (const store::TokenRow& token : tokens) {
      state.rows.insert(fmt::format("token {} {} {} revoked {}", token.name, token.lookup,
                                    token.grants, token.revoked));
    }
  }

  base::TemporaryDirectory directory_;
  Files stopped_;
  Files crashed_;
};

// One random damage, and what it was.
std::string damage(Files& files, base::Prng& prng) {
  // Not those that are made again without a loss, and the largest not most of the time.
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) {
    if (name == "lock" || name == "restart" || name.ends_with("-shm")) continue;
    if (!bytes.empty()) names.push_back(name);
  }
  const std::string name = names[prng.below(names.size())];
  std::string& bytes = files[name];
  const std::size_t at = prng.below(bytes.size());
  const std::size_t count = std::min<std::size_t>(1 + prng.below(200), bytes.size() - at);
  switch (prng.below(6)) {
    case 0:
      files.erase(name);
      return fmt::format("{} deleted", name);
    case 1:
      bytes.resize(at);
      return fmt::format("{} cut to {}", name, at);
    case 2:
      bytes.replace(at, count, count, '\0');
      return fmt::format("{} zeroed at {}, {} bytes", name, at, count);
    case 3:
      bytes.insert(at, bytes.substr(at, count));
      return fmt::format("{} twice at {}, {} bytes", name, at, count);
    case 4: {
      const std::size_t to = prng.below(bytes.size());
      const std::string piece = bytes.substr(at, count);
      bytes.replace(to, std::min(piece.size(), bytes.size() - to), piece);
      return fmt::format("{} copied from {} to {}, {} bytes", name, at, to, count);
    }
    default: {
      const auto bit = static_cast<unsigned>(prng.below(8));
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << bit));
      return fmt::format("{} bit {} of {}", name, bit, at);
    }
  }
}

// A file of the directory, and the place in it. Rows that are gone leave no place but the sum.
bool names_the_place(const std::string& message) {
  static const std::regex kPlace(
      "/(registry\\.sqlite|log/)[^ ]*( |: ).*"
      "(offset [0-9]+|page [0-9]+|table [a-z_]+|is missing|ends with transaction [0-9]+|"
      "rows are missing or old|has version [0-9]+)");
  std::string line = message;
  std::ranges::replace(line, '\n', ' ');
  return std::regex_search(line, kPlace);
}

// The list of a repair has every loss, and nothing else.
class RepairCheck {
 public:
  RepairCheck(const State& whole, const State& repaired, const RepairReport& report)
      : whole_(whole), repaired_(repaired), report_(report) {
    for (const auto& [sequence, json] : whole.events) sequences_[json + '\n'] = sequence;
  }

  void run() const {
    for (const auto& [sequence, json] : whole_.events) {
      const auto found = repaired_.events.find(sequence);
      EXPECT_NE(found != repaired_.events.end(), is_event_lost(sequence)) << "event " << sequence;
      if (found != repaired_.events.end()) EXPECT_EQ(found->second, json);
    }
    if (!report_.registry.rows.empty() || report_.registry.transaction_count > 0) return;
    for (const auto& row : whole_.rows) {
      if (!row.starts_with("cursor")) EXPECT_TRUE(repaired_.rows.contains(row)) << row;
    }
    for (const std::string& id : kIds) check_deliveries(id);
  }

 private:
  void check_deliveries(const std::string& id) const {
    const auto& before = whole_.deliveries.at(id);
    const auto& after = repaired_.deliveries.at(id);
    std::map<std::string, std::uint64_t> came;  // number by content
    for (const auto& [number, text] : after) {
      EXPECT_TRUE(came.emplace(text, number).second) << "delivery " << number << " came twice";
      EXPECT_FALSE(is_number_lost(id, number)) << number << " of " << id << " is listed and came";
    }
    std::set<std::string> due;
    for (const auto& [number, text] : before) {
      due.insert(text);
      const std::uint64_t sequence = sequences_.at(text);
      const bool is_last = after.empty() || after.rbegin()->first < number;
      const bool is_listed = is_number_lost(id, number) || is_event_lost(sequence) ||
                             (is_last && is_note_lost(id, sequence));
      // A change is another one without the event before it.
      if (id == "b" && is_any_event_lost()) continue;
      EXPECT_NE(came.contains(text), is_listed) << "delivery " << number << " of " << id;
    }
    if (id == "b" && is_any_event_lost()) return;
    for (const auto& [text, number] : came) {
      EXPECT_TRUE(due.contains(text)) << "delivery " << number << " of " << id << ": " << text;
    }
  }

  bool is_event_lost(std::uint64_t sequence) const {
    return std::ranges::any_of(report_.records, [&](const store::LostRecords& lost) {
      return sequence >= lost.first_sequence && sequence < lost.next_sequence;
    });
  }
  bool is_any_event_lost() const {
    return std::ranges::any_of(report_.records, [](const store::LostRecords& lost) {
      return lost.first_sequence < lost.next_sequence;
    });
  }
  bool is_note_lost(const std::string& id, std::uint64_t sequence) const {
    return std::ranges::any_of(report_.notes, [&](const LostNotes& lost) {
      return (id == "b" || !lost.is_of_states_only) && sequence >= lost.first_sequence &&
             sequence <= lost.last_sequence;
    });
  }
  bool is_number_lost(const std::string& id, std::uint64_t number) const {
    for (const LostDeliveries& lost : report_.deliveries) {
      if (lost.id != id) continue;
      for (const auto& [first, last] : lost.ranges) {
        if (number >= first && number <= last) return true;
      }
    }
    return false;
  }

  const State& whole_;
  const State& repaired_;
  const RepairReport& report_;
  std::map<std::string, std::uint64_t> sequences_;  // by content of a delivery
};

TEST_F(BrokerDamageTest, IsRefusedOrMakesNoDifference) {
  make_bases();
  if (HasFatalFailure()) return;
  std::map<std::string, State> whole;
  for (const auto& [kind, files] : {std::pair("stop", &stopped_), std::pair("kill", &crashed_)}) {
    write_files(*files, directory_ / "copy");
    std::string refusal;
    const auto state = observe("copy", nullptr, refusal);
    ASSERT_TRUE(state) << kind << ": " << refusal;
    ASSERT_TRUE(state->errors.empty()) << state->errors.front();
    ASSERT_GT(state->deliveries.at("a").size(), 26U);
    ASSERT_FALSE(state->deliveries.at("b").empty() || state->deliveries.at("c").empty());
    whole[kind] = *state;
  }
  const std::uint64_t count = base::seed_count({.quick = 60, .full = 1000});
  std::map<std::string, int> verdicts;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    base::Prng prng(seed * 7919);
    const std::string kind = prng.chance(0.5) ? "stop" : "kill";
    Files files = kind == "stop" ? stopped_ : crashed_;
    const std::string what = damage(files, prng);
    SCOPED_TRACE(fmt::format("seed {}, after {}: {}", seed, kind, what));
    write_files(files, directory_ / "copy");
    std::string refusal;
    const auto state = observe("copy", &whole[kind], refusal);
    if (!state) {
      ++verdicts["refused"];
      EXPECT_TRUE(names_the_place(refusal)) << refusal;
      EXPECT_NE(refusal.find("weir doctor"), std::string::npos) << refusal;
      write_files(files, directory_ / "copy");
      const auto repair = repair_directory(directory_ / "copy");
      if (!repair) {
        ++verdicts["beyond repair"];
        EXPECT_THAT(base::describe(repair), testing::HasSubstr("cannot be repaired"));
        // In the log this is only another store's identity: nothing tells which half is right.
        EXPECT_TRUE(!what.starts_with("log/") || what.starts_with("log/IDENTITY"))
            << base::describe(repair);
        continue;
      }
      ++verdicts["repaired"];
      EXPECT_FALSE(repair->originals.empty());
      const auto repaired = observe("copy", nullptr, refusal);
      ASSERT_TRUE(repaired) << refusal;
      const bool is_registry_whole =
          repair->registry.rows.empty() && repair->registry.transaction_count == 0;
      for (const std::string& error : repaired->errors) {
        EXPECT_FALSE(is_registry_whole) << error;
        EXPECT_THAT(error, testing::StartsWith("there is no subscription"));
      }
      RepairCheck(whole[kind], *repaired, *repair).run();
      continue;
    }
    if (!state->errors.empty()) {
      ++verdicts["refused where it is read"];
      for (const std::string& error : state->errors) {
        EXPECT_TRUE(names_the_place(error)) << error;
      }
      continue;
    }
    ++verdicts["no difference"];
    EXPECT_EQ(differences(whole[kind], *state), "") << "silent";
  }
  for (const auto& [verdict, number] : verdicts) {
    fmt::print("{} of {}: {}\n", number, count, verdict);
  }
  EXPECT_GT(verdicts["refused"], 10);
  EXPECT_GT(verdicts["no difference"], 0);
}

}  // namespace
}  // namespace weir::broker
