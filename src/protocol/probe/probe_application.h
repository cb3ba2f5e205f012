// SPDX-License-Identifier: Apache-2.0
// ProbeApplication: the application that scenarios and the suites of the protocols put on an
// overlay.
//
// At its user's command (messages.h) it keeps texts at the homes of their keys, casts messages to
// homes, and sums over all members the amounts that their users add. A put or a get is sent again
// until it is answered or has failed. The newest version of a key's text stays. A version is the
// origin's clock, made to grow with each request, so a put that arrives twice, late, or by
// hand-over replaces no newer text.
//
// Promise: after the user was told `stored`, the text (or a newer one) is at a member that believed
// to be the home, and stays with the key's home as far as the overlay hands it over. A home that
// crashes loses its texts: nothing is replicated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/application.h"
#include "protocol/probe/item_store.h"
#include "protocol/probe/messages.h"
#include "protocol/probe/options.h"
#include "protocol/probe/user_requests.h"
#include "protocol/tree/aggregation.h"

namespace weir::protocol::probe {

class ProbeApplication : public Application {
 public:
  explicit ProbeApplication(const ProbeOptions& options = {});

  void on_message(const Step& step, NodeId source, std::string_view message) override;
  void on_routed(const Step& step, const Routed& routed) override;
  void on_wake(const Step& step) override;
  void on_placement(const Step& step) override;

  void collect(const Ring& ring, KeyArc arc, std::vector<KeyItem>& items) const override;
  void absorb(const Step& step, std::span<const KeyItem> items) override;
  void forget(const Step& step, std::span<const KeyItem> items) override;

  const std::map<Key, Item>& items() const { return items_.items(); }
  std::int64_t added() const { return added_; }
  // Requires that the options name a tree.
  const tree::Aggregation& aggregation() const { return *aggregation_; }

 private:
  void obey(const Step& step, const Put& put);
  void obey(const Step& step, const Get& get);
  void obey(const Step& step, const Cast& cast);
  void obey(const Step& step, const Add& add);
  void on_home(const Step& step, const Routed& routed, const Store& store);
  void on_home(const Step& step, const Routed& routed, const Fetch& fetch);
  void on_home(const Step& step, const Routed& routed, const Cast& cast);
  void on(const Step& step, const Acknowledge& acknowledge);
  void on(const Step& step, const Answer& answer);
  // After every input: tells the user of a new sum, and asks for the next wake if that changed.
  void end_turn(const Step& step);
  std::optional<base::Instant> next_wake() const;

  ItemStore items_;
  UserRequests requests_;
  std::int64_t added_ = 0;  // by the user; saturates
  std::optional<tree::Aggregation> aggregation_;
  std::optional<base::Instant> asked_wake_;  // the last WakeAt
};

}  // namespace weir::protocol::probe
