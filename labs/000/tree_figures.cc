// SPDX-License-Identifier: Apache-2.0
// Table 1 and figures 12(a) to 12(c): trees of filters along the clients' addresses.
//
// Trees of two levels have a leaf per client (the paper's "local filters") or per network (the
// first step of the address); those of five levels follow the four steps of the address. All nodes
// have the shape of one filter for all events.
#include <array>
#include <map>
#include <utility>

#include "000/figures.h"
#include "bloom/bloom_tree.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::BloomTree;
using bloom::RefutedMatch;

struct ClientTree {
  bloom::TreeShape shape;
  std::vector<std::uint32_t> leaves;  // by client
};

// Every client hangs below the steps first..last of its path.
ClientTree tree_of(const Workload& workload, std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> parents{0};
  std::vector<std::uint32_t> nodes(workload.clients.size(), 0);
  for (std::size_t step = first; step <= last; ++step) {
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> known;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = first == last && first == kPathLength
                                   ? workload.clients[i]
                                   : client_path(workload.clients[i])[step];
      const auto node = static_cast<std::uint32_t>(parents.size());
      const auto [entry, is_new] = known.try_emplace({nodes[i], name}, node);
      if (is_new) parents.push_back(nodes[i]);
      nodes[i] = entry->second;
    }
  }
  return {bloom::TreeShape::of_parents(std::move(parents)), std::move(nodes)};
}

ClientTree client_leaves(const Workload& workload) {
  return tree_of(workload, kPathLength, kPathLength);
}
ClientTree network_leaves(const Workload& workload) { return tree_of(workload, 0, 0); }
ClientTree five_levels(const Workload& workload) { return tree_of(workload, 0, kPathLength - 1); }

struct TreeRun {
  BloomTree tree;
  std::vector<std::uint64_t> climbs;  // events by levels climbed
  Judgement judgement;
};

TreeRun run(const Workload& workload, const ClientTree& clients, bool dense,
            const bloom::BloomTreeOptions& options = {}) {
  const std::vector<std::uint64_t> distinct = workload.distinct_keys();
  const bloom::ClassicBloom node(shape_for(distinct.size(), kTargets[0], kProbeCount));
  TreeRun result{BloomTree(clients.shape, node, options), {}, {}};
  result.climbs.resize(clients.shape.level_count());
  std::size_t next = 0;
  for (const WorkloadEvent& event : workload.events) {
    const bool is_distinct = next < distinct.size() && event.key == distinct[next];
    if (is_distinct) ++next;
    const std::uint32_t leaf = clients.leaves[event.client_index];
    const bloom::TreeAnswer answer = dense ? result.tree.test_and_set(leaf, event.key)
                                           : result.tree.first_test_then_set(leaf, event.key);
    ++result.climbs[clients.shape.level(leaf) - answer.level];
    result.judgement.add(answer.distinct, is_distinct);
  }
  return result;
}

}  // namespace

bool write_tree_levels(const Lab& lab) {
  CsvFile csv(lab.directory, "tree_levels",
              "workload,leaves,tree,nodes,level,hits,accesses,climbed");
  for (const Workload& workload : lab.web_logs) {
    const std::array<std::pair<const char*, ClientTree>, 3> trees{
        {{"clients", client_leaves(workload)},
         {"networks", network_leaves(workload)},
         {"five levels", five_levels(workload)}}};
    for (const auto& [name, clients] : trees) {
      for (const bool dense : {true, false}) {
        const TreeRun result = run(workload, clients, dense);
        for (std::size_t level = 0; level < result.climbs.size(); ++level) {
          const bloom::TreeLevelCounts& counts = result.tree.counts()[level];
          csv.row(workload.name, name, dense ? "dense" : "sparse", clients.shape.node_count(),
                  level, counts.hit_count, counts.access_count, result.climbs[level]);
        }
      }
    }
  }
  return csv.ok();
}

bool write_top_down(const Lab& lab) {
  CsvFile csv(lab.directory, "top_down",
              "workload,tree,refuted,threshold,false_positives,false_negatives");
  for (const Workload& workload : lab.web_logs) {
    const ClientTree clients = five_levels(workload);
    for (const bool dense : {true, false}) {
      for (const RefutedMatch refuted : {RefutedMatch::kStop, RefutedMatch::kClimb}) {
        for (std::uint32_t level = 0; level <= kPathLength; ++level) {
          const Judgement judgement = run(workload, clients, dense, {level, refuted}).judgement;
          csv.row(workload.name, dense ? "dense" : "sparse",
                  refuted == RefutedMatch::kStop ? "stop" : "climb", level,
                  judgement.false_positives.value(), judgement.false_negatives.value());
        }
      }
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
