// SPDX-License-Identifier: Apache-2.0
#include "cli/publish_command.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"
#include "broker/broker_options.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/filter_loop.h"
#include "cli/line_reader.h"
#include "cli/progress.h"
#include "cli/publisher.h"
#include "event/event_builder.h"
#include "event/json_writer.h"
#include "event/timestamp.h"

namespace weir::cli {
namespace {

// Events that come one by one are sent when none has come for so long.
constexpr base::Duration kLinger = base::Duration::milliseconds(20);

std::string random_id() {
  std::array<unsigned char, 16> bytes = {};
  WEIR_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::string id;
  for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(id), "{:02x}", byte);
  return id;
}

base::Result<event::EventPtr> event_of(const EventOptions& options) {
  event::EventBuilder builder;
  builder.id(options.id.empty() ? random_id() : options.id)
      .source(options.source.empty() ? "/weir/publish" : options.source)
      .type(options.type)
      .time(event::to_string(
          {.seconds = broker::system_now().nanoseconds / 1'000'000'000, .nanoseconds = 0}));
  if (!options.subject.empty()) builder.subject(options.subject);
  if (!options.data.empty()) {
    const auto data = event::JsonDocument::parse(options.data);
    if (!data) return data.error();
    builder.data_json(data->text());
  }
  return builder.build();
}

class PublishRun {
 public:
  PublishRun(const PublishOptions& options, ApiClient& client, Streams& streams)
      : options_(options),
        streams_(streams),
        publisher_(client, {.batch_count = options.batch_count,
                            .retry = options.retry,
                            .on_rejected = [this](std::uint64_t line, const base::Error& error) {
                              base::Error placed = error;
                              if (line > 0) placed.position = base::Position{.line = line};
                              refuse(placed);
                            }}) {}

  int publish_one() {
    auto event = event_of(options_.event);
    if (!event) {
      const bool in_data = event.error().id <= base::ErrorId::kJsonTooLong;
      return report({.error = std::move(event.error()),
                     .what = in_data ? "--data" : "event",
                     .text = in_data ? options_.event.data : std::string()},
                    options_.connection.json, streams_.err);
    }
    what_ = "event";
    auto sent = publisher_.add(0, (*event)->json());
    return end(sent ? publisher_.flush() : std::move(sent));
  }

  int publish_lines() {
    auto source = FileSource::open(options_.input_path);
    if (!source) return report({.error = source.error()}, options_.connection.json, streams_.err);
    what_ = source->name();
    progress_.emplace(streams_.err, Progress::Options{.enabled = ::isatty(STDERR_FILENO) == 1,
                                                      .total_bytes = source->size_bytes()});
    LineReader reader(*source);
    base::Result<void> lingered;
    reader.before_read([&] {
      show_progress(reader);
      if (lingered && !source->wait(kLinger)) lingered = publisher_.flush();
    });
    base::Result<void> done;
    while (done && lingered && !stopped()) {
      const auto more = reader.next();
      if (more && !*more) break;
      if (!more && more.error().id != base::ErrorId::kCliLineTooLong) {
        done = more.error();
      } else {
        done = more ? take_line(reader) : refused(more.error());
      }
    }
    if (done && !lingered) done = std::move(lingered);
    if (done) done = publisher_.flush();
    progress_->clear();
    return end(std::move(done));
  }

 private:
  bool stopped() const { return code_ != kExitOk && !options_.keep_going; }

  base::Result<void> take_line(const LineReader& reader) {
    if (is_blank(reader.line())) return {};
    const auto event = decode_line(reader, {});
    if (!event) return refused(event.error());
    ++event_count_;
    return publisher_.add(reader.line_number(), reader.line());
  }

  base::Result<void> refused(const base::Error& error) {
    ++invalid_count_;
    refuse(error);
    return {};
  }

  // Tells of an event that is not published.
  void refuse(const base::Error& error) {
    if (progress_) progress_->clear();
    const int code = report(file_failure(error, what_), options_.connection.json, streams_.err);
    code_ = options_.keep_going ? exit_code(base::ErrorCode::kInvalidInput) : code;
  }

  void show_progress(const LineReader& reader) {
    if (!progress_->enabled()) return;
    const Publisher::Counts& counts = publisher_.counts();
    progress_->show(steady_now(), {.event_count = event_count_,
                                   .written_count = counts.accepted + counts.duplicates,
                                   .read_bytes = reader.read_bytes()});
  }

  int end(base::Result<void> done) {
    const bool json = options_.connection.json;
    const Publisher::Counts& counts = publisher_.counts();
    const std::uint64_t rejected = counts.rejected + invalid_count_;
    if (!done) {
      code_ = report({.error = std::move(done.error())}, json, streams_.err);
      if (counts.accepted + counts.duplicates + rejected == 0) return code_;
    }
    if (json) {
      std::string out;
      event::JsonObject object(out);
      object.member("accepted", counts.accepted);
      object.member("duplicates", counts.duplicates);
      object.member("rejected", rejected);
      object.member("retries", counts.retries);
      object.close();
      streams_.out.append(out + '\n');
    } else {
      streams_.out.append(fmt::format("{} accepted, {} duplicate{}, {} rejected\n", counts.accepted,
                                      counts.duplicates, counts.duplicates == 1 ? "" : "s",
                                      rejected));
    }
    return finish(code_, json, streams_);
  }

  const PublishOptions& options_;
  Streams& streams_;
  Publisher publisher_;
  std::optional<Progress> progress_;
  std::string what_;
  std::uint64_t event_count_ = 0;
  std::uint64_t invalid_count_ = 0;
  int code_ = kExitOk;
};

}  // namespace

int run_publish(const PublishOptions& options, Streams& streams) {
  auto client = ApiClient::create(options.connection);
  if (!client) return report(client.error(), options.connection.json, streams.err);
  PublishRun run(options, *client, streams);
  return options.event.type.empty() ? run.publish_lines() : run.publish_one();
}

}  // namespace weir::cli
