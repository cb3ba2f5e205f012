// SPDX-License-Identifier: Apache-2.0
#include "cli/publisher.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "broker/broker_options.h"
#include "broker/webhook_policy.h"
#include "cli/progress.h"

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::string_view kTarget = "/events";
constexpr std::string_view kBatchType = "application/cloudevents-batch+json; charset=utf-8";

void pause(base::Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec time{.tv_sec = duration.nanoseconds / kSecond,
                      .tv_nsec = duration.nanoseconds % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

base::Duration retry_after(const server::HttpAnswer& answer) {
  const std::string* const value = answer.find("Retry-After");
  if (value == nullptr) return {};
  return broker::parse_retry_after(*value, broker::system_now()).value_or(base::Duration{});
}

}  // namespace

Publisher::Publisher(ApiClient& client, Options options)
    : client_(client),
      options_(std::move(options)),
      backoff_(static_cast<std::uint64_t>(steady_now().nanoseconds)) {}

base::Result<void> Publisher::add(std::uint64_t line, std::string_view json) {
  if (!items_.empty() && bytes_ + json.size() > options_.batch_bytes) {
    if (auto sent = flush(); !sent) return sent;
  }
  items_.push_back({line, std::string(json)});
  bytes_ += json.size();
  if (items_.size() < options_.batch_count) return {};
  return flush();
}

base::Result<void> Publisher::flush() {
  std::vector<Item> left = std::exchange(items_, {});
  bytes_ = 0;
  const base::Instant since = steady_now();
  while (!left.empty()) {
    auto round = send(std::move(left));
    if (!round) return round.error();
    left = std::move(round->left);
    if (left.empty()) break;
    const base::Duration wait = std::max(round->wait, backoff_.next());
    if (options_.retry < (steady_now() + wait) - since) return std::move(round->error);
    pause(wait);
    ++counts_.retries;
  }
  backoff_.reset();
  return {};
}

base::Result<Publisher::Round> Publisher::send(std::vector<Item> items) {
  std::string body = "[";
  for (const Item& item : items) {
    if (body.size() > 1) body += ',';
    body += item.json;
  }
  body += ']';
  auto answer = client_.request("POST", std::string(kTarget),
                                {{"Content-Type", std::string(kBatchType)}}, std::move(body));
  if (!answer) {
    // One that was never reached is not there.
    if (!reached_ || !is_connection_error(answer.error())) return answer.error();
    return Round{.left = std::move(items), .error = std::move(answer.error())};
  }
  reached_ = true;
  return read_answer(std::move(items), *answer);
}

base::Result<Publisher::Round> Publisher::read_answer(std::vector<Item> items,
                                                      const server::HttpAnswer& answer) {
  const auto document = event::JsonDocument::parse(answer.body);
  const JsonRef results = document ? document->root().member("results") : JsonRef();
  if (!results || results.kind() != JsonKind::kArray) {
    if (answer.status == 200) return strange_answer();
    Problem problem = problem_of("POST", kTarget, answer);
    if (!problem.is_passing()) return std::move(problem.error);
    return Round{
        .left = std::move(items), .error = std::move(problem.error), .wait = retry_after(answer)};
  }
  Round round{.left = {}, .error = strange_answer()};
  std::size_t index = 0;
  results.for_each_element([&](const JsonRef& result) {
    if (index < items.size()) count(result, items[index], round);
    ++index;
  });
  if (index != items.size()) return strange_answer();
  return round;
}

void Publisher::count(const JsonRef& result, Item& item, Round& round) {
  const JsonRef status = result.member("status");
  const std::string_view word =
      status && status.kind() == JsonKind::kString ? status.string() : std::string_view();
  if (word == "accepted") {
    ++counts_.accepted;
  } else if (word == "duplicate") {
    ++counts_.duplicates;
  } else {
    const auto problem = read_problem(result.member("error"));
    if (problem && problem->is_passing()) {
      round.error = problem->error;
      round.left.push_back(std::move(item));
      return;
    }
    ++counts_.rejected;
    if (options_.on_rejected) {
      options_.on_rejected(item.line, problem ? problem->error : strange_answer());
    }
  }
}

}  // namespace weir::cli
