// SPDX-License-Identifier: Apache-2.0
#include "cli/member_metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/output.h"
#include "protocol/catalogue/kind_name.h"

namespace weir::cli {
namespace {

using protocol::CostTable;
using protocol::DropReason;

void begin(std::string& text, std::string_view name, std::string_view help, std::string_view type) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void single(std::string& text, std::string_view name, std::string_view help, std::string_view type,
            std::uint64_t value) {
  begin(text, name, help, type);
  text += fmt::format("{} {}\n", name, value);
}

void by_kind(std::string& text, std::string_view name, std::string_view help,
             const CostTable& costs, std::uint64_t protocol::Cost::* member) {
  begin(text, name, help, "counter");
  for (const protocol::MessageKind kind : costs.kinds()) {
    text += fmt::format("{}{{kind=\"{}\"}} {}\n", name, protocol::catalogue::kind_name(kind),
                        costs.of(kind).*member);
  }
}

void drops(std::string& text, const CostTable& costs) {
  constexpr std::string_view kName = "weir_cluster_dropped_total";
  begin(text, kName, "Messages that the member ignored", "counter");
  for (std::size_t i = 0; i < protocol::kDropReasonCount; ++i) {
    const auto reason = static_cast<DropReason>(i);
    text +=
        fmt::format("{}{{reason=\"{}\"}} {}\n", kName, to_string(reason), costs.dropped(reason));
  }
}

base::Error file_error(const std::string& path) {
  return {base::ErrorId::kCliFile,
          fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)),
          {}};
}

}  // namespace

std::string metrics_text(const runtime::nats::NatsStats& stats, const protocol::slots::View& view) {
  using protocol::Cost;
  std::string text;
  by_kind(text, "weir_cluster_messages_sent_total", "Messages sent", stats.sent,
          &Cost::message_count);
  by_kind(text, "weir_cluster_bytes_sent_total", "Bytes of them, for each hop", stats.sent,
          &Cost::bytes);
  by_kind(text, "weir_cluster_messages_received_total", "Messages received", stats.received,
          &Cost::message_count);
  by_kind(text, "weir_cluster_bytes_received_total", "Bytes of them", stats.received, &Cost::bytes);
  drops(text, stats.sent);
  single(text, "weir_cluster_refused_total", "NATS messages that were no frames", "counter",
         stats.refused_count);
  single(text, "weir_cluster_unsent_total", "Messages not sent because the server was away",
         "counter", stats.unsent_count);
  single(text, "weir_cluster_too_large_total", "Messages larger than the server takes", "counter",
         stats.too_large_count);
  single(text, "weir_cluster_queue_refused_total", "Messages dropped by the full queue", "counter",
         stats.queue.refused_count);
  single(text, "weir_cluster_disconnects_total", "Connections lost", "counter",
         stats.connection.disconnect_count);
  single(text, "weir_cluster_reconnects_total", "Connections made again", "counter",
         stats.connection.reconnect_count);
  single(text, "weir_cluster_slow_consumer_total", "Times that the client dropped messages",
         "counter", stats.connection.slow_consumer_count);
  single(text, "weir_cluster_client_errors_total", "Other errors that the client told of",
         "counter", stats.connection.error_count);
  single(text, "weir_cluster_queue_messages", "Messages that wait for the member", "gauge",
         stats.queue.length);
  single(text, "weir_cluster_connected", "1 if the NATS server is there", "gauge",
         stats.connection.is_connected ? 1 : 0);
  single(text, "weir_cluster_members", "Active members, as this one knows", "gauge",
         static_cast<std::uint64_t>(std::ranges::count(view.members,
                                                       protocol::slots::MemberState::kActive,
                                                       &protocol::slots::View::Entry::state)));
  single(text, "weir_cluster_slots", "Slots that this member owns", "gauge",
         view.own_slots.count());
  single(text, "weir_cluster_settled", "1 if all members agree on who owns them", "gauge",
         view.is_settled ? 1 : 0);
  return text;
}

base::Result<void> replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return file_error(beside);
  auto written = DescriptorSink(file, beside).write(text);
  ::close(file);
  if (!written) return written.error();
  if (std::rename(beside.c_str(), path.c_str()) != 0) return file_error(path);
  return {};
}

}  // namespace weir::cli
