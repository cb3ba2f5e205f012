// SPDX-License-Identifier: Apache-2.0
// All keys of a scenario's file, in order, with their types and ranges.
//
// One list serves reading, writing and the document: a visitor sees every key of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "protocol/drop_reason.h"
#include "runtime/sim/scenario.h"

namespace weir::runtime::sim {

struct NumberRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

class FieldVisitor {
 public:
  FieldVisitor() = default;
  FieldVisitor(const FieldVisitor&) = delete;
  FieldVisitor& operator=(const FieldVisitor&) = delete;
  virtual ~FieldVisitor() = default;

  virtual void text(std::string_view key, std::string& value) = 0;
  virtual void number(std::string_view key, std::uint64_t& value, NumberRange range) = 0;
  virtual void number(std::string_view key, std::optional<std::uint64_t>& value,
                      NumberRange range) = 0;
  virtual void duration(std::string_view key, base::Duration& value) = 0;
  virtual void fraction(std::string_view key, Fraction& value) = 0;
  virtual void fraction(std::string_view key, std::optional<Fraction>& value) = 0;
  virtual void flag(std::string_view key, bool& value) = 0;
  virtual void word(std::string_view key, std::size_t& value,
                    std::span<const std::string_view> names) = 0;
  // "10ms", or two durations: the least and the most.
  virtual void latency(std::string_view key, base::Duration& least, base::Duration& most) = 0;
  virtual void round_trips(std::string_view key, SiteTable& sites) = 0;
  // A number of members, or a share of them.
  virtual void amount(std::string_view key, std::optional<Amount>& value) = 0;
  virtual void drop_reasons(std::string_view key, std::vector<protocol::DropReason>& values) = 0;
};

inline constexpr std::uint64_t kScenarioMembersMax = 200'000;
inline constexpr std::uint64_t kScenarioRateMax = 1'000'000;
inline constexpr std::uint64_t kScenarioFaultsMax = 1000;
inline constexpr std::uint64_t kScenarioSitesMax = 100;

// Visit the keys before the first table, and the keys of each table.
void visit_head(FieldVisitor& visitor, Scenario& scenario);
void visit(FieldVisitor& visitor, MemberOptions& members);
void visit(FieldVisitor& visitor, LinkOptions& link);
void visit(FieldVisitor& visitor, WorkOptions& work);
void visit(FieldVisitor& visitor, Fault& fault);
void visit(FieldVisitor& visitor, CheckOptions& checks);

}  // namespace weir::runtime::sim
