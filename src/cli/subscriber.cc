// SPDX-License-Identifier: Apache-2.0
#include "cli/subscriber.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/progress.h"
#include "cli/text_output.h"

namespace weir::cli {
namespace {

constexpr base::Duration kTick = base::Duration::milliseconds(100);
constexpr std::uint64_t kTickCount = 100;
// A broker gives a sign of life every 15 seconds unless it is told otherwise.
constexpr base::Duration kSilenceMax = base::Duration::seconds(120);

// As a value of JSON: brokers of earlier versions give numbers, and take nothing else.
std::string json_of(const broker::DeliveryId& id) {
  const std::string text = broker::to_string(id);
  return id.incarnation ? fmt::format(R"("{}")", text) : text;
}

base::Error lost(std::string message) {
  return {base::ErrorId::kHttpConnect, std::move(message), std::nullopt};
}

bool may_pass(const Problem& problem) {
  return problem.is_passing() || is_connection_error(problem.error);
}

}  // namespace

Subscriber::Subscriber(const SubscribeOptions& options, bool shared, ApiClient& client,
                       Streams& streams, Signals& signals)
    : options_(options),
      shared_(shared),
      client_(client),
      streams_(streams),
      signals_(signals),
      backoff_(static_cast<std::uint64_t>(steady_now().nanoseconds)),
      ticked_at_(steady_now()) {}

std::string Subscriber::target() const {
  std::string target;
  char separator = '?';
  const auto parameter = [&](std::string_view name, std::string_view value) {
    target += fmt::format("{}{}={}", std::exchange(separator, '&'), name, value);
  };
  if (options_.id.empty()) {
    target = "/stream";
    parameter("filter", percent_encoded(options_.filter));
    // A connection that is made again goes on with new events.
    if (!options_.from.empty() && !written_) {
      parameter("start", percent_encoded(options_.from));
    }
  } else {
    target = subscription_target(options_.id) + "/events";
    if (written_ && !shared_) parameter("last_event_id", broker::to_string(*written_));
  }
  if (options_.connection.json) parameter("envelope", "true");
  return target;
}

base::Result<void> Subscriber::run() {
  auto followed = follow_until_end();
  // What was written is acknowledged also if it could not go on.
  signals_.release();
  auto acknowledged = acknowledge();
  if (!followed) return followed;
  return acknowledged;
}

base::Result<void> Subscriber::follow_until_end() {
  bool reached = false;
  for (;;) {
    base::Error reason = lost("the broker ended the stream");
    stream_.reset();
    auto stream = client_.open_stream(target());
    if (stream) {
      reached = true;
      stream_ = *std::move(stream);
      const auto next = follow(*stream_);
      if (next && *next == Next::kEnd) return {};
      if (!next && !is_connection_error(next.error())) return next.error();
      if (!next) reason = next.error();
    } else {
      Problem problem = problem_of_refusal(stream.error());
      if (!reached || !may_pass(problem)) return std::move(problem.error);
      reason = std::move(problem.error);
    }
    if (!options_.reconnect) return reason;
    const auto next = wait_to_connect(reason);
    if (!next) return next.error();
    if (*next == Next::kEnd) return {};
  }
}

base::Result<Subscriber::Next> Subscriber::wait_to_connect(const base::Error& reason) {
  if (auto next = tick(steady_now()); next && *next == Next::kEnd) return next;
  if (!options_.connection.json && !std::exchange(told_lost_, true)) {
    streams_.err.append(fmt::format("weir: {}; trying again\n", printable(reason.message)));
    streams_.err.flush();
  }
  return signals_.wait(backoff_.next()) ? Next::kEnd : Next::kConnectAgain;
}

base::Result<Subscriber::Next> Subscriber::follow(server::HttpStream& stream) {
  SseReader reader;
  base::Instant heard_at = steady_now();
  for (;;) {
    const auto line = stream.read_line(kTick);
    const base::Instant now = steady_now();
    if (!line && line.error().id != base::ErrorId::kHttpTimeout) return line.error();
    if (line && !*line) return Next::kConnectAgain;
    if (line) {
      heard_at = now;
      if (const auto message = reader.take(**line)) {
        auto next = take(*message);
        if (!next || *next != Next::kGoOn) return next;
      }
    } else if (kSilenceMax < now - heard_at) {
      return lost("the broker has gone silent");
    }
    if (line && unacknowledged_count_ < kTickCount && now - ticked_at_ < kTick) continue;
    auto next = tick(now);
    if (!next || *next != Next::kGoOn) return next;
  }
}

base::Result<Subscriber::Next> Subscriber::take(const SseMessage& message) {
  told_lost_ = false;
  backoff_.reset();
  if (message.type == "error") {
    auto problem = read_problem(message.data);
    if (!problem) return lost("the broker ended the stream: " + message.data);
    if (problem->error.id == base::ErrorId::kBrokerStopping) return Next::kConnectAgain;
    return std::move(problem->error);
  }
  if (message.type == "notice") return take_notice(message.data);
  // A line break can only stand between the tokens of JSON.
  std::string line = message.data;
  std::ranges::replace(line, '\n', ' ');
  streams_.out.append(line + '\n');
  streams_.out.flush();
  if (!options_.id.empty()) {
    written_ = broker::parse_delivery_id(message.id);
    ++unacknowledged_count_;
    if (shared_ && written_) unacknowledged_.push_back(json_of(*written_));
  }
  ++taken_count_;
  return options_.count && taken_count_ >= *options_.count ? Next::kEnd : Next::kGoOn;
}

// The broker has never made the delivery that was written last: the subscription is a new one.
base::Result<Subscriber::Next> Subscriber::take_notice(const std::string& data) {
  written_.reset();
  unacknowledged_count_ = 0;
  if (options_.connection.json) return Next::kGoOn;
  const auto problem = read_problem(data);
  streams_.err.append(
      fmt::format("weir: {}\n", printable(problem ? problem->error.message : data)));
  streams_.err.flush();
  return Next::kGoOn;
}

base::Result<Subscriber::Next> Subscriber::tick(base::Instant now) {
  ticked_at_ = now;
  streams_.out.flush();
  if (streams_.out.ended() || signals_.poll()) return Next::kEnd;
  // If that fails, the next one says it too; what is not acknowledged comes again.
  if (auto done = acknowledge(); !done && !is_connection_error(done.error())) return done.error();
  return Next::kGoOn;
}

base::Result<void> Subscriber::acknowledge() {
  streams_.out.flush();
  if (unacknowledged_count_ == 0 || !written_ || streams_.out.ended()) return {};
  const std::string what =
      shared_ ? fmt::format(R"({{"numbers":[{}]}})", fmt::join(unacknowledged_, ","))
              : fmt::format(R"({{"upto":{}}})", json_of(*written_));
  auto answer = client_.call("POST", subscription_target(options_.id) + "/ack", what);
  if (!answer) return answer.error();
  unacknowledged_count_ = 0;
  unacknowledged_.clear();
  return {};
}

}  // namespace weir::cli
