// SPDX-License-Identifier: Apache-2.0
#include "000/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "bloom/probe.h"
#include "shared/parse.h"
#include "shared/text_file.h"

namespace weir::lab {
namespace {

bool is_address(std::string_view client) {
  return std::ranges::count(client, '.') == 3 &&
         client.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::vector<std::string_view> labels_of(std::string_view client) {
  std::vector<std::string_view> labels;
  while (!client.empty()) labels.push_back(take_until(client, '.'));
  return labels;
}

}  // namespace

std::vector<std::uint64_t> Workload::distinct_keys() const {
  std::vector<std::uint64_t> keys;
  std::unordered_set<std::uint64_t> seen;
  for (const WorkloadEvent& event : events) {
    if (seen.insert(event.key).second) keys.push_back(event.key);
  }
  return keys;
}

base::Result<Workload> parse_workload(std::string_view name, std::string_view text,
                                      std::size_t event_count_max) {
  Workload workload{.name = std::string(name), .events = {}, .clients = {}};
  std::unordered_map<std::string_view, std::uint32_t> indices;
  while (!text.empty() && workload.events.size() < event_count_max) {
    std::string_view event = take_until(text, '\n');
    const std::string_view client = take_until(event, '\t');
    if (client.empty() || event.empty()) {
      return file_error(
          fmt::format("{}: line {} is not `client TAB event`", name, workload.events.size() + 1));
    }
    const auto index = static_cast<std::uint32_t>(workload.clients.size());
    const auto [entry, is_new] = indices.try_emplace(client, index);
    if (is_new) workload.clients.emplace_back(client);
    workload.events.push_back({base::hash_bytes(event), entry->second});
  }
  if (workload.events.empty()) return file_error(fmt::format("{}: no events", name));
  return workload;
}

base::Result<Workload> read_workload(std::string_view name, const std::string& file_name,
                                     std::size_t event_count_max) {
  const auto text = read_text(file_name);
  if (!text) return text.error();
  return parse_workload(name, *text, event_count_max);
}

std::array<std::string, kPathLength> client_path(std::string_view client) {
  std::vector<std::string_view> labels = labels_of(client);
  if (!is_address(client)) std::ranges::reverse(labels);
  std::array<std::string, kPathLength> path;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::string& step = path[std::min(i, kPathLength - 1)];
    if (!step.empty()) step += '.';
    step += labels[i];
  }
  return path;
}

std::uint64_t rekeyed(std::uint64_t key, std::uint64_t repetition) {
  return repetition == 0 ? key : bloom::mix(key ^ bloom::mix(repetition));
}

}  // namespace weir::lab
