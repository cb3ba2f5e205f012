// SPDX-License-Identifier: Apache-2.0
#include "cli/member_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/byte_source.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/member_input.h"
#include "cli/member_metrics.h"
#include "cli/member_output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "event/json_writer.h"
#include "protocol/probe/probe_application.h"
#include "protocol/slots/slot_node.h"
#include "runtime/nats/delivery_queue.h"
#include "runtime/nats/nats_runtime.h"

namespace weir::cli {
namespace {

namespace probe = protocol::probe;
namespace slots = protocol::slots;
using base::Duration;
using runtime::nats::NatsOptions;
using runtime::nats::NatsRuntime;

constexpr Duration kLookInterval = Duration::milliseconds(5);
constexpr Duration kMetricsInterval = Duration::seconds(1);
constexpr std::size_t kLineBytesMax = std::size_t{1} << 20U;

NatsOptions nats_options(const MemberOptions& options) {
  NatsOptions nats;
  nats.url = options.url;
  nats.cluster = options.cluster;
  nats.member = options.name;
  return nats;
}

std::unique_ptr<protocol::Node> make_node(const MemberOptions& options) {
  slots::SlotOptions slot_options;
  slot_options.self = runtime::nats::node_id_of(options.name);
  slot_options.name = options.name;
  slot_options.heartbeat_interval = options.heartbeat_interval;
  slot_options.lease = options.lease;
  probe::ProbeOptions probe_options;
  probe_options.retry_interval = options.lease;
  probe_options.sum->renewal_interval = options.heartbeat_interval;
  probe_options.sum->lease = options.lease;
  probe_options.sum->change_interval = std::min(options.heartbeat_interval, Duration::seconds(1));
  const auto seed = static_cast<std::uint64_t>(steady_now().nanoseconds);
  return std::make_unique<slots::SlotNode>(
      slot_options, seed, std::make_unique<probe::ProbeApplication>(probe_options));
}

// One run of the command, from the first line to the last.
class MemberRun {
 public:
  MemberRun(const MemberOptions& options, FileSource& source, Streams& streams)
      : options_(options), source_(source), streams_(streams) {}

  base::Result<void> start() {
    if (auto checked = check(nats_options(options_)); !checked) return checked.error();
    auto started =
        NatsRuntime::start(nats_options(options_), make_node(options_),
                           [this](const protocol::Deliver& deliver) { deliveries_.push(deliver); });
    if (!started) return started.error();
    runtime_ = *std::move(started);
    say_ready();
    return {};
  }

  // Until it has left, or is told to stop.
  base::Result<void> go_on(Signals& signals) {
    while (!is_done_ && !streams_.out.ended()) {
      if (!has_input_) {
        if (signals.wait(kLookInterval)) obey_signal(signals);
      } else {
        if (signals.poll()) obey_signal(signals);
        if (source_.wait(kLookInterval)) read_input();
      }
      write_deliveries();
      if (auto written = write_metrics(); !written) return written;
    }
    return {};
  }

  void stop() {
    runtime_->stop();
    write_deliveries();
  }

 private:
  void say_ready() {
    std::string line;
    event::JsonObject object(line);
    object.member("kind", "ready");
    object.member("cluster", options_.cluster);
    object.member("name", options_.name);
    object.member("id", fmt::format("{:016x}", runtime::nats::node_id_of(options_.name).value));
    object.close();
    streams_.out.append(line + '\n');
    streams_.out.flush();
  }

  // The first asks to leave in good order, the second ends the program.
  void obey_signal(Signals& signals) {
    signals.release();
    leave();
  }

  void leave() { runtime_->tell(encode(slots::Leave{})); }

  // What there is to read, and all lines that it ends. A line without an end may stay for long: the
  // loop must not wait for it.
  void read_input() {
    std::array<char, std::size_t{16} << 10U> bytes{};
    const auto count = source_.read(bytes);
    if (!count) {
      report(file_failure(count.error(), source_.name()), options_.json, streams_.err);
    }
    has_input_ = count && *count > 0;
    rest_.append(bytes.data(), has_input_ ? *count : 0);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      obey(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
    if (!has_input_) obey(rest_);
    if (rest_.size() > kLineBytesMax) drop_line();
  }

  void drop_line() {
    rest_.clear();
    report({.error = {base::ErrorId::kCliLineTooLong,
                      fmt::format("line {} is longer than {} bytes: it is left out",
                                  line_number_ + 1, kLineBytesMax),
                      {}},
            .what = source_.name()},
           options_.json, streams_.err);
  }

  void obey(std::string_view line) {
    ++line_number_;
    auto meaning = input_.read(line);
    if (!meaning) {
      if (meaning.error().position) meaning.error().position->line = line_number_;
      report({.error = std::move(meaning.error()), .what = source_.name()}, options_.json,
             streams_.err);
    } else if (auto* message = std::get_if<std::string>(&*meaning)) {
      runtime_->tell(std::move(*message));
    } else {
      obey(std::get<MemberRequest>(*meaning));
    }
  }

  void obey(MemberRequest request) {
    switch (request) {
      case MemberRequest::kNothing:
        break;
      case MemberRequest::kMembers:
        runtime_->tell(encode(slots::Show{}));
        break;
      case MemberRequest::kSlots:
        streams_.out.append(slots_line(view_));
        break;
      case MemberRequest::kLeave:
        leave();
        break;
      case MemberRequest::kQuit:
        is_done_ = true;
        break;
    }
  }

  void write_deliveries() {
    for (const protocol::Deliver& deliver : deliveries_.take()) {
      streams_.out.append(member_line(deliver, input_));
      if (auto view = protocol::read<slots::View>(deliver.bytes)) view_ = *std::move(view);
      if (protocol::read<slots::Left>(deliver.bytes)) is_done_ = true;
    }
    streams_.out.flush();
  }

  base::Result<void> write_metrics() {
    const base::Instant now = steady_now();
    if (options_.metrics_path.empty() || (metrics_at_ && now < *metrics_at_ && !is_done_)) {
      return {};
    }
    metrics_at_ = now + kMetricsInterval;
    return replace_file(options_.metrics_path, metrics_text(runtime_->stats(), view_));
  }

  const MemberOptions& options_;
  FileSource& source_;
  Streams& streams_;
  MemberInput input_;
  slots::View view_;
  runtime::nats::DeliveryQueue deliveries_;
  std::unique_ptr<NatsRuntime> runtime_;
  std::optional<base::Instant> metrics_at_;
  std::string rest_;  // of the input: a line whose end is still to come
  std::size_t line_number_ = 0;
  bool has_input_ = true;
  bool is_done_ = false;
};

}  // namespace

int run_member(const MemberOptions& options, Streams& streams) {
  auto source = FileSource::open(kStdin);
  if (!source) return report({.error = source.error()}, options.json, streams.err);
  // Before there is any thread, so that all of them leave the signals alone.
  Signals signals({SIGTERM, SIGINT});
  MemberRun run(options, *source, streams);
  if (auto started = run.start(); !started) {
    return report({.error = std::move(started.error())}, options.json, streams.err);
  }
  auto ended = run.go_on(signals);
  run.stop();
  if (!ended) return report({.error = std::move(ended.error())}, options.json, streams.err);
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
