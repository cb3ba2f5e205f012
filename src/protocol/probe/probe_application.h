// SPDX-License-Identifier: Apache-2.0
// ProbeApplication: the application that scenarios and the protocols' suites put on an overlay.
//
// It keeps texts at the homes of their keys, casts messages to homes, and sums over all members
// what their users add, as its user commands (messages.h). A put or a get is sent again until it is
// answered or has failed. Of two texts for a key the one with the newer version stays; a version is
// the origin's clock, made to grow with each request, so a put that arrives twice, late, or by
// hand-over changes nothing it should not.
//
// Promised: after a user was told `stored`, the text (or a newer one) is at a member that was told
// to be the home, and stays with the key's home as far as the overlay hands it over. A home that
// crashes takes its texts along: nothing is replicated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/application.h"
#include "protocol/probe/messages.h"
#include "protocol/probe/options.h"
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

  const std::map<Key, Item>& items() const { return items_; }
  std::int64_t added() const { return added_; }
  // Requires that the options name a tree.
  const tree::Aggregation& aggregation() const { return *aggregation_; }

 private:
  // Of a user, that no home has answered.
  struct Request {
    bool is_put = false;
    Key key;
    std::string text;
    unsigned try_count = 0;
    base::Instant retry_at;
  };

  void on_command(const Step& step, const OpenMessage& message);
  void on_answer(const Step& step, const OpenMessage& message);
  void obey(const Step& step, const Put& put);
  void obey(const Step& step, const Get& get);
  void obey(const Step& step, const Cast& cast);
  void obey(const Step& step, const Add& add);
  void on_home(const Step& step, const Routed& routed, const Store& store);
  void on_home(const Step& step, const Routed& routed, const Fetch& fetch);
  void on_home(const Step& step, const Routed& routed, const Cast& cast);
  void hear(const Step& step, const Acknowledge& acknowledge);
  void hear(const Step& step, const Answer& answer);

  void begin(const Step& step, Request request);
  void try_again(const Step& step, std::uint64_t number, Request& request);
  // The request is no longer one; false if nobody waits for this answer.
  bool end(const Step& step, bool is_put, Key key, std::uint64_t number);
  bool keep(const Step& step, Key key, Item item);
  void retry_requests(const Step& step);
  void finish(const Step& step);
  std::optional<base::Instant> next_wake() const;

  ProbeOptions options_;
  std::map<Key, Item> items_;
  std::map<std::uint64_t, Request> requests_;  // by number
  std::uint64_t last_number_ = 0;
  std::int64_t added_ = 0;  // by the user, or the nearest int64
  std::optional<tree::Aggregation> aggregation_;
  std::optional<base::Instant> next_retry_;  // of a request, or earlier
  std::optional<base::Instant> wake_asked_;
};

}  // namespace weir::protocol::probe
