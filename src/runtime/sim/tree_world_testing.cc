// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/tree_world_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "protocol/tree/messages.h"

namespace weir::runtime::sim {

using base::Duration;
using base::Instant;
using protocol::NodeId;
using protocol::tree::Aggregation;

namespace {

constexpr protocol::MessageKind kNews{.protocol = protocol::ProtocolId::kProbe, .number = 0};

}  // namespace

TreeMember::TreeMember(TreeWorld& world, NodeId self,
                       std::unique_ptr<const protocol::tree::Summary> summary)
    : world_(world),
      self_(self),
      aggregation_(world.options(), std::move(summary)),
      own_(world.summary().identity()) {}

// A user's command is a new own summary of the member; an empty one means: read the view again.
void TreeMember::on_message(Instant now, NodeId source, std::string_view message,
                            protocol::Effects& effects) {
  const Aggregation::Step step{.now = now, .placement = *this, .effects = effects};
  if (source != protocol::kUser) {
    aggregation_.on_message(step, source, message);
  } else if (message.empty()) {
    aggregation_.on_placement(step);
  } else {
    own_ = message;
    aggregation_.set_own(step, own_);
  }
  finish(effects);
}

void TreeMember::on_wake(Instant now, protocol::Effects& effects) {
  aggregation_.on_wake({.now = now, .placement = *this, .effects = effects});
  finish(effects);
}

void TreeMember::finish(protocol::Effects& effects) {
  world_.check(*this, effects);
  if (aggregation_.take_news()) effects.deliver(kNews, aggregation_.result()->summary);
  effects.wake_at(aggregation_.next_wake());
}

std::optional<std::size_t> TreeMember::index() const {
  const std::vector<NodeId>& view = world_.view(self_);
  const auto found = std::ranges::find(view, self_);
  if (found == view.end()) return {};
  return static_cast<std::size_t>(found - view.begin());
}

bool TreeMember::is_home(protocol::Key /*key*/) const { return index() == 0; }

std::optional<NodeId> TreeMember::towards(protocol::Key /*key*/) const {
  const std::optional<std::size_t> at = index();
  if (!at || *at == 0) return {};
  return world_.view(self_)[(*at - 1) / 2];
}

std::uint64_t TreeMember::distance_to(protocol::Key /*key*/) const {
  return index().value_or(std::numeric_limits<std::uint64_t>::max());
}

TreeWorld::TreeWorld(const SimulatorOptions& options, SummaryFactory summary)
    : TreeWorld(options, std::move(summary), [this](NodeId node, std::uint64_t /*seed*/) {
        return std::make_unique<TreeMember>(*this, node, factory_());
      }) {
  has_liars_ = false;
}

TreeWorld::TreeWorld(const SimulatorOptions& options, SummaryFactory summary,
                     Simulator::Factory nodes)
    : factory_(std::move(summary)),
      summary_(factory_()),
      has_liars_(true),
      sim_(options, std::move(nodes)) {}

NodeId TreeWorld::add() { return sim_.add(); }

void TreeWorld::crash(NodeId node) {
  sim_.crash(node);
  down_since_[node] = sim_.now();
}

void TreeWorld::restart(NodeId node, bool keeps_state) {
  down_since_.erase(node);
  if (!keeps_state) end_session(node);
  sim_.restart(node, keeps_state);
}

void TreeWorld::set_view(NodeId node, std::vector<NodeId> view) {
  views_[node] = std::move(view);
  sim_.tell(node, "");
}

void TreeWorld::set_views(const std::vector<NodeId>& view) {
  for (std::uint64_t i = 1; i <= sim_.node_count(); ++i) set_view({i}, view);
}

void TreeWorld::set_own(NodeId node, const std::string& summary) { sim_.tell(node, summary); }

void TreeWorld::run_for(Duration duration) { sim_.run_until(sim_.now() + duration); }

TreeMember& TreeWorld::member(NodeId node) { return dynamic_cast<TreeMember&>(sim_.node(node)); }

std::vector<NodeId> TreeWorld::live() const {
  std::vector<NodeId> nodes;
  for (std::uint64_t i = 1; i <= sim_.node_count(); ++i) {
    if (sim_.is_up({i})) nodes.push_back({i});
  }
  return nodes;
}

Aggregation::Merged TreeWorld::exact() {
  Aggregation::Merged merged{.member_count = 0, .summary = summary_->identity()};
  for (const NodeId node : live()) {
    ++merged.member_count;
    EXPECT_TRUE(summary_->merge(merged.summary, member(node).own(), options_.summary_bytes_max));
  }
  return merged;
}

void TreeWorld::expect_exact() {
  const Aggregation::Merged wanted = exact();
  for (const NodeId node : live()) {
    const Aggregation& aggregation = member(node).aggregation();
    ASSERT_TRUE(aggregation.result()) << "member " << node.value;
    ASSERT_EQ(aggregation.result()->member_count, wanted.member_count) << "member " << node.value;
    ASSERT_EQ(*aggregation.result(), wanted) << "member " << node.value;
  }
}

void TreeWorld::check(const TreeMember& member, const protocol::Effects& effects) {
  note_session(member);
  check_no_cycle(member);
  if (has_liars_) return;
  check_listings(member);
  check_said(member, effects);
}

void TreeWorld::note_session(const TreeMember& member) {
  const Attachment now{member.aggregation().place().parent, member.aggregation().session()};
  if (attachments_[member.self()] == now) return;
  end_session(member.self());
  attachments_[member.self()] = now;
}

void TreeWorld::end_session(NodeId node) {
  session_ends_[{node, attachments_[node].second}] = sim_.now();
}

bool TreeWorld::is_accepted(const TreeMember& child) {
  const std::optional<NodeId> parent = child.aggregation().place().parent;
  if (!parent) return false;
  const auto& children = member(*parent).aggregation().children().map();
  const auto listed = children.find(child.self());
  return listed != children.end() && !listed->second.is_gone &&
         listed->second.session == child.aggregation().session();
}

// A call changes only the links of its own member, so a new cycle goes through it.
void TreeWorld::check_no_cycle(const TreeMember& member) {
  const TreeMember* at = &member;
  for (std::size_t i = 0; is_accepted(*at); ++i) {
    at = &this->member(*at->aggregation().place().parent);
    ASSERT_NE(at, &member) << "a cycle through member " << member.self().value;
    ASSERT_LT(i, sim_.node_count()) << "a cycle above member " << member.self().value;
  }
}

void TreeWorld::check_listings(const TreeMember& member) {
  const Duration delay_max{sim_.network().options().latency_max.nanoseconds +
                           sim_.network().options().reordering_delay_max.nanoseconds};
  for (const auto& [node, child] : member.aggregation().children().map()) {
    if (child.is_gone) continue;
    ASSERT_GT(child.distance, member.aggregation().place().distance);
    std::optional<Instant> ended;
    if (const auto down = down_since_.find(node); down != down_since_.end()) ended = down->second;
    if (attachments_[node] != Attachment{member.self(), child.session}) {
      const auto end = session_ends_.find({node, child.session});
      ASSERT_NE(end, session_ends_.end()) << "member " << node.value << " never had the session";
      ended = end->second;
    }
    if (ended) {
      ASSERT_LE(sim_.now(), *ended + options_.lease + delay_max)
          << "member " << member.self().value << " still lists " << node.value;
    }
  }
}

Aggregation::Merged TreeWorld::merge_of(const TreeMember& member) const {
  Aggregation::Merged merged{.member_count = 1, .summary = member.own()};
  for (const auto& [node, child] : member.aggregation().children().map()) {
    if (child.is_gone) continue;
    merged.member_count += child.member_count;
    EXPECT_TRUE(summary_->merge(merged.summary, child.summary, options_.summary_bytes_max));
  }
  return merged;
}

void TreeWorld::check_said(const TreeMember& member, const protocol::Effects& effects) {
  for (const protocol::Effect& effect : effects.list()) {
    const auto* send = std::get_if<protocol::Send>(&effect);
    if (send == nullptr) continue;
    if (const auto report = protocol::read<protocol::tree::Report>(send->bytes)) {
      const Aggregation::Merged said{.member_count = report->member_count,
                                     .summary = report->summary};
      ASSERT_EQ(said, merge_of(member)) << "reported by member " << member.self().value;
    }
  }
  const Aggregation& aggregation = member.aggregation();
  const protocol::tree::ResultVersion version = aggregation.result_version();
  if (version == std::exchange(versions_[member.self()], version)) return;
  if (aggregation.place().is_root && version.root == member.self()) {
    ASSERT_EQ(*aggregation.result(), merge_of(member)) << "root " << member.self().value;
  }
}

}  // namespace weir::runtime::sim
