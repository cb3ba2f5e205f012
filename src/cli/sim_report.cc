// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table_output.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "filter/duration.h"
#include "protocol/catalogue/kind_name.h"

namespace weir::cli {

namespace sim = runtime::sim;

namespace {

struct NamedCounts {
  std::string_view name;
  const sim::WorkCounts& counts;
};

std::vector<NamedCounts> all_counts(const sim::Report& report) {
  return {{"lookups", report.lookups},
          {"puts", report.puts},
          {"gets", report.gets},
          {"casts", report.casts}};
}

std::string hash_text(const sim::Report& report) { return fmt::format("{:016x}", report.hash); }

std::string work_text(const sim::Report& report) {
  Table table({"WORK", "ASKED", "ANSWERED", "IN CALM", "ANSWERED", "RIGHT"});
  for (const auto& [name, counts] : all_counts(report)) {
    if (counts.asked == 0) continue;
    table.add({std::string(name), grouped(counts.asked), grouped(counts.answered),
               grouped(counts.calm_asked), grouped(counts.calm_answered),
               grouped(counts.calm_right)});
  }
  return table.to_text();
}

std::string costs_text(const sim::Report& report) {
  Table table({"KIND", "MESSAGES", "HOPS", "BYTES"});
  for (const protocol::MessageKind kind : report.kinds) {
    const protocol::Cost& cost = report.costs.of(kind);
    table.add({protocol::catalogue::kind_name(kind), grouped(cost.message_count),
               grouped(cost.hop_count), grouped(cost.bytes)});
  }
  for (std::size_t i = 0; i < protocol::kDropReasonCount; ++i) {
    const auto reason = static_cast<protocol::DropReason>(i);
    if (report.costs.dropped(reason) == 0) continue;
    table.add({fmt::format("dropped: {}", to_string(reason)), grouped(report.costs.dropped(reason)),
               "", ""});
  }
  return table.to_text();
}

std::string verdicts_text(const SimRun& run) {
  Table table({"CHECK", "VERDICT", "FOUND"});
  for (const sim::Verdict& verdict : run.report.verdicts) {
    table.add({verdict.check, verdict.holds ? "holds" : "FAILS", verdict.detail});
  }
  if (run.is_repeated) {
    table.add({"same hash when run again", run.is_same ? "holds" : "FAILS", hash_text(run.report)});
  }
  return table.to_text();
}

void append_json(const sim::Verdict& verdict, std::string& out) {
  event::JsonObject object(out);
  object.member("check", verdict.check);
  object.member("holds", verdict.holds);
  object.member("found", verdict.detail);
  object.close();
}

void append_json(const sim::WorkCounts& counts, std::string& out) {
  event::JsonObject object(out);
  object.member("asked", counts.asked);
  object.member("answered", counts.answered);
  object.member("calm_asked", counts.calm_asked);
  object.member("calm_answered", counts.calm_answered);
  object.member("calm_right", counts.calm_right);
  object.close();
}

void append_json(const sim::Sample& sample, std::string& out) {
  event::JsonObject object(out);
  object.member("at", filter::to_text(sample.at));
  object.member("up", sample.up_count);
  object.member("unsettled", sample.unsettled_count);
  object.close();
}

template <typename Items, typename Append>
void append_list(const Items& items, std::string& out, Append append) {
  out += '[';
  bool is_first = true;
  for (const auto& item : items) {
    if (!std::exchange(is_first, false)) out += ',';
    append(item);
  }
  out += ']';
}

void append_costs(const sim::Report& report, std::string& out) {
  append_list(report.kinds, out, [&](protocol::MessageKind kind) {
    const protocol::Cost& cost = report.costs.of(kind);
    event::JsonObject object(out);
    object.member("kind", protocol::catalogue::kind_name(kind));
    object.member("messages", cost.message_count);
    object.member("hops", cost.hop_count);
    object.member("bytes", cost.bytes);
    object.close();
  });
}

void append_drops(const sim::Report& report, std::string& out) {
  event::JsonObject object(out);
  for (std::size_t i = 0; i < protocol::kDropReasonCount; ++i) {
    const auto reason = static_cast<protocol::DropReason>(i);
    object.member(to_string(reason), report.costs.dropped(reason));
  }
  object.close();
}

void append_measured(const sim::Report& report, event::JsonObject& object, std::string& out) {
  object.member("length", filter::to_text(report.length));
  object.member("members", report.member_count);
  object.member("up", report.up_count);
  object.member("messages", report.message_count);
  for (const auto& [name, counts] : all_counts(report)) {
    object.name(name);
    append_json(counts, out);
  }
  object.member("adds", report.add_count);
  object.member("mean_hops", report.mean_hops());
  object.name("hops");
  append_list(report.hops_histogram, out,
              [&](std::uint64_t count) { out += std::to_string(count); });
  object.name("costs");
  append_costs(report, out);
  object.name("dropped");
  append_drops(report, out);
  object.name("samples");
  append_list(report.samples, out, [&](const sim::Sample& sample) { append_json(sample, out); });
}

void append_json(const SimRun& run, std::string& out) {
  event::JsonObject object(out);
  object.member("name", run.report.name);
  object.member("seed", run.report.seed);
  object.member("hash", hash_text(run.report));
  object.member("holds", run.holds());
  object.member("repeated", run.is_repeated);
  object.member("same_when_repeated", run.is_same);
  object.member("cpu_seconds", run.cpu_seconds);
  append_measured(run.report, object, out);
  object.name("checks");
  append_list(run.report.verdicts, out,
              [&](const sim::Verdict& verdict) { append_json(verdict, out); });
  if (!run.trace.empty()) object.member("trace", run.trace);
  object.close();
}

}  // namespace

std::string details_text(const SimRun& run) {
  const sim::Report& report = run.report;
  std::string out =
      fmt::format("{}, seed {}: {} of {} members up after {}, {} messages heard\n", report.name,
                  report.seed, grouped(report.up_count), grouped(report.member_count),
                  filter::to_text(report.length), grouped(report.message_count));
  if (std::ranges::any_of(all_counts(report),
                          [](const NamedCounts& named) { return named.counts.asked > 0; })) {
    out += "\n" + work_text(report);
  }
  if (!report.hops_histogram.empty()) {
    out += fmt::format("hops of lookups in calm: mean {:.3f}\n", report.mean_hops());
  }
  out += "\n" + costs_text(report);
  if (!report.verdicts.empty() || run.is_repeated) out += "\n" + verdicts_text(run);
  return out;
}

std::string summary_text(const std::vector<SimRun>& runs) {
  Table table({"SCENARIO", "SEED", "MESSAGES", "CPU", "HASH", "VERDICT"});
  for (const SimRun& run : runs) {
    std::string verdict = run.holds() ? "holds" : "FAILS";
    for (const sim::Verdict& check : run.report.verdicts) {
      if (!check.holds) verdict += " " + check.check;
    }
    if (!run.is_same) verdict += " same hash when run again";
    if (run.is_repeated && run.is_same) verdict += ", run twice";
    table.add({run.report.name, std::to_string(run.report.seed), grouped(run.report.message_count),
               fmt::format("{:.2f} s", run.cpu_seconds), hash_text(run.report), verdict});
  }
  const auto holding = std::ranges::count_if(runs, &SimRun::holds);
  return table.to_text() + fmt::format("{} of {} runs hold\n", holding, runs.size());
}

std::string to_json(const std::vector<SimRun>& runs) {
  std::string out;
  event::JsonObject object(out);
  object.member("holds", std::ranges::all_of(runs, &SimRun::holds));
  object.name("runs");
  append_list(runs, out, [&](const SimRun& run) { append_json(run, out); });
  object.close();
  out += '\n';
  return out;
}

}  // namespace weir::cli
