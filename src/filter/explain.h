// SPDX-License-Identifier: Apache-2.0
// Explanation: why a filter lets an event through or not, part by part, with the values it saw.
#pragma once

#include <string>
#include <vector>

#include "event/event.h"
#include "filter/ast.h"

namespace weir::filter {

struct Explanation {
  std::string text;  // the part, in canonical text
  bool holds = false;
  bool decided = false;  // the result of the whole would be another without this part
  std::string detail;    // the values that were looked at
  std::vector<Explanation> parts;
};

// What the tree cannot know by itself: statistics and state.
class ExplainContext {
 public:
  struct Verdict {
    bool holds = false;
    std::string detail;
  };

  virtual ~ExplainContext() = default;
  virtual Verdict about(const About& about, const event::Event& event) = 0;
  virtual Verdict change(const Change& change, const event::Event& event) = 0;
};

// Looks at every part, also where the result is already certain. `decided` marks, from the top
// down: all true terms of a true and, the false ones of a false and, and likewise for or.
Explanation explain(const Expr& expr, const event::Event& event, ExplainContext& context);

}  // namespace weir::filter
