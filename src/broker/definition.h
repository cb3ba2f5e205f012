// SPDX-License-Identifier: Apache-2.0
// Definition: what a subscription asks for, read from a document in the shape of the CloudEvents
// Subscriptions API draft. Immutable, shared by pointer.
//
//   {
//     "id": "alerts",                            optional; a name makes it easy to find again
//     "source": "/nyse",                         optional; only events of exactly this source
//     "types": ["quote", "trade"],               optional; only events of one of these types
//     "filters": [{"weir": "data.price > 20"}],  optional; ANDed
//     "sink": "https://example.com/hook",        optional; events are posted there
//     "protocol": "HTTP",                        optional; what a sink speaks
//     "config": {                                optional, ours
//       "outbox": {"policy": "drop_oldest", "limit": 1000},
//       "initial": "latest",                     or "deliver", the default, or "none"
//       "start": "earliest",                     broker/start.h
//       "highlight": true                        or {"characters": 200, "snippets": 3, "html":
//       true,
//                                                    "before": "<em>", "after": "</em>"}
//       "consumers": "shared"                    see consumers.h
//       "sink": {"mode": "binary"}               how events are posted: sink_config.h
//     }
//   }
//
// A member that is not listed here is an error that names it, as is anything of the wrong type; but
// for owner, created and status, which answers have besides: they are ignored, so that a document
// that was read can be put again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/consumers.h"
#include "broker/definition_warning.h"
#include "broker/sink_config.h"
#include "broker/start.h"
#include "filter/filter.h"
#include "filter/limits.h"
#include "match/change_filter.h"
#include "match/text_highlight.h"

namespace weir::broker {

// What happens to a new delivery when the outbox is full.
enum class OutboxPolicy : std::uint8_t {
  kBlock,       // publishers are refused until there is room
  kDropOldest,  // the oldest delivery is dropped and counted
  kConflate,    // always only the newest event of each source is kept; then the oldest is dropped
};

std::string_view to_string(OutboxPolicy policy);

struct DefinitionLimits {
  std::size_t document_bytes_max = std::size_t{1} << 20U;
  std::size_t id_bytes_max = 128;
  std::size_t sink_bytes_max = 2048;
  std::size_t type_count_max = 1000;
  std::size_t highlight_character_count_max = 2000;
  std::size_t highlight_snippet_count_max = 20;
  std::size_t highlight_mark_bytes_max = 64;
  std::size_t outbox_count_max = 100'000;  // also the default of a definition that says nothing
  ConsumerLimits consumers = {};
  SinkLimits sink = {};
  filter::FilterLimits filter = {};
};

class Definition;
using DefinitionPtr = std::shared_ptr<const Definition>;

class Definition {
 public:
  static base::Result<DefinitionPtr> parse(std::string_view json,
                                           const DefinitionLimits& limits = {});
  // One with a filter in the weir language and perhaps a config, as JSON. Errors of the filter, and
  // warnings, have their places in its text.
  static base::Result<DefinitionPtr> of_filter(std::string_view filter,
                                               const DefinitionLimits& limits = {},
                                               std::string_view config = {});

  const std::optional<std::string>& id() const { return id_; }
  // Of source, types and filters together.
  const filter::FilterPtr& filter() const { return filter_; }
  const std::string& sink() const { return sink_; }  // empty: fetched by SSE or WebSocket
  const SinkConfig& sink_config() const { return sink_config_; }
  OutboxPolicy policy() const { return policy_; }
  std::size_t outbox_count_max() const { return outbox_count_max_; }
  match::Initial initial() const { return initial_; }
  // Whether a new subscriber to a change is told of the newest readings at once.
  bool asks_for_latest() const { return asks_for_latest_; }
  // The event with which it begins. A replacement begins there again only if it says otherwise than
  // the definition before.
  const Start& start() const { return start_; }
  // What deliveries show of a text that matched; null: nothing.
  const std::shared_ptr<const match::HighlightOptions>& highlight() const { return highlight_; }
  // How several consumers share the deliveries; nullopt: one consumer at a time.
  const std::optional<SharedConsumers>& shared() const { return shared_; }
  // About the filters, with their places in the document; in the filter's text for of_filter().
  const std::vector<DefinitionWarning>& warnings() const { return warnings_; }
  // The members of the document but id, as they were given, without the braces and without the
  // values of secrets: for answers.
  const std::string& members() const { return members_; }
  // The document, which parses to an equal definition, but for secrets, which it keeps.
  std::string to_json() const;
  // Memory that a subscription with it takes, with its filter in the engine; estimated.
  std::size_t memory_bytes() const;

 private:
  friend class DefinitionReader;
  Definition() = default;

  std::optional<std::string> id_;
  filter::FilterPtr filter_;
  std::string sink_;
  SinkConfig sink_config_;
  OutboxPolicy policy_ = OutboxPolicy::kDropOldest;
  std::size_t outbox_count_max_ = 0;
  match::Initial initial_ = match::Initial::kDeliver;
  bool asks_for_latest_ = false;
  Start start_;
  std::shared_ptr<const match::HighlightOptions> highlight_;
  std::optional<SharedConsumers> shared_;
  std::string members_;
  std::vector<DefinitionWarning> warnings_;
};

// Names of subscriptions: letters, digits, and . _ - inside.
bool is_subscription_id(std::string_view id, const DefinitionLimits& limits = {});

}  // namespace weir::broker
