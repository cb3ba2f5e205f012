// SPDX-License-Identifier: Apache-2.0
#include "server/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace weir::server {
namespace {

IpAddress address_of(const addrinfo& entry) {
  IpAddress result;
  result.is_v4 = entry.ai_family == AF_INET;
  if (result.is_v4) {
    sockaddr_in address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::memcpy(result.bytes.data(), &address.sin_addr, sizeof address.sin_addr);
  } else {
    sockaddr_in6 address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::memcpy(result.bytes.data(), &address.sin6_addr, sizeof address.sin6_addr);
  }
  return result;
}

}  // namespace

// One lookup, on the io thread.
struct Resolver::Question {
  Question(const asio::any_io_executor& executor, Hold the_hold)
      : done(executor), hold(std::move(the_hold)) {}

  asio::steady_timer done;
  Hold hold;
  std::optional<Addresses> answer;
};

// Outlives the resolver, for the lookups that do.
struct Resolver::Shared {
  std::mutex mutex;
  bool closed = false;                            // nobody waits for answers any more
  std::set<std::shared_ptr<Question>> questions;  // on the io thread

  void answer(const std::shared_ptr<Question>& question, Addresses addresses) {
    question->answer = std::move(addresses);
    question->done.cancel();
    question->hold.reset();
    questions.erase(question);
  }
};

Resolver::Resolver(asio::any_io_executor executor, LookUp look_up)
    : executor_(std::move(executor)),
      look_up_(std::move(look_up)),
      shared_(std::make_shared<Shared>()) {}

Resolver::~Resolver() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  for (const std::shared_ptr<Question>& question : shared_->questions) question->hold.reset();
  shared_->questions.clear();
}

Task<std::optional<Resolver::Addresses>> Resolver::resolve(const std::string& host,
                                                           Clock::time_point until, Hold hold) {
  const auto question = std::make_shared<Question>(executor_, std::move(hold));
  question->done.expires_at(until);
  // Neither the question nor the io thread may be there any more when the lookup ends.
  auto work = [shared = shared_, weak = std::weak_ptr(question), executor = executor_,
               look_up = look_up_, host] {
    Addresses addresses = look_up(host);
    const std::lock_guard lock(shared->mutex);
    if (shared->closed) return;
    asio::post(executor, [shared, weak, addresses = std::move(addresses)]() mutable {
      if (const auto asked = weak.lock()) shared->answer(asked, std::move(addresses));
    });
  };
  try {
    std::thread(std::move(work)).detach();
  } catch (const std::system_error&) {
    co_return std::nullopt;
  }
  shared_->questions.insert(question);
  NetError ignored;
  co_await question->done.async_wait(to(ignored));
  co_return std::move(question->answer);
}

Resolver::Addresses Resolver::system_look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  Addresses addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    const IpAddress address = address_of(*entry);
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
  }
  ::freeaddrinfo(found);
  return addresses;
}

}  // namespace weir::server
