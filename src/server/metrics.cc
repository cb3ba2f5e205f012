// SPDX-License-Identifier: Apache-2.0
#include "server/metrics.h"

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "server/router.h"

namespace weir::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr unsigned kStatusMin = 100;
constexpr unsigned kStatusCount = 500;

constexpr std::array kLatencyBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                       0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   5.0};

constexpr std::array<std::string_view, kLimitCount> kLimitNames = {
    "connection_count_max",
    "connections_per_address_max",
    "header_bytes_max",
    "header_timeout",
    "body_bytes_max",
    "bodies_bytes_max",
    "body_timeout",
    "idle_timeout",
    "write_timeout",
    "authentication_queue_max",
    "websocket_message_bytes_max",
    "websocket_ping_interval",
};

double number(std::uint64_t value) { return static_cast<double>(value); }

MetricFamily family(std::string_view name, std::string_view help, MetricType type) {
  return {.name = std::string(name), .help = std::string(help), .type = type, .metric = {}};
}

ClientMetric sample(double value, std::vector<ClientMetric::Label> labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;
  metric.gauge.value = value;
  return metric;
}

MetricFamily single(std::string_view name, std::string_view help, MetricType type, double value) {
  MetricFamily result = family(name, help, type);
  result.metric.push_back(sample(value));
  return result;
}

MetricFamily by_name(std::string_view name, std::string_view help, std::string_view label,
                     const std::vector<broker::MemoryUse>& uses) {
  MetricFamily result = family(name, help, MetricType::Gauge);
  for (const broker::MemoryUse& use : uses) {
    result.metric.push_back(sample(number(use.bytes), {{std::string(label), use.name}}));
  }
  return result;
}

std::string_view route_name(std::size_t index) {
  return index < routes().size() ? routes()[index].pattern : "none";
}

struct BrokerRow {
  std::string_view name;
  std::string_view help;
  MetricType type;
  std::uint64_t broker::BrokerStats::* member;
};

using Stats = broker::BrokerStats;
constexpr MetricType kCounter = MetricType::Counter;
constexpr MetricType kGauge = MetricType::Gauge;

constexpr std::array kBrokerRows = {
    BrokerRow{"weir_events_received_total", "Events received", kCounter, &Stats::received},
    BrokerRow{"weir_events_accepted_total", "Events written to the log", kCounter,
              &Stats::accepted},
    BrokerRow{"weir_events_duplicate_total", "Events dropped as duplicates", kCounter,
              &Stats::duplicates},
    BrokerRow{"weir_events_rejected_total", "Events invalid, too long or not granted", kCounter,
              &Stats::rejected},
    BrokerRow{"weir_events_unavailable_total", "Events refused for now: they may be sent again",
              kCounter, &Stats::unavailable},
    BrokerRow{"weir_publish_busy_total", "Requests refused by publish_queue_bytes", kCounter,
              &Stats::refused_busy},
    BrokerRow{"weir_publish_blocked_total", "Requests refused by a full blocking outbox", kCounter,
              &Stats::refused_blocked},
    BrokerRow{"weir_commits_total", "Commits of the log", kCounter, &Stats::commits},
    BrokerRow{"weir_commit_failures_total", "Commits that failed", kCounter,
              &Stats::commit_failures},
    BrokerRow{"weir_deliveries_matched_total", "Deliveries put into outboxes", kCounter,
              &Stats::matched},
    BrokerRow{"weir_deliveries_dispatched_total", "Deliveries handed to consumers", kCounter,
              &Stats::dispatched},
    BrokerRow{"weir_deliveries_acknowledged_total", "Deliveries acknowledged", kCounter,
              &Stats::acknowledged},
    BrokerRow{"weir_deliveries_redelivered_total", "Deliveries handed out again", kCounter,
              &Stats::redelivered},
    BrokerRow{"weir_deliveries_dropped_total", "Deliveries dropped by full outboxes", kCounter,
              &Stats::dropped},
    BrokerRow{"weir_deliveries_conflated_total", "Deliveries replaced by newer ones", kCounter,
              &Stats::conflated},
    BrokerRow{"weir_deliveries_expired_total", "Deliveries whose event left the log", kCounter,
              &Stats::expired},
    BrokerRow{"weir_deliveries_withheld_total",
              "Deliveries that the grants of their reader no longer covered", kCounter,
              &Stats::withheld},
    BrokerRow{"weir_deliveries_buried_total", "Deliveries made dead letters", kCounter,
              &Stats::buried},
    BrokerRow{"weir_deliveries_nacked_total", "Deliveries given back by shared consumers", kCounter,
              &Stats::nacked},
    BrokerRow{"weir_deliveries_timed_out_total", "Deliveries not answered in time", kCounter,
              &Stats::timed_out},
    BrokerRow{"weir_transit_waits_total",
              "Times that deliveries waited for memory of streams to be given back", kCounter,
              &Stats::transit_waits},
    BrokerRow{"weir_window_hits_total", "Events dropped by distinct clauses", kCounter,
              &Stats::window_hits},
    BrokerRow{"weir_window_refuted_hits_total", "Hits that the log did not confirm", kCounter,
              &Stats::window_refuted_hits},
    BrokerRow{"weir_window_overflow_total", "Events let through for lack of room in a window",
              kCounter, &Stats::window_overflow},
    BrokerRow{"weir_match_candidates_total", "Conjunctions of filters that events led to", kCounter,
              &Stats::match_candidates},
    BrokerRow{"weir_match_signature_rejects_total", "Of these, stopped by their signatures",
              kCounter, &Stats::match_signature_rejects},
    BrokerRow{"weir_match_verified_total", "Conjunctions looked at in full", kCounter,
              &Stats::match_verified},
    BrokerRow{"weir_match_matches_total", "Conjunctions that held", kCounter,
              &Stats::match_matches},
    BrokerRow{"weir_match_moves_total", "Conjunctions moved to where events lead less often",
              kCounter, &Stats::match_moves},
    BrokerRow{"weir_match_placements_total", "How often such a move of all was begun", kCounter,
              &Stats::match_placements},
    BrokerRow{"weir_text_scanned_total", "Entries read in the index of text predicates", kCounter,
              &Stats::text_scanned},
    BrokerRow{"weir_text_verified_total", "Text predicates whose scores were added up", kCounter,
              &Stats::text_verified},
    BrokerRow{"weir_text_matched_total", "Of these, those that were found", kCounter,
              &Stats::text_matched},
    BrokerRow{"weir_change_readings_total",
              "Readings of change filters that share what they remember", kCounter,
              &Stats::change_readings},
    BrokerRow{"weir_change_quiet_total", "Of these, how many concerned no subscription", kCounter,
              &Stats::change_quiet},
    BrokerRow{"weir_change_fired_total", "Subscriptions that such readings were delivered to",
              kCounter, &Stats::change_fired},
    BrokerRow{"weir_work_steps_total", "Steps of matching that work budgets limit", kCounter,
              &Stats::work_steps},
    BrokerRow{"weir_over_budget_total",
              "Events that were too costly for the filters of an owner, for each owner", kCounter,
              &Stats::over_budget},
    BrokerRow{"weir_dedup_forgotten_total", "Events forgotten early for lack of dedup_keys",
              kCounter, &Stats::dedup_forgotten},
    BrokerRow{"weir_registry_failures_total", "Failed writes of the registry", kCounter,
              &Stats::registry_failures},
    BrokerRow{"weir_checkpoints_total", "Checkpoints written", kCounter, &Stats::checkpoints},
    BrokerRow{"weir_token_read_failures_total", "Failed looks for changed tokens", kCounter,
              &Stats::token_read_failures},
    BrokerRow{"weir_subscriptions_durable", "Durable subscriptions", kGauge,
              &Stats::subscriptions_durable},
    BrokerRow{"weir_subscriptions_ephemeral", "Ephemeral subscriptions", kGauge,
              &Stats::subscriptions_ephemeral},
    BrokerRow{"weir_sessions", "Consumers connected", kGauge, &Stats::sessions},
    BrokerRow{"weir_deliveries_pending", "Deliveries in all outboxes", kGauge, &Stats::pending},
    BrokerRow{"weir_deliveries_in_flight", "Deliveries that shared consumers have", kGauge,
              &Stats::in_flight},
    BrokerRow{"weir_outboxes_blocking", "Full outboxes that block publishers", kGauge,
              &Stats::blocking},
    BrokerRow{"weir_publish_queue_bytes", "Bytes waiting to be written", kGauge,
              &Stats::publish_queue_bytes},
    BrokerRow{"weir_window_keys", "Keys remembered by distinct clauses", kGauge,
              &Stats::window_keys},
    BrokerRow{"weir_window_bytes", "Bytes of memory for them", kGauge, &Stats::window_bytes},
    BrokerRow{"weir_text_filters", "Text predicates in their index", kGauge, &Stats::text_filters},
    BrokerRow{"weir_text_bytes", "Bytes of memory for it", kGauge, &Stats::text_bytes},
    BrokerRow{"weir_match_conjunctions", "Conjunctions of filters in their index", kGauge,
              &Stats::match_conjunctions},
    BrokerRow{"weir_match_unindexed", "Of these, tried on every event", kGauge,
              &Stats::match_unindexed},
    BrokerRow{"weir_match_always", "Of these, such that hold for every event", kGauge,
              &Stats::match_always},
    BrokerRow{"weir_matcher_bytes", "Bytes of memory for the index of filters", kGauge,
              &Stats::matcher_bytes},
    BrokerRow{"weir_change_sources", "Keys of change filters that share what they remember", kGauge,
              &Stats::change_sources},
    BrokerRow{"weir_change_pieces", "Groups of subscriptions with one history there", kGauge,
              &Stats::change_pieces},
    BrokerRow{"weir_change_bytes", "Bytes of memory for that", kGauge, &Stats::change_bytes},
    BrokerRow{"weir_dedup_keys", "Events remembered to drop duplicates", kGauge,
              &Stats::dedup_keys},
    BrokerRow{"weir_dedup_bytes", "Bytes of memory for them", kGauge, &Stats::dedup_bytes},
    BrokerRow{"weir_shard_queue_events", "Events waiting to be matched", kGauge,
              &Stats::shard_queue_events},
    BrokerRow{"weir_shard_queue_bytes", "Bytes of memory for them", kGauge,
              &Stats::shard_queue_bytes},
    BrokerRow{"weir_log_bytes", "Bytes in the log", kGauge, &Stats::log_bytes},
    BrokerRow{"weir_log_first_sequence", "First event in the log", kGauge,
              &Stats::log_first_sequence},
    BrokerRow{"weir_log_next_sequence", "The next event's place", kGauge,
              &Stats::log_next_sequence},
    BrokerRow{"weir_recovered_torn_bytes", "Bytes of a torn tail cut at the start", kGauge,
              &Stats::recovered_torn_bytes},
    BrokerRow{"weir_recovered_events", "Events read again at the start", kGauge,
              &Stats::recovered_events},
    BrokerRow{"weir_recovered_deliveries", "Deliveries found again at the start", kGauge,
              &Stats::recovered_deliveries},
    BrokerRow{"weir_recovered_skipped", "Events skipped because they ended several starts", kGauge,
              &Stats::recovered_skipped},
};

}  // namespace

struct Metrics::Answers {
  explicit Answers(std::size_t route_count) : by_status(route_count * kStatusCount) {}

  MetricFamily requests() const {
    MetricFamily result = family("weir_http_requests_total", "Requests answered", kCounter);
    for (std::size_t i = 0; i < by_status.size(); ++i) {
      const std::uint64_t count = by_status[i].load(std::memory_order_relaxed);
      if (count == 0) continue;
      result.metric.push_back(
          sample(number(count), {{"route", std::string(route_name(i / kStatusCount))},
                                 {"status", fmt::to_string(kStatusMin + i % kStatusCount)}}));
    }
    return result;
  }

  MetricFamily latency() const {
    MetricFamily result = family(
        "weir_http_request_seconds",
        "From a request's header to the end of its answer, without streams", MetricType::Histogram);
    ClientMetric::Histogram histogram;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      histogram.sample_count += buckets[i].load(std::memory_order_relaxed);
      const double bound =
          i < kLatencyBounds.size() ? kLatencyBounds[i] : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back(
          {.cumulative_count = histogram.sample_count, .upper_bound = bound});
    }
    histogram.sample_sum = number(nanoseconds.load(std::memory_order_relaxed)) * 1e-9;
    ClientMetric metric;
    metric.histogram = std::move(histogram);
    result.metric.push_back(std::move(metric));
    return result;
  }

  std::vector<Counter> by_status;
  std::array<Counter, kLatencyBounds.size() + 1> buckets{};
  Counter nanoseconds = 0;
};

std::string_view to_string(Limit limit) { return kLimitNames[static_cast<std::size_t>(limit)]; }

Metrics::Metrics()
    : answers_(std::make_unique<Answers>(routes().size() + 1)),
      errors_(base::error_table().size()) {}
Metrics::~Metrics() = default;

void Metrics::count_answer(std::size_t route_index, unsigned status,
                           std::chrono::nanoseconds latency) {
  const std::size_t place = std::clamp(status, kStatusMin, kStatusMin + kStatusCount - 1);
  add(answers_->by_status[route_index * kStatusCount + place - kStatusMin], 1);
  if (route_index < routes().size() && routes()[route_index].streams) return;
  const double seconds = std::chrono::duration<double>(latency).count();
  const auto* const bound = std::ranges::lower_bound(kLatencyBounds, seconds);
  add(answers_->buckets[static_cast<std::size_t>(bound - kLatencyBounds.begin())], 1);
  add(answers_->nanoseconds, static_cast<std::uint64_t>(latency.count()));
}

void Metrics::count_error(base::ErrorId id) {
  const base::ErrorInfo& info = base::error_info(id);
  if (info.code != base::ErrorCode::kLimit) return;
  add(errors_[static_cast<std::size_t>(&info - base::error_table().data())], 1);
}

void Metrics::count_refused_event(base::ErrorId id) {
  add(id == base::ErrorId::kBrokerBusy ? unavailable_events_ : rejected_events_, 1);
}

broker::BrokerStats Metrics::with_refused_events(broker::BrokerStats stats) const {
  const std::uint64_t rejected = rejected_events_.load();
  const std::uint64_t unavailable = unavailable_events_.load();
  stats.received += rejected + unavailable;
  stats.rejected += rejected;
  stats.unavailable += unavailable;
  return stats;
}

std::string Metrics::text(const broker::BrokerStats& broker, std::size_t body_bytes) const {
  std::vector<MetricFamily> all = {answers_->requests(), answers_->latency()};
  MetricFamily limits =
      family("weir_limit_hits_total", "How often a limit stopped a peer", kCounter);
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    limits.metric.push_back(
        sample(number(limits_[i].load()), {{"limit", std::string(kLimitNames[i])}}));
  }
  all.push_back(std::move(limits));
  MetricFamily errors =
      family("weir_limit_errors_total", "Errors told to a peer for a limit's sake", kCounter);
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    const base::ErrorInfo& info = base::error_table()[i];
    if (info.code != base::ErrorCode::kLimit) continue;
    errors.metric.push_back(sample(number(errors_[i].load()), {{"error", std::string(info.name)}}));
  }
  all.push_back(std::move(errors));
  all.push_back(single("weir_connections_total", "Connections accepted", kCounter,
                       number(connections_.load())));
  all.push_back(single("weir_tokens_refused_total", "Requests with a token that is not valid",
                       kCounter, number(refused_tokens_.load())));
  all.push_back(single("weir_stream_dispatches_total", "Deliveries written to streams", kCounter,
                       number(stream_dispatches_.load())));
  all.push_back(single("weir_stream_bytes_total", "Bytes of deliveries written to streams",
                       kCounter, number(stream_bytes_.load())));
  all.push_back(
      single("weir_connections", "Connections open", kGauge, static_cast<double>(open_.load())));
  all.push_back(single("weir_request_body_bytes", "Bytes of request bodies in memory", kGauge,
                       number(body_bytes)));
  MetricFamily streams = family("weir_streams", "Streams open", kGauge);
  streams.metric.push_back(sample(static_cast<double>(sses_.load()), {{"kind", "sse"}}));
  streams.metric.push_back(
      sample(static_cast<double>(websockets_.load()), {{"kind", "websocket"}}));
  all.push_back(std::move(streams));
  const broker::BrokerStats stats = with_refused_events(broker);
  for (const BrokerRow& row : kBrokerRows) {
    all.push_back(single(row.name, row.help, row.type, number(stats.*row.member)));
  }
  all.push_back(by_name("weir_memory_bytes", "Bytes of memory that are counted", "part",
                        broker.memory_by_part));
  all.push_back(by_name("weir_memory_owner_bytes", "Of these, those of the owners that hold most",
                        "owner", broker.memory_by_owner));
  all.push_back(by_name("weir_log_owner_bytes", "Bytes of events in the log, of the largest owners",
                        "owner", broker.log_by_owner));
  MetricFamily steps = family("weir_clock_steps_total", "Steps of the wall clock", kCounter);
  steps.metric.push_back(sample(number(stats.clock_steps_forward), {{"direction", "forward"}}));
  steps.metric.push_back(sample(number(stats.clock_steps_back), {{"direction", "back"}}));
  all.push_back(std::move(steps));
  all.push_back(single("weir_clock_offset_seconds", "Broker time less the wall clock", kGauge,
                       static_cast<double>(broker.clock_offset.nanoseconds) * 1e-9));
  all.push_back(single("weir_commit_seconds_total", "Time spent in commits", kCounter,
                       number(broker.commit_nanoseconds) * 1e-9));
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace weir::server
