// SPDX-License-Identifier: Apache-2.0
#include "base/nats_server_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "base/check.h"

namespace weir::base {

namespace {

constexpr std::chrono::seconds kPatience(60);
constexpr std::chrono::milliseconds kLookInterval(2);

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool listens(std::uint16_t port) {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  const bool connects =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  return connects;
}

}  // namespace

NatsServer::NatsServer(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)), port_(free_port()) {
  start();
}

std::string NatsServer::url() const { return fmt::format("nats://127.0.0.1:{}", port_); }

void NatsServer::start() {
  std::vector<std::string> words{"nats-server", "-a", "127.0.0.1", "-p", std::to_string(port_)};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int failed =
      ::posix_spawnp(&process_, "nats-server", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  WEIR_CHECK(failed == 0);
  WEIR_CHECK(eventually([this] { return listens(port_); }));
}

void NatsServer::stop() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
}

std::uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  WEIR_CHECK(::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  WEIR_CHECK(::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  ::close(probe);
  return ntohs(address.sin_port);
}

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kLookInterval);
  }
  return true;
}

}  // namespace weir::base
