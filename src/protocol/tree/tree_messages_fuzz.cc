// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the tree are refused, or read and written back the same. Then the bytes
// are a stream of messages to a member: { u8 source | u8 length | message }.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "protocol/message_fuzz_testing.h"
#include "protocol/tree/aggregation.h"
#include "protocol/tree/sum_summary.h"

namespace {

using namespace weir;
using namespace weir::protocol;
using namespace weir::protocol::tree;

class Middle : public Placement {
 public:
  NodeId self() const override { return {1}; }
  bool is_home(Key /*key*/) const override { return false; }
  std::optional<NodeId> towards(Key /*key*/) const override { return NodeId{2}; }
  std::uint64_t distance_to(Key /*key*/) const override { return 5; }
};

void check_member(const Aggregation& aggregation) {
  for (const auto& [node, child] : aggregation.children().map()) {
    WEIR_CHECK(child.distance > aggregation.place().distance);
    WEIR_CHECK(child.is_gone || SumSummary().is_valid(child.summary));
  }
  WEIR_CHECK(!aggregation.result() || SumSummary().is_valid(aggregation.result()->summary));
}

void hear_stream(std::string_view bytes) {
  const Middle placement;
  Aggregation aggregation({.root_key = {}, .child_count_max = 4}, std::make_unique<SumSummary>());
  base::ByteReader reader(bytes);
  base::Instant now{};
  while (!reader.failed() && reader.rest_bytes() > 0) {
    Effects effects;
    const Aggregation::Step step{.now = now, .placement = placement, .effects = effects};
    aggregation.on_wake(step);
    const NodeId source{reader.u8()};
    aggregation.on_message(step, source, reader.raw(reader.u8()));
    check_member(aggregation);
    now = now + base::Duration::milliseconds(100);
  }
  WEIR_CHECK(aggregation.children().map().size() <= 4);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_read_back(Messages{}, bytes);
  hear_stream(bytes);
  return 0;
}
