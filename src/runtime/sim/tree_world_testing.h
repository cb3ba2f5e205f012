// SPDX-License-Identifier: Apache-2.0
// TreeWorld: members with an Aggregation each, on an overlay whose views a test sets.
//
// Each member has a view: an ordered list of members. The first is the root; the member at index
// i > 0 has the parent at (i - 1) / 2 and the distance i. Views may differ and be wrong. A member
// that is not in its own view knows no way. After every call of a member, all promises of
// Aggregation for every instant are checked:
//
//   - no cycle of accepted links; a listed child is further away than its parent
//   - a listing whose child has gone elsewhere, or is down, is not older than a lease and the
//     longest delay of a message
//   - a report or new result holds the sender's own summary once and each listed child's once
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "protocol/node.h"
#include "protocol/placement.h"
#include "protocol/tree/aggregation.h"
#include "protocol/tree/summary.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {

class TreeWorld;

class TreeMember : public protocol::Node, public protocol::Placement {
 public:
  TreeMember(TreeWorld& world, protocol::NodeId self,
             std::unique_ptr<const protocol::tree::Summary> summary);

  void on_message(base::Instant now, protocol::NodeId source, std::string_view message,
                  protocol::Effects& effects) override;
  void on_wake(base::Instant now, protocol::Effects& effects) override;

  protocol::NodeId self() const override { return self_; }
  bool is_home(protocol::Key key) const override;
  std::optional<protocol::NodeId> towards(protocol::Key key) const override;
  std::uint64_t distance_to(protocol::Key key) const override;

  const protocol::tree::Aggregation& aggregation() const { return aggregation_; }
  const std::string& own() const { return own_; }

 private:
  std::optional<std::size_t> index() const;
  void finish(protocol::Effects& effects);

  TreeWorld& world_;
  protocol::NodeId self_;
  protocol::tree::Aggregation aggregation_;
  std::string own_;
};

class TreeWorld {
 public:
  using SummaryFactory = std::function<std::unique_ptr<const protocol::tree::Summary>()>;

  TreeWorld(const SimulatorOptions& options, SummaryFactory summary);
  // With a factory, some nodes may be liars; then only cycles are checked.
  TreeWorld(const SimulatorOptions& options, SummaryFactory summary, Simulator::Factory nodes);

  Simulator& sim() { return sim_; }
  const protocol::tree::AggregationOptions& options() const { return options_; }
  const protocol::tree::Summary& summary() const { return *summary_; }
  std::unique_ptr<const protocol::tree::Summary> make_summary() const { return factory_(); }

  protocol::NodeId add();
  void crash(protocol::NodeId node);
  void restart(protocol::NodeId node, bool keeps_state);
  // Sets the view of one member, or of all.
  void set_view(protocol::NodeId node, std::vector<protocol::NodeId> view);
  void set_views(const std::vector<protocol::NodeId>& view);
  void set_own(protocol::NodeId node, const std::string& summary);
  void run_for(base::Duration duration);

  const std::vector<protocol::NodeId>& view(protocol::NodeId node) { return views_[node]; }
  TreeMember& member(protocol::NodeId node);
  std::vector<protocol::NodeId> live() const;
  // Returns the merged summary of all live members, by definition.
  protocol::tree::Aggregation::Merged exact();
  // True if every live member holds that result.
  void expect_exact();

  // Members call it after each of their calls.
  void check(const TreeMember& member, const protocol::Effects& effects);

 private:
  using Attachment = std::pair<std::optional<protocol::NodeId>, std::uint64_t>;

  void note_session(const TreeMember& member);
  void end_session(protocol::NodeId node);
  void check_no_cycle(const TreeMember& member);
  void check_listings(const TreeMember& member);
  void check_said(const TreeMember& member, const protocol::Effects& effects);
  bool is_accepted(const TreeMember& child);
  protocol::tree::Aggregation::Merged merge_of(const TreeMember& member) const;

  protocol::tree::AggregationOptions options_;
  SummaryFactory factory_;
  std::unique_ptr<const protocol::tree::Summary> summary_;
  std::map<protocol::NodeId, std::vector<protocol::NodeId>> views_;
  std::map<protocol::NodeId, Attachment> attachments_;
  std::map<protocol::NodeId, base::Instant> down_since_;
  std::map<std::pair<protocol::NodeId, std::uint64_t>, base::Instant> session_ends_;
  std::map<protocol::NodeId, protocol::tree::ResultVersion> versions_;
  bool has_liars_ = false;
  Simulator sim_;
};

}  // namespace weir::runtime::sim
