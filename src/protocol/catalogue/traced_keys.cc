// SPDX-License-Identifier: Apache-2.0
#include "protocol/catalogue/traced_keys.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "protocol/catalogue/protocols.h"

namespace weir::protocol::catalogue {

namespace {

void add_message(TracedKeys& traced, std::string_view message);

void add(TracedKeys& traced, Key key) { traced.keys.push_back(key); }
void add(TracedKeys& traced, const KeyArc& arc) { traced.arcs.push_back(arc); }

// A carried message. An overlay carries messages of applications, never those of overlays.
void add(TracedKeys& traced, std::string_view message) {
  const OpenMessage open = open_message(message);
  if (!open.refused && open.kind.protocol == ProtocolId::kProbe) add_message(traced, message);
}

template <codec::Struct T>
void add(TracedKeys& traced, const T& value);

template <typename T>
void add(TracedKeys& traced, const std::vector<T>& values) {
  for (const T& value : values) add(traced, value);
}

template <typename... Ts>
void add(TracedKeys& traced, const std::variant<Ts...>& value) {
  std::visit([&](const auto& alternative) { add(traced, alternative); }, value);
}

template <typename Struct, typename Value>
void add_field(TracedKeys& traced, const Struct& value, const Field<Struct, Value>& field) {
  if constexpr (std::same_as<Value, unsigned>) {
    if (field.is_hop_count) traced.hops = value.*field.member;
  } else if constexpr (requires { add(traced, value.*field.member); }) {
    if (field.is_traced) add(traced, value.*field.member);
  }
}

template <codec::Struct T>
void add(TracedKeys& traced, const T& value) {
  std::apply([&](const auto&... field) { (add_field(traced, value, field), ...); }, T::fields());
}

template <typename Message>
bool try_add(TracedKeys& traced, const OpenMessage& open) {
  if (open.kind != kind_of<Message>()) return false;
  Message message;
  if (decode(open.body, message)) add(traced, message);
  return true;
}

void add_message(TracedKeys& traced, std::string_view bytes) {
  const OpenMessage open = open_message(bytes);
  if (open.refused) return;
  with_messages(open.kind.protocol, [&]<typename... Messages>(std::string_view /*name*/,
                                                              MessageList<Messages...> /*list*/) {
    (try_add<Messages>(traced, open) || ...);
  });
}

}  // namespace

bool TracedKeys::concern(const Ring& ring, Key key) const {
  return std::ranges::find(keys, key) != keys.end() ||
         std::ranges::any_of(arcs, [&](const KeyArc& arc) { return ring.contains(arc, key); });
}

TracedKeys traced_keys(std::string_view message) {
  TracedKeys traced;
  add_message(traced, message);
  return traced;
}

}  // namespace weir::protocol::catalogue
