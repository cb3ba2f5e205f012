// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_command.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "cli/corpus_files.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/file_limit.h"
#include "cli/setting_checks.h"
#include "cli/setting_errors.h"
#include "cli/settings_loader.h"
#include "cli/settings_reload.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "server/broker_watch.h"
#include "server/log.h"
#include "server/server.h"
#include "server/stop_limit.h"
#include "server/webhook_sender.h"

namespace weir::cli {
namespace {

using server::LogLevel;

constexpr base::Duration kLookInterval = base::Duration::seconds(1);
constexpr std::chrono::seconds kStopWriteMax(10);  // for the last writes, beside both graces

std::string url_of(const server::Endpoint& endpoint, std::uint16_t port) {
  const bool is_v6 = endpoint.address.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", endpoint.tls ? "https" : "http", is_v6 ? "[" : "",
                     endpoint.address, is_v6 ? "]" : "", port);
}

void warn(const LoadedSettings& loaded, server::Log& log) {
  for (const std::string& warning : loaded.warnings) log.write(LogLevel::kWarning, warning, {});
  for (const server::Endpoint& endpoint : loaded.settings.server.endpoints) {
    if (is_loopback(endpoint.address)) continue;
    if (!endpoint.tls) {
      log.write(LogLevel::kWarning,
                "others may read tokens and events on their way: this address has no TLS",
                {{"address", endpoint.address}});
    }
    if (loaded.settings.server.anonymous == server::Anonymous::kEveryone) {
      log.write(LogLevel::kWarning, "everyone who reaches this address is let in without a token",
                {{"address", endpoint.address}});
    }
  }
}

// Events are in there, and who may read them is decided by grants.
void warn_of_readers(const std::filesystem::path& directory, server::Log& log) {
  using std::filesystem::perms;
  std::error_code failed;
  const perms mode = std::filesystem::status(directory, failed).permissions();
  if (failed || (mode & perms::others_all) == perms::none) return;
  log.write(LogLevel::kWarning,
            "other users of this machine can read the data directory, with all events: expected "
            "mode 0750 or less (chmod)",
            {{"directory", directory.native()},
             {"mode", fmt::format("{:04o}", static_cast<unsigned>(mode))}});
}

void provide_files(Settings& settings, server::Log& log) {
  const std::uint64_t allowed = raise_file_limit();
  const std::uint64_t needed = file_count_max(settings);
  if (!fit_connections(settings, allowed)) return;
  log.write(LogLevel::kWarning,
            "the system allows fewer open files than server.connections, webhooks and the store "
            "may need: fewer connections are accepted, so that the store always has its files; "
            "raise the limit (ulimit -Hn, LimitNOFILE)",
            {{"allowed", allowed},
             {"needed", needed},
             {"connections", settings.server.connection_count_max},
             {"webhook_requests", settings.webhooks.request_count_max},
             {"webhook_idle_connections", settings.webhooks.idle_connection_count_max}});
}

// Ends the process when it does not end by itself. Everything that was confirmed was on disk
// before: the next start finds it, as after a crash.
void give_up(server::Log& log) {
  log.write(LogLevel::kError,
            "cannot stop in time, ends at once: a disk or another thread does not answer; nothing "
            "that was confirmed is lost",
            {});
  std::_Exit(exit_code(base::ErrorCode::kUnavailable));
}

// The broker with what serves it, in the order in which they must end.
class Service {
 public:
  explicit Service(std::shared_ptr<server::Log> log) : log_(std::move(log)) {}

  base::Result<void> start(Settings settings) {
    settings_ = settings;
    auto broker = broker::Broker::open(settings.broker);
    if (!broker) return broker.error();
    broker_ = *std::move(broker);
    watch_.emplace(*broker_, *log_);
    log_recovery();
    warn_of_readers(broker_->options().directory, *log_);
    look();
    settings.webhooks.log = log_;
    settings.webhooks.seed =
        static_cast<std::uint64_t>(settings.webhooks.clocks().wall.nanoseconds);
    auto sender = server::WebhookSender::create(*broker_, settings.webhooks);
    if (!sender) return sender.error();
    sender_ = *std::move(sender);
    broker_->listen_to_sinks(sender_);
    settings.server.log = log_;
    auto server = server::Server::start(*broker_, std::move(settings.server));
    if (!server) return server.error();
    server_ = *std::move(server);
    return {};
  }

  std::string urls() const {
    std::vector<std::string> urls;
    const std::vector<std::uint16_t> ports = server_->ports();
    const std::vector<server::Endpoint>& endpoints = settings_.server.endpoints;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      urls.push_back(url_of(endpoints[i], ports[i]));
    }
    return fmt::format("{}", fmt::join(urls, " "));
  }

  void reload() {
    log_outcome("tokens", broker_->reload_tokens());
    look();
    auto certificates = server_->reload_certificates();
    if (!certificates) certificates = name_setting(certificates.error(), settings_);
    log_outcome("certificates", certificates);
  }

  // Tells the log what goes wrong; to be called every second or so.
  void look() { watch_->look(broker::system_clocks().steady); }

  void stop(std::chrono::milliseconds grace) {
    if (server_) server_->stop(grace);
    if (sender_) {
      broker_->listen_to_sinks(nullptr);
      sender_->stop();
    }
    if (broker_) broker_->stop();
  }

 private:
  void log_recovery() {
    const broker::BrokerStats stats = broker_->stats();
    log_->write(LogLevel::kInfo, "opened",
                {{"directory", broker_->options().directory.native()},
                 {"subscriptions", stats.subscriptions_durable},
                 {"events_replayed", stats.recovered_events},
                 {"deliveries", stats.recovered_deliveries},
                 {"torn_bytes", stats.recovered_torn_bytes},
                 {"log_bytes", stats.log_bytes}});
    if (stats.recovered_torn_bytes > 0) {
      log_->write(LogLevel::kWarning,
                  "cut an unfinished write off the end of the log: nobody was told that its events "
                  "were accepted",
                  {{"bytes", stats.recovered_torn_bytes}});
    }
    if (stats.recovered_skipped == 0) return;
    log_->write(LogLevel::kError,
                "skipped events that ended several starts: see the dead letters of text, change "
                "and distinct subscriptions",
                {{"events", stats.recovered_skipped}});
  }

  void log_outcome(std::string_view what, const base::Result<void>& outcome) {
    if (outcome) {
      log_->write(LogLevel::kInfo, "read again", {{"what", what}});
    } else {
      log_->write(LogLevel::kError, "cannot be read again, all stays as it was",
                  {{"what", what}, {"reason", outcome.error().to_string()}});
    }
  }

  std::shared_ptr<server::Log> log_;
  Settings settings_;
  std::unique_ptr<broker::Broker> broker_;
  std::optional<server::BrokerWatch> watch_;
  std::shared_ptr<server::WebhookSender> sender_;
  std::unique_ptr<server::Server> server_;
};

// Whoever started it waits for this: it is told at every level.
void say_ready(const std::string& urls, const Settings& settings, Output& err) {
  if (settings.log.format == server::LogFormat::kJson) {
    const auto log = server::Log::to_stderr({.format = server::LogFormat::kJson});
    log->write(LogLevel::kInfo, "ready", {{"urls", urls}});
  } else {
    err.append(fmt::format("weir: ready on {}\n", urls));
    err.flush();
  }
}

// Until a signal says to stop.
void obey_signals(Signals& signals, Service& service, SettingsReload& settings_reload,
                  server::Log& log) {
  for (;;) {
    const std::optional<int> number = signals.wait(kLookInterval);
    service.look();
    if (!number) continue;
    if (*number == SIGHUP) {
      settings_reload.run(log);
      service.reload();
      continue;
    }
    log.write(LogLevel::kInfo, "stopping", {{"signal", *number == SIGINT ? "SIGINT" : "SIGTERM"}});
    return;
  }
}

}  // namespace

int run_serve(const ServeOptions& options, Streams& streams) {
  const SettingSources sources = {.config_path = options.config_path,
                                  .environment = process_environment(),
                                  .flags = options.flags};
  auto loaded = load_settings(sources);
  if (!loaded) return report(loaded.error(), options.json, streams.err);
  if (options.print_config) {
    streams.out.append(settings_toml(loaded->settings));
    return finish(kExitOk, options.json, streams);
  }
  auto corpora = read_corpora(loaded->settings.corpus_paths);
  if (!corpora) return report(corpora.error(), options.json, streams.err);
  loaded->settings.broker.engine.corpora = std::move(*corpora);
  const std::shared_ptr<server::Log> log = server::Log::to_stderr(loaded->settings.log);
  // Before there is any thread, so that all of them leave the signals alone.
  Signals signals({SIGTERM, SIGINT, SIGHUP});
  log->write(LogLevel::kInfo, "starting", {{"version", version()}});
  warn(*loaded, *log);
  Settings settings = loaded->settings;
  provide_files(settings, *log);
  std::optional<server::StopLimit> stop_limit;  // outlives the service, whose end may wait too
  Service service(log);
  if (auto started = service.start(std::move(settings)); !started) {
    service.stop(std::chrono::milliseconds(0));
    return report({.error = name_setting(std::move(started.error()), loaded->settings)},
                  options.json, streams.err);
  }
  say_ready(service.urls(), loaded->settings, streams.err);
  SettingsReload settings_reload(sources, loaded->settings);
  obey_signals(signals, service, settings_reload, *log);
  signals.release();
  const std::chrono::nanoseconds broker_grace(loaded->settings.broker.stop_grace.nanoseconds);
  stop_limit.emplace(loaded->settings.stop_grace + broker_grace + kStopWriteMax,
                     [log] { give_up(*log); });
  service.stop(loaded->settings.stop_grace);
  log->write(LogLevel::kInfo, "stopped", {});
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
