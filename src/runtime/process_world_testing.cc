// SPDX-License-Identifier: Apache-2.0
// A world of `weir member` processes over a nats-server on the loopback.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "base/nats_server_testing.h"
#include "base/temporary_directory_testing.h"
#include "runtime/nats/client.h"
#include "runtime/nats/frame.h"
#include "runtime/world_testing.h"

namespace weir::runtime {
namespace {

constexpr std::chrono::seconds kPatience(60);
constexpr int kLookMs = 5;
// Long enough for an overloaded machine.
constexpr const char* kHeartbeat = "80ms";
constexpr const char* kLease = "900ms";

// Returns the value of "name" in a line of JSON, without quotes.
std::optional<std::string> field(std::string_view line, std::string_view name) {
  const std::string label = fmt::format("\"{}\":", name);
  const std::size_t found = line.find(label);
  if (found == std::string_view::npos) return {};
  std::string_view rest = line.substr(found + label.size());
  if (rest.starts_with('"')) return std::string(rest.substr(1, rest.find('"', 1) - 1));
  return std::string(rest.substr(0, rest.find_first_of(",}")));
}

std::int64_t number(std::string_view line, std::string_view name) {
  const std::string text = field(line, name).value_or("0");
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Told> told_of(std::string_view line) {
  using Kind = Told::Kind;
  static const std::map<std::string, Kind, std::less<>> kKinds{
      {"stored", Kind::kStored},   {"got", Kind::kGot}, {"failed", Kind::kFailed},
      {"arrived", Kind::kArrived}, {"sum", Kind::kSum}, {"left", Kind::kLeft}};
  const auto kind = kKinds.find(field(line, "kind").value_or(""));
  if (kind == kKinds.end()) return {};
  Told told{.kind = kind->second, .key = field(line, "key").value_or(""), .text = {}};
  if (told.kind == Kind::kGot && line.find("\"text\":null") == std::string_view::npos)
    told.text = field(line, "text");
  if (told.kind == Kind::kArrived) {
    const std::size_t keys = line.find("\"keys\":[");
    for (const char c : line.substr(keys + 8, line.find(']', keys) - keys - 8)) {
      if (c != '"' && c != ',') told.key += c;
    }
    told.number = number(line, "cast");
  }
  if (told.kind == Kind::kSum) {
    told.number = number(line, "sum");
    told.member_count = static_cast<std::uint64_t>(number(line, "members"));
  }
  if (told.kind == Kind::kLeft) told.number = number(line, "unmoved");
  return told;
}

// One process with its input and output.
class Process {
 public:
  explicit Process(std::vector<std::string> words) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    WEIR_CHECK(::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    WEIR_CHECK(::posix_spawn(&id_, words[0].c_str(), &actions, nullptr, pointers.data(), environ) ==
               0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Process() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    ::close(in_);
    ::close(out_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(const std::string& line) {
    const std::string bytes = line + '\n';
    WEIR_CHECK(::write(in_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  // Returns the available lines; waits a little for the first.
  std::vector<std::string> read_lines(int timeout_ms) {
    std::vector<std::string> lines;
    pollfd waiting{.fd = out_, .events = POLLIN, .revents = 0};
    while (!is_at_end_ && ::poll(&waiting, 1, timeout_ms) > 0) {
      std::array<char, std::size_t{16} << 10U> bytes{};
      const ssize_t count = ::read(out_, bytes.data(), bytes.size());
      is_at_end_ = count <= 0;
      rest_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      timeout_ms = 0;
    }
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      lines.push_back(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
    return lines;
  }

 private:
  pid_t id_ = 0;
  int in_ = -1;
  int out_ = -1;
  std::string rest_;
  bool is_at_end_ = false;
};

class ProcessWorld : public World {
 public:
  explicit ProcessWorld(std::string program) : program_(std::move(program)) {}

  void start(std::size_t member) override {
    Member& started = members_[member];
    started = {};
    started.process = std::make_unique<Process>(
        std::vector<std::string>{program_, "member", "--nats", server_.url(), "--cluster", "suite",
                                 "--name", name_of(member), "--heartbeat", kHeartbeat, "--lease",
                                 kLease, "--metrics", metrics_path(member)});
  }
  void kill(std::size_t member) override { members_[member].process.reset(); }
  void leave(std::size_t member) override { write(member, "leave"); }

  void put(std::size_t member, const std::string& word, const std::string& text) override {
    write(member, fmt::format("put {} {}", word, text));
  }
  void get(std::size_t member, const std::string& word) override {
    write(member, fmt::format("get {}", word));
  }
  void cast(std::size_t member, const std::vector<std::string>& words) override {
    write(member, fmt::format("cast {}", fmt::join(words, " ")));
  }
  void cast_to_all(std::size_t member) override { write(member, "segment"); }
  void add(std::size_t member, std::int64_t amount) override {
    write(member, fmt::format("add {}", amount));
  }
  void send_hostile(std::size_t member, const std::string& bytes) override {
    nats::NatsOptions options;
    options.url = server_.url();
    options.member = "stranger";
    auto stranger = nats::Client::connect(options, [](std::string_view) {});
    WEIR_CHECK(stranger.has_value());
    const std::string subject =
        fmt::format("weir.suite.node.{:016x}", nats::node_id_of(name_of(member)).value);
    (*stranger)->publish(subject, bytes);
    const auto source = nats::node_id_of("stranger");
    (*stranger)->publish(
        subject,
        encode(nats::Frame{.source = source, .number = ++hostile_number_, .message = bytes}));
  }

  const std::vector<Told>& told(std::size_t member) override { return members_[member].told; }
  bool is_calm(std::size_t member_count) override {
    std::size_t settled_count = 0;
    std::int64_t slot_count = 0;
    for (const Member& member : members_) {
      const bool is_there = field(member.view, "state") == "active";
      if (!member.process || !is_there) continue;
      if (field(member.view, "settled") == "true") ++settled_count;
      slot_count += number(member.view, "slots");
    }
    return settled_count == member_count && slot_count == 1024;
  }
  std::uint64_t dropped_count(std::size_t member) override {
    std::ifstream file(metrics_path(member));
    std::uint64_t count = 0;
    for (std::string line; std::getline(file, line);) {
      const bool counts = line.starts_with("weir_cluster_dropped_total{") ||
                          line.starts_with("weir_cluster_refused_total ");
      if (counts) count += std::stoull(line.substr(line.rfind(' ') + 1));
    }
    return count;
  }

  bool wait(const std::function<bool()>& holds) override {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > until) return false;
      for (Member& member : members_) read(member);
    }
    return true;
  }

 private:
  struct Member {
    std::unique_ptr<Process> process;
    std::vector<Told> told;
    std::string view = "{}";  // the last one that it reported
  };

  static std::string name_of(std::size_t member) { return fmt::format("member-{}", member + 1); }
  std::string metrics_path(std::size_t member) const {
    return (directory_ / fmt::format("metrics-{}", member)).string();
  }

  void write(std::size_t member, const std::string& line) {
    WEIR_CHECK(members_[member].process != nullptr);
    members_[member].process->write(line);
  }
  void read(Member& member) {
    if (!member.process) return;
    for (const std::string& line : member.process->read_lines(kLookMs)) {
      if (field(line, "kind") == "view") member.view = line;
      if (auto told = told_of(line)) {
        if (told->kind == Told::Kind::kLeft) member.view = "{}";
        member.told.push_back(*std::move(told));
      }
    }
  }

  std::string program_;
  base::TemporaryDirectory directory_;
  base::NatsServer server_;
  std::array<Member, kWorldMembers> members_;
  std::uint64_t hostile_number_ = 0;
};

}  // namespace

std::unique_ptr<World> make_processes(const std::string& program) {
  return std::make_unique<ProcessWorld>(program);
}

}  // namespace weir::runtime
