// SPDX-License-Identifier: Apache-2.0
#include "server/served_broker_testing.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "base/check.h"
#include "broker/broker.h"
#include "server/server.h"

namespace weir::server {
namespace {

constexpr std::size_t kOutboxCountMax = 1000;

void subscribe_all(broker::Broker& broker, const std::vector<std::string>& filters) {
  const auto everyone = std::make_shared<const broker::Principal>(
      broker::Principal{.name = {}, .grants = broker::Grants::all()});
  std::vector<std::future<void>> done;
  for (const std::string& filter : filters) {
    auto promise = std::make_shared<std::promise<void>>();
    done.push_back(promise->get_future());
    broker.put(everyone, broker::Definition::of_filter(filter).value(), std::nullopt,
               broker::PutMode::kCreate, [promise](const auto& info) {
                 WEIR_CHECK(info.has_value());
                 promise->set_value();
               });
  }
  for (std::future<void>& one : done) one.get();
}

// The child's whole life: tells its port, and serves until the other side closes.
void serve(const std::filesystem::path& directory, const ServedBrokerOptions& served, int tell,
           int wait) {
  broker::BrokerOptions options{.directory = directory};
  options.definition.outbox_count_max = kOutboxCountMax;
  const auto broker = broker::Broker::open(std::move(options));
  WEIR_CHECK(broker.has_value());
  subscribe_all(**broker, served.filters);
  const auto server = Server::start(
      **broker, {.endpoints = {{.port = 0}}, .io_thread_count = served.io_thread_count});
  WEIR_CHECK(server.has_value());
  const std::uint16_t port = (*server)->ports().front();
  WEIR_CHECK(::write(tell, &port, sizeof port) == sizeof port);
  char none = 0;
  WEIR_CHECK(::read(wait, &none, 1) == 0);
  (*server)->stop(std::chrono::milliseconds(100));
  (*broker)->stop();
}

// Field `index` of /proc/<process>/<file>, counted behind the program's name in parentheses.
std::uint64_t number_of(pid_t process, const char* file, int index) {
  std::ifstream in(fmt::format("/proc/{}/{}", process, file));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t name = text.rfind(')');
  std::size_t place = name == std::string::npos ? 0 : name + 2;
  for (; index > 0; --index) place = text.find(' ', place) + 1;
  return std::stoull(text.substr(place));
}

}  // namespace

base::Duration cpu_time_of(pid_t process) {
  const std::uint64_t ticks = number_of(process, "stat", 11) + number_of(process, "stat", 12);
  const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return base::Duration::milliseconds(static_cast<std::int64_t>(ticks * 1000 / ticks_per_second));
}

std::size_t resident_bytes_of(pid_t process) {
  return number_of(process, "statm", 1) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

ServedBroker::ServedBroker(const ServedBrokerOptions& options) {
  std::array<int, 2> tell{};
  std::array<int, 2> hold{};
  WEIR_CHECK(::pipe(tell.data()) == 0 && ::pipe(hold.data()) == 0);
  process_ = ::fork();
  WEIR_CHECK(process_ >= 0);
  if (process_ == 0) {
    ::close(tell[0]);
    ::close(hold[1]);
    serve(directory_ / "data", options, tell[1], hold[0]);
    std::_Exit(0);
  }
  ::close(tell[1]);
  ::close(hold[0]);
  hold_ = hold[1];
  WEIR_CHECK(::read(tell[0], &port_, sizeof port_) == sizeof port_);
  ::close(tell[0]);
}

ServedBroker::~ServedBroker() {
  ::close(hold_);
  int status = 0;
  ::waitpid(process_, &status, 0);
}

}  // namespace weir::server
