// SPDX-License-Identifier: Apache-2.0
// HostedApplication: the application of an overlay, with its waiting effects and its next wake.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/instant.h"
#include "protocol/application.h"
#include "protocol/effects.h"
#include "protocol/placement.h"

namespace weir::protocol {

class HostedApplication {
 public:
  // The placement must outlive it.
  HostedApplication(std::unique_ptr<Application> application, const Placement& placement)
      : application_(std::move(application)), placement_(placement) {
    WEIR_CHECK(application_ != nullptr);
  }

  Application& get() { return *application_; }
  const Application& get() const { return *application_; }

  // Calls `call` with the application and a step. Effects of the step wait for drain().
  template <typename Call>
  void run(base::Instant now, const Call& call) {
    call(*application_,
         Application::Step{.now = now, .placement = placement_, .effects = waiting_});
  }
  // Gives each waiting effect to `carry_out`, in order, until none is left. A WakeAt sets wake().
  template <typename CarryOut>
  void drain(const CarryOut& carry_out) {
    while (!waiting_.list().empty()) {
      Effects effects;
      std::swap(effects, waiting_);
      for (Effect& effect : effects.list()) {
        if (const auto* wake = std::get_if<WakeAt>(&effect)) {
          wake_ = wake->instant;
        } else {
          carry_out(effect);
        }
      }
    }
  }

  const std::optional<base::Instant>& wake() const { return wake_; }
  void wake_at(base::Instant instant) { wake_ = instant; }
  // Calls on_wake if its instant has come.
  void wake_if_due(base::Instant now) {
    if (!wake_ || *wake_ > now) return;
    wake_.reset();
    run(now, [](Application& application, const auto& step) { application.on_wake(step); });
  }

 private:
  std::unique_ptr<Application> application_;
  const Placement& placement_;
  Effects waiting_;
  std::optional<base::Instant> wake_;
};

}  // namespace weir::protocol
