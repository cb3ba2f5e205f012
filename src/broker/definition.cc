// SPDX-License-Identifier: Apache-2.0
#include "broker/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/near_name.h"
#include "event/json_document.h"
#include "event/path.h"
#include "filter/dialects.h"

namespace weir::broker {

using event::JsonKind;
using event::JsonRef;

namespace {

constexpr std::array<std::string_view, 7> kMembers = {"id",   "source",   "types", "filters",
                                                      "sink", "protocol", "config"};
// Members of answers that are not part of the definition.
constexpr std::array<std::string_view, 3> kAnswerMembers = {"owner", "created", "status"};
constexpr std::array<std::string_view, 6> kConfigMembers = {"outbox", "initial",   "highlight",
                                                            "start",  "consumers", "sink"};
constexpr std::array<std::string_view, 5> kHighlightMembers = {"characters", "snippets", "html",
                                                               "before", "after"};
constexpr std::array<std::string_view, 2> kOutboxMembers = {"policy", "limit"};
constexpr std::array<std::string_view, 3> kPolicies = {"block", "drop_oldest", "conflate"};

filter::ExprPtr attribute_is(std::string_view name, std::string_view text) {
  return filter::make(filter::Compare{.left = {event::Path::attribute(std::string(name))},
                                      .op = filter::CompareOp::kEqual,
                                      .right = filter::Literal{std::string(text)}});
}

}  // namespace

// Reads one document, member by member, into a definition.
class DefinitionReader {
 public:
  DefinitionReader(std::string_view json, const DefinitionLimits& limits)
      : json_(json), limits_(limits), definition_(new Definition()) {}

  base::Result<std::shared_ptr<Definition>> read() {
    const auto document =
        event::JsonDocument::parse(json_, {.text_bytes_max = limits_.document_bytes_max});
    if (!document) return document.error();
    base_ = static_cast<std::size_t>(document->text().data() - json_.data());
    definition_->outbox_count_max_ = limits_.outbox_count_max;
    members(
        document->root(), "a subscription", kMembers,
        [this](std::string_view name, const JsonRef& value) { member(name, value); },
        kAnswerMembers);
    if (!failed_ && sink_config_at_ && definition_->sink_.empty()) {
      fail(sink_config_at_, "config.sink is about a sink, but the document has none");
    }
    if (definition_->shared_ && !definition_->sink_.empty()) {
      fail(consumers_, "a sink is one consumer; expected \"exclusive\" consumers beside a sink");
    }
    if (failed_) return *std::move(failed_);
    const bool says_more = parsed_.expr && !filter::equal(parsed_.expr, filter::make_and({}));
    if (says_more) terms_.push_back(parsed_.expr);
    parsed_.expr = filter::make_and(std::move(terms_));
    auto made = filter::Filter::create(std::move(parsed_), limits_.filter);
    if (!made) return made.error();
    definition_->filter_ = std::move(*made);
    return std::move(definition_);
  }

 private:
  // Calls read(name, value) for each member of the object but the ignored ones; a name that is not
  // known is an error.
  template <std::size_t Count, typename Read>
  void members(const JsonRef& object, std::string_view what,
               const std::array<std::string_view, Count>& known, Read&& read,
               std::span<const std::string_view> ignored = {}) {
    if (object.kind() != JsonKind::kObject) {
      return fail(object, fmt::format("expected {} to be an object", what));
    }
    object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
      if (failed_ || std::ranges::find(ignored, name.string()) != ignored.end()) return;
      if (std::ranges::find(known, name.string()) == known.end()) {
        fail(name, fmt::format("{} has no member '{}'{}; expected {}", what,
                               event::excerpt(name.string()),
                               base::did_you_mean(name.string(), known), fmt::join(known, ", ")));
      } else {
        read(name.string(), value);
      }
    });
  }

  void member(std::string_view name, const JsonRef& value) {
    if (name == "id") return id(value);
    if (!definition_->members_.empty()) definition_->members_ += ',';
    event::append_json_string(name, definition_->members_);
    definition_->members_ += ':';
    if (name == "config") {
      append_config_without_secrets(value, definition_->members_);
    } else {
      event::append_compact(value, definition_->members_);
    }
    if (name == "source") {
      if (is_text(name, value)) terms_.push_back(attribute_is("source", value.string()));
    } else if (name == "types") {
      types(value);
    } else if (name == "filters") {
      filters(value);
    } else if (name == "sink") {
      sink(value);
    } else if (name == "protocol") {
      if (is_text(name, value) && value.string() != "HTTP") {
        fail(value, "expected the protocol to be \"HTTP\"");
      }
    } else {
      members(value, "config", kConfigMembers,
              [this](std::string_view inner, const JsonRef& held) { config(inner, held); });
    }
  }

  void id(const JsonRef& value) {
    if (!is_text("id", value)) return;
    if (!is_subscription_id(value.string(), limits_)) {
      return fail(value, fmt::format("expected an id of 1 to {} letters, digits and . _ -",
                                     limits_.id_bytes_max));
    }
    definition_->id_ = std::string(value.string());
  }

  void types(const JsonRef& value) {
    std::vector<filter::ExprPtr> any;
    if (value.kind() != JsonKind::kArray) return fail(value, "expected types to be an array");
    value.for_each_element([&](const JsonRef& type) {
      if (failed_ || !is_text("a type", type)) return;
      if (any.size() >= limits_.type_count_max) {
        return fail(type, fmt::format("expected at most {} types", limits_.type_count_max),
                    base::ErrorId::kBrokerDefinitionTooLarge);
      }
      any.push_back(attribute_is("type", type.string()));
    });
    if (!failed_ && any.empty()) return fail(value, "expected at least one type");
    terms_.push_back(filter::make_or(std::move(any)));
  }

  void filters(const JsonRef& value) {
    auto parsed = filter::parse_dialects(value.raw(), limits_.filter);
    const std::size_t begin = base_ + value.offset_bytes();
    if (parsed) {
      parsed_ = std::move(*parsed);
      definition_->warnings_ = place_warnings(parsed_.warnings, value, json_, begin);
      return;
    }
    fail_inside(value, parsed.error());
  }

  void sink(const JsonRef& value) {
    if (!is_text("sink", value)) return;
    if (value.string().size() > limits_.sink_bytes_max) {
      return fail(value, fmt::format("expected a sink of at most {} bytes", limits_.sink_bytes_max),
                  base::ErrorId::kBrokerDefinitionTooLarge);
    }
    if (!value.string().starts_with("http://") && !value.string().starts_with("https://")) {
      return fail(value, "expected a sink that begins with http:// or https://",
                  base::ErrorId::kBrokerSink);
    }
    definition_->sink_ = value.string();
  }

  void sink_config(const JsonRef& value) {
    auto read = read_sink_config(value, limits_.sink);
    if (!read) return fail_inside(value, read.error());
    definition_->sink_config_ = *std::move(read);
    sink_config_at_ = value;
  }

  void config(std::string_view name, const JsonRef& value) {
    if (name == "outbox") {
      return members(value, "outbox", kOutboxMembers,
                     [this](std::string_view inner, const JsonRef& held) { outbox(inner, held); });
    }
    if (name == "highlight") return highlight(value);
    if (name == "start") return start(value);
    if (name == "consumers") return consumers(value);
    if (name == "sink") return sink_config(value);
    if (!is_text("initial", value)) return;
    constexpr std::array<std::string_view, 3> kInitials = {"deliver", "latest", "none"};
    if (std::ranges::find(kInitials, value.string()) == kInitials.end()) {
      return fail(value, "expected initial to be one of deliver, latest, none");
    }
    definition_->asks_for_latest_ = value.string() == "latest";
    definition_->initial_ =
        value.string() == "none" ? match::Initial::kNone : match::Initial::kDeliver;
  }

  void start(const JsonRef& value) {
    const auto read = read_start(value);
    if (read) {
      definition_->start_ = *read;
      return;
    }
    failed_ = read.error();
    failed_->position = base::position_at(json_, base_ + failed_->position->offset_bytes);
  }

  void consumers(const JsonRef& value) {
    consumers_ = value;
    auto read = read_consumers(value, limits_.consumers);
    if (read) {
      definition_->shared_ = *std::move(read);
      return;
    }
    failed_ = std::move(read.error());
    failed_->position = base::position_at(json_, base_ + failed_->position->offset_bytes);
  }

  void highlight(const JsonRef& value) {
    if (value.kind() == JsonKind::kFalse) return;
    match::HighlightOptions options;
    if (value.kind() != JsonKind::kTrue) {
      if (value.kind() != JsonKind::kObject) {
        return fail(value, "expected highlight to be true, false or an object");
      }
      members(
          value, "highlight", kHighlightMembers,
          [&](std::string_view inner, const JsonRef& held) { highlight(inner, held, options); });
    }
    definition_->highlight_ = std::make_shared<const match::HighlightOptions>(std::move(options));
  }

  void highlight(std::string_view name, const JsonRef& value, match::HighlightOptions& options) {
    if (name == "characters") {
      options.character_count_max = count(name, value, limits_.highlight_character_count_max);
    } else if (name == "snippets") {
      options.snippet_count_max = count(name, value, limits_.highlight_snippet_count_max);
    } else if (name == "html") {
      if (value.kind() != JsonKind::kTrue && value.kind() != JsonKind::kFalse) {
        return fail(value, "expected html to be true or false");
      }
      options.escapes = value.kind() == JsonKind::kTrue;
    } else if (value.kind() != JsonKind::kString ||
               value.string().size() > limits_.highlight_mark_bytes_max) {
      fail(value, fmt::format("expected {} to be a string of at most {} bytes", name,
                              limits_.highlight_mark_bytes_max));
    } else {
      (name == "before" ? options.before : options.after) = value.string();
    }
  }

  // 1 if it is not one.
  std::size_t count(std::string_view name, const JsonRef& value, std::size_t most) {
    const event::Value number = value.value();
    const bool is_int = number.kind() == event::ValueKind::kInt;
    if (is_int && number.as_int() >= 1 && number.as_int() <= static_cast<std::int64_t>(most)) {
      return static_cast<std::size_t>(number.as_int());
    }
    const bool is_too_large = is_int && number.as_int() > 0;
    fail(
        value, fmt::format("expected the {} to be an integer from 1 to {}", name, most),
        is_too_large ? base::ErrorId::kBrokerDefinitionTooLarge : base::ErrorId::kBrokerDefinition);
    return 1;
  }

  void outbox(std::string_view name, const JsonRef& value) {
    if (name == "policy") {
      if (!is_text("policy", value)) return;
      const auto* const found = std::ranges::find(kPolicies, value.string());
      if (found == kPolicies.end()) {
        return fail(value,
                    fmt::format("expected the policy to be one of {}", fmt::join(kPolicies, ", ")));
      }
      definition_->policy_ = static_cast<OutboxPolicy>(found - kPolicies.begin());
      return;
    }
    definition_->outbox_count_max_ = count("limit", value, limits_.outbox_count_max);
  }

  bool is_text(std::string_view name, const JsonRef& value) {
    if (value.kind() == JsonKind::kString && !value.string().empty()) return true;
    fail(value, fmt::format("expected {} to be a string that is not empty", name));
    return false;
  }

  void fail(const JsonRef& where, std::string message,
            base::ErrorId id = base::ErrorId::kBrokerDefinition) {
    if (failed_) return;
    failed_ =
        base::Error{id, std::move(message), base::position_at(json_, base_ + where.offset_bytes())};
  }

  // The error's position is one in the value's own text.
  void fail_inside(const JsonRef& value, base::Error error) {
    const std::size_t inside = error.position ? error.position->offset_bytes : 0;
    error.position = base::position_at(json_, base_ + value.offset_bytes() + inside);
    failed_ = std::move(error);
  }

  std::string_view json_;
  const DefinitionLimits& limits_;
  std::shared_ptr<Definition> definition_;
  std::size_t base_ = 0;  // where the document begins in the text
  JsonRef consumers_;     // its value, if there is one
  std::vector<filter::ExprPtr> terms_;
  filter::Parsed parsed_;
  JsonRef sink_config_at_;  // empty: the document has none
  std::optional<base::Error> failed_;
};

std::string_view to_string(OutboxPolicy policy) {
  return kPolicies.at(static_cast<std::size_t>(policy));
}

base::Result<DefinitionPtr> Definition::parse(std::string_view json,
                                              const DefinitionLimits& limits) {
  auto definition = DefinitionReader(json, limits).read();
  if (!definition) return definition.error();
  return DefinitionPtr(*std::move(definition));
}

base::Result<DefinitionPtr> Definition::of_filter(std::string_view filter,
                                                  const DefinitionLimits& limits,
                                                  std::string_view config) {
  auto made = filter::Filter::parse(filter, limits.filter);
  if (!made) return made.error();
  std::string json = R"({"filters":[{"weir":)";
  event::append_json_string(filter, json);
  json += "}]";
  if (!config.empty()) json.append(R"(,"config":)").append(config);
  json += '}';
  auto definition = DefinitionReader(json, limits).read();
  if (!definition) return definition.error();
  (*definition)->warnings_.clear();
  for (const filter::Warning& warning : (*made)->warnings()) {
    (*definition)->warnings_.push_back({warning, 0});
  }
  return DefinitionPtr(*std::move(definition));
}

std::size_t Definition::memory_bytes() const {
  // Measured: 400 filters of 300 alternatives of 18 bytes take 440 000 bytes each, 400 lists of 300
  // values of 10 bytes 100 000, 10 000 filters of 60 bytes 5000 each.
  constexpr std::size_t kBytesMin = 4096;
  constexpr std::size_t kBytesPerByte = 30;  // of the document: its texts and trees
  constexpr std::size_t kConjunctionBytes = 512;
  constexpr std::size_t kTermBytes = 512;
  std::size_t bytes = kBytesMin + kBytesPerByte * members_.size();
  for (const filter::Conjunction& conjunction : filter_->normal_form().conjunctions) {
    bytes +=
        kConjunctionBytes + kTermBytes * (conjunction.terms.size() + conjunction.changes.size());
  }
  return bytes;
}

std::string Definition::to_json() const {
  std::string out = "{";
  if (id_) {
    out += R"("id":)";
    event::append_json_string(*id_, out);
    if (!members_.empty()) out += ',';
  }
  return out + members_ + '}';
}

bool is_subscription_id(std::string_view id, const DefinitionLimits& limits) {
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !id.empty() && id.size() <= limits.id_bytes_max && is_alnum(id.front()) &&
         std::ranges::all_of(
             id, [&](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace weir::broker
