// SPDX-License-Identifier: Apache-2.0
// Aggregation: a spanning tree over the live members, which merges their summaries and gives every
// member the result.
//
// The home of the root key is the root. The parent of any other member is the next member on its
// way there (Placement::towards). A member reports the merged summary of itself and its children
// when it has changed, and otherwise renews its last report. The root's result goes down the same
// links. A lost message is repaired: a renewal names the last report and the last result of the
// child, and the parent answers if it knows others.
//
// Links. A session is one attachment of a child to a parent. The child's distance to the root key
// does not change within it: when distance or parent change, a new session begins. A parent lists a
// child with its session and stated distance, only while the parent's own distance is less. A link
// is accepted if the parent lists the session that the child is in.
//
// No cycle. Let d(m) be the distance that m acts by. For an accepted link from p to its child c, p
// lists c with the distance of c's current session, which is d(c). d(p) is less, because p unlists
// a child as soon as it is not. So distances decrease along accepted links at every instant,
// whatever was lost or is late, and no path of accepted links is a cycle.
//
// Counting. A report holds its sender's own summary once, and the last report of each listed child
// once. A listing that is not accepted (the child crashed, or left and the message was lost) ends
// with its lease. So while ways change, a sum may count members that are gone, count a member again
// for each former parent that lists it or a member above it, or miss members. Summaries for which
// merging twice is merging once (max, or) never exceed what some member had. Once ways no longer
// change, all listings are accepted within one lease, and the result is exact: every member that
// has a way to the root counts once.
//
// When nothing changes, a tree of N members costs N - 1 short messages per renewal interval. A
// change at depth h costs h reports and N - 1 results. A lost report is repaired within one renewal
// interval, a lost result within two.
//
// Liars. A member can misstate its own part and everything merged below it, nothing else.
//
// The host calls on_message, on_wake and on_placement, carries out the effects, and calls on_wake
// no later than next_wake().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "protocol/application.h"
#include "protocol/tree/children.h"
#include "protocol/tree/messages.h"
#include "protocol/tree/options.h"
#include "protocol/tree/summary.h"

namespace weir::protocol::tree {

class Aggregation {
 public:
  using Step = Application::Step;

  // A summary of so many members.
  struct Merged {
    std::uint64_t member_count = 1;
    std::string summary;

    bool operator==(const Merged&) const = default;
  };

  // The place in the tree that this member acts by.
  struct Place {
    bool is_root = false;
    std::optional<NodeId> parent;
    std::uint64_t distance = 0;

    bool operator==(const Place&) const = default;
  };

  // This member's own summary is identity() at first.
  Aggregation(const AggregationOptions& options, std::unique_ptr<const Summary> summary);

  void on_message(const Step& step, NodeId source, std::string_view message);
  void on_wake(const Step& step);
  void on_placement(const Step& step);
  // Requires that the summary is valid and within the limit.
  void set_own(const Step& step, std::string summary);

  base::Instant next_wake() const;
  // Returns true once after each change of the result.
  bool take_news();
  const std::optional<Merged>& result() const { return result_; }
  ResultVersion result_version() const { return result_version_; }

  const Place& place() const { return place_; }
  std::uint64_t session() const { return session_; }  // with the parent
  const Children& children() const { return children_; }

 private:
  void on(const Step& step, NodeId source, const Report& report);
  void on(const Step& step, NodeId source, const Renew& renew);
  void on(const Step& step, NodeId source, const Leave& leave);
  void on(const Step& step, NodeId source, const Again& again);
  void on(const Step& step, NodeId source, const Result& result);
  std::optional<DropReason> refusal(NodeId source, const Report& report);

  // Before an input: updates the place, and ends expired leases.
  void catch_up(const Step& step);
  void begin_session(base::Instant now);
  // After an input: sends a changed report or result, if it is time.
  void flush(const Step& step);
  bool is_held_back() const { return !place_.is_root && !place_.parent; }
  Merged merge_all(const Step& step) const;
  void report(const Step& step, Merged merged);
  void announce(const Step& step, Merged merged);
  void take_result(const Step& step, ResultVersion version, Merged merged);
  void send_result(const Step& step, NodeId node, Child& child);
  void offer_result(const Step& step, NodeId node, Child& child, ResultVersion held);
  bool is_summary(std::string_view summary, std::uint64_t member_count) const;
  std::uint64_t next_number(base::Instant now);

  AggregationOptions options_;
  std::unique_ptr<const Summary> summary_;
  std::string own_;
  Place place_;
  Children children_;

  std::uint64_t last_number_ = 0;  // for sessions, results and their sequence
  std::uint64_t session_ = 0;
  std::uint64_t report_number_ = 0;    // within the session
  std::uint64_t result_sequence_ = 0;  // the last one within the session
  std::optional<Merged> reported_;     // within the session
  bool is_dirty_ = true;               // the merged summary may have changed
  base::Instant change_after_;         // the earliest instant of the next report or result
  base::Instant renew_at_;

  ResultVersion result_version_;
  std::optional<Merged> result_;
  bool has_news_ = false;
};

}  // namespace weir::protocol::tree
