// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/about.h"

#include "protocol/probe/messages.h"

namespace weir::protocol::probe {

namespace {

template <typename Message>
bool tell_key(std::string_view bytes, MessageAbout& about) {
  const auto message = read<Message>(bytes);
  if (message) about.keys.push_back(message->key);
  return message.has_value();
}

template <typename... Messages>
bool tell_key_of_one(std::string_view bytes, MessageAbout& about) {
  return (tell_key<Messages>(bytes, about) || ...);
}

}  // namespace

void tell_about(std::string_view message, MessageAbout& about) {
  if (tell_key_of_one<Put, Get, Stored, Got, Failed, Store, Acknowledge, Fetch, Answer>(message,
                                                                                        about)) {
    return;
  }
  if (const auto cast = read<Cast>(message)) about.add(cast->destinations);
  if (const auto arrived = read<Arrived>(message)) {
    about.keys.insert(about.keys.end(), arrived->keys.begin(), arrived->keys.end());
    about.hops = arrived->hops;
  }
}

}  // namespace weir::protocol::probe
