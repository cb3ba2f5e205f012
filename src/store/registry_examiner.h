// SPDX-License-Identifier: Apache-2.0
// examine_registry: every page and row of the registry read and checked; nothing is changed.
//
// Rows are handed on one by one, as of one moment, so that a broker may write meanwhile. The
// meaning of definitions, grants and events is left to the visitor.
//
// Costs a read of the whole file; memory for the longest row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/findings.h"
#include "store/registry.h"

namespace weir::store {

class RegistryVisitor {
 public:
  virtual ~RegistryVisitor() = default;

  virtual void on_subscription(const SubscriptionRow& row) = 0;
  virtual void on_cursor(const CursorRow& row) = 0;
  virtual void on_token(std::string_view name, std::string_view grants) = 0;
  virtual void on_dead_letter(const DeadLetterRow& row) = 0;
  virtual void on_replay(std::uint64_t subscription, std::uint64_t next_sequence) = 0;
};

struct RegistryExamination {
  std::int64_t version = 0;  // 0: there is none, or it cannot be read
  std::uint64_t identity = 0;
  std::uint64_t log_sequence = 0;
  std::uint64_t checkpoint_sequence = 0;
  std::uint64_t last_subscription_number = 0;
  std::uint64_t transaction_number = 0;
  std::uint64_t subscription_count = 0;
  std::uint64_t token_count = 0;
  std::uint64_t dead_letter_count = 0;
};

struct RegistrySource {
  std::filesystem::path file;
  bool running = false;  // a broker may write it
};

RegistryExamination examine_registry(const RegistrySource& source, RegistryVisitor& visitor,
                                     Findings& findings);

// How many deliveries the ranges of settled_beyond name; an error if they are malformed.
base::Result<std::uint64_t> settled_beyond_count(std::string_view ranges);

}  // namespace weir::store
