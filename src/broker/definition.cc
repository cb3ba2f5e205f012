// SPDX-License-Identifier: Apache-2.0
#include "broker/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
constexpr std::array<std::string_view, 3> kConfigMembers = {"outbox", "initial", "highlight"};
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

  base::Result<DefinitionPtr> read() {
    const auto document =
        event::JsonDocument::parse(json_, {.text_bytes_max = limits_.document_bytes_max});
    if (!document) return document.error();
    base_ = static_cast<std::size_t>(document->text().data() - json_.data());
    definition_->outbox_count_max_ = limits_.outbox_count_max;
    members(document->root(), "a subscription", kMembers,
            [this](std::string_view name, const JsonRef& value) { member(name, value); });
    if (failed_) return *std::move(failed_);
    const bool says_more = parsed_.expr && !filter::equal(parsed_.expr, filter::make_and({}));
    if (says_more) terms_.push_back(parsed_.expr);
    parsed_.expr = filter::make_and(std::move(terms_));
    auto made = filter::Filter::create(std::move(parsed_), limits_.filter);
    if (!made) return made.error();
    definition_->filter_ = std::move(*made);
    return DefinitionPtr(std::move(definition_));
  }

 private:
  // Calls read(name, value) for each member of the object; a name that is not known is an error.
  template <std::size_t Count, typename Read>
  void members(const JsonRef& object, std::string_view what,
               const std::array<std::string_view, Count>& known, Read&& read) {
    if (object.kind() != JsonKind::kObject) {
      return fail(object, fmt::format("expected {} to be an object", what));
    }
    object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
      if (failed_) return;
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
    event::append_compact(value, definition_->members_);
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
    if (parsed) {
      parsed_ = std::move(*parsed);
      return;
    }
    failed_ = parsed.error();
    const std::size_t inside = failed_->position ? failed_->position->offset_bytes : 0;
    failed_->position = base::position_at(json_, base_ + value.offset_bytes() + inside);
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

  void config(std::string_view name, const JsonRef& value) {
    if (name == "outbox") {
      return members(value, "outbox", kOutboxMembers,
                     [this](std::string_view inner, const JsonRef& held) { outbox(inner, held); });
    }
    if (name == "highlight") return highlight(value);
    if (!is_text("initial", value)) return;
    constexpr std::array<std::string_view, 3> kInitials = {"deliver", "latest", "none"};
    if (std::ranges::find(kInitials, value.string()) == kInitials.end()) {
      return fail(value, "expected initial to be one of deliver, latest, none");
    }
    definition_->asks_for_latest_ = value.string() == "latest";
    definition_->initial_ =
        value.string() == "none" ? match::Initial::kNone : match::Initial::kDeliver;
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

  std::string_view json_;
  const DefinitionLimits& limits_;
  std::shared_ptr<Definition> definition_;
  std::size_t base_ = 0;  // where the document begins in the text
  std::vector<filter::ExprPtr> terms_;
  filter::Parsed parsed_;
  std::optional<base::Error> failed_;
};

std::string_view to_string(OutboxPolicy policy) {
  return kPolicies.at(static_cast<std::size_t>(policy));
}

base::Result<DefinitionPtr> Definition::parse(std::string_view json,
                                              const DefinitionLimits& limits) {
  return DefinitionReader(json, limits).read();
}

base::Result<DefinitionPtr> Definition::of_filter(std::string_view filter,
                                                  const DefinitionLimits& limits) {
  auto made = filter::Filter::parse(filter, limits.filter);
  if (!made) return made.error();
  const std::shared_ptr<Definition> definition(new Definition());
  definition->filter_ = std::move(*made);
  definition->outbox_count_max_ = limits.outbox_count_max;
  definition->members_ = R"("filters":[{"weir":)";
  event::append_json_string(filter, definition->members_);
  definition->members_ += "}]";
  return DefinitionPtr(definition);
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
