// SPDX-License-Identifier: Apache-2.0
// Aggregation: a spanning tree over the live members, and a summary of all of them that every one
// gets.
//
// The home of the root key is the root; the parent of any other member is the next on its way there
// (Placement::towards). A member reports the merged summary of itself and its children when that
// has changed, otherwise only that it is still there; the root's result goes down the same links.
// Nothing that was lost stays lost: a child's renewal says which report and which result were the
// last, and the parent answers if it knows otherwise.
//
// Links. A session is one attachment of a child to a parent, in which the child's distance to the
// root key does not change: when distance or parent change, a new session begins. A parent lists a
// child by its session and stated distance, only while its own distance is less; a link is accepted
// if the parent lists the session that the child is in.
//
// No cycle. Let d(m) be the distance that m acts by. For an accepted link from p to its child c, p
// lists c with the distance of c's present session, which is d(c), and d(p) is less than that, as p
// unlists a child as soon as it is not. Along accepted links distances so decrease at every
// instant, whatever was lost or is late, and no path of them comes back to where it began.
//
// What is counted. A report holds its sender's own summary once, and once what each child listed
// there last reported. A listing that is not accepted (its child went elsewhere and the leave was
// lost, or crashed) ends with the lease: while ways change, a sum may therefore count members that
// are gone, count one once more for each former parent that lists it or someone above it, or miss
// some; summaries for which merging twice is merging once (max, or) never hold more than what some
// member had. Once ways no longer change, all listings are accepted ones within a lease, and then
// the result is exact: every member that has a way to the root counts once.
//
// When nothing changes, a tree of N members costs N - 1 short messages per renewal interval. A
// change at depth h costs h reports and N - 1 results. A lost report is made good within a renewal
// interval, a lost result within two.
//
// Liars. A member can misstate its own part and whatever is merged below it, nothing else.
//
// The host hands in what happens, carries the effects out, and calls on_wake at next_wake() or
// before.
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

  // A summary and the number of members that it is of.
  struct Merged {
    std::uint64_t member_count = 1;
    std::string summary;

    bool operator==(const Merged&) const = default;
  };

  // Where this member stands, as it acts by.
  struct Place {
    bool is_root = false;
    std::optional<NodeId> parent;
    std::uint64_t distance = 0;

    bool operator==(const Place&) const = default;
  };

  // This member's own summary is the neutral one at first.
  Aggregation(const AggregationOptions& options, std::unique_ptr<const Summary> summary);

  void on_message(const Step& step, NodeId source, std::string_view message);
  void on_wake(const Step& step);
  void on_placement(const Step& step);
  // Requires that the summary is valid and within the limit.
  void set_own(const Step& step, std::string summary);

  base::Instant next_wake() const;
  // Tells once that the result has changed.
  bool take_news();
  const std::optional<Merged>& result() const { return result_; }
  ResultVersion result_version() const { return result_version_; }

  const Place& place() const { return place_; }
  std::uint64_t session() const { return session_; }  // with the parent
  const Children& children() const { return children_; }

 private:
  void hear(const Step& step, NodeId source, const Report& report);
  void hear(const Step& step, NodeId source, const Renew& renew);
  void hear(const Step& step, NodeId source, const Leave& leave);
  void hear(const Step& step, NodeId source, const Again& again);
  void hear(const Step& step, NodeId source, const Result& result);
  std::optional<DropReason> refusal(NodeId source, const Report& report);

  // Before an input: nothing is done by a place or a lease that is no more.
  void catch_up(const Step& step);
  void begin_session(base::Instant now);
  // After an input: says what has changed, if it is time.
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

  std::uint64_t last_number_ = 0;  // of sessions, results and their sequence
  std::uint64_t session_ = 0;
  std::uint64_t report_number_ = 0;    // within the session
  std::uint64_t result_sequence_ = 0;  // the last heard within the session
  std::optional<Merged> reported_;     // within the session
  bool is_dirty_ = true;               // something may have to be said
  base::Instant change_after_;         // not before
  base::Instant renew_at_;

  ResultVersion result_version_;
  std::optional<Merged> result_;
  bool has_news_ = false;
};

}  // namespace weir::protocol::tree
