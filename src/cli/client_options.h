// SPDX-License-Identifier: Apache-2.0
// What the command lines of publish, subscribe and subscriptions ask for, and what all commands
// that talk to a broker have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "cli/argument_parser.h"

namespace weir::cli {

// Where the broker is, and who asks.
struct ConnectionOptions {
  std::string url = "http://127.0.0.1:8080";
  std::string token = {};       // empty: the file's, or what WEIR_TOKEN has
  std::string token_path = {};  // empty: none
  std::string ca_path = {};     // empty: the authorities that the system trusts
  bool insecure = false;
  bool json = false;
};

// Its options, for a command that has them.
void declare(ArgumentParser& parser, ConnectionOptions& options);
base::Result<void> check(const ConnectionOptions& options);

// Parts of the one event that flags make; it is made if there is a type.
struct EventOptions {
  std::string type = {};
  std::string source = {};
  std::string id = {};  // empty: a random one
  std::string subject = {};
  std::string data = {};  // JSON; empty: none
};

struct PublishOptions {
  ConnectionOptions connection = {};
  std::string input_path = kStdin;
  EventOptions event = {};
  std::size_t batch_count = 100;
  base::Duration retry = base::Duration::seconds(30);
  bool keep_going = false;
};

struct SubscribeOptions {
  ConnectionOptions connection = {};
  std::string filter = {};
  std::string id = {};    // empty: an ephemeral subscription
  std::string from = {};  // where it begins, as broker::parse_start() reads it; empty: now
  bool shared = false;    // makes a durable one that several consumers share
  std::optional<std::uint64_t> count = {};
  bool reconnect = true;
};

enum class SubscriptionsVerb : std::uint8_t {
  kList,
  kShow,
  kCreate,
  kReplace,
  kDelete,
  kForget,
  kTransfer,
};

struct SubscriptionsOptions {
  ConnectionOptions connection = {};
  SubscriptionsVerb verb = SubscriptionsVerb::kList;
  std::string id = {};
  std::string input_path = kStdin;
  std::string owner = {};   // of transfer: the new one
  std::string all_of = {};  // of transfer: the owner before, instead of an id
};

enum class DeadLettersVerb : std::uint8_t { kList, kResend, kPurge };

struct DeadLettersOptions {
  ConnectionOptions connection = {};
  DeadLettersVerb verb = DeadLettersVerb::kList;
  std::string id = {};                         // of the subscription
  std::optional<std::uint64_t> delivery = {};  // nullopt: all letters
};

}  // namespace weir::cli
