// SPDX-License-Identifier: Apache-2.0
// A program that embeds Weir: three subscriptions on a stream of sensor readings.
#include <weir/weir.h>

#include <cstdio>
#include <string>

int main() {
  weir::engine::Engine engine;
  const auto changes =
      engine.subscribe("type = 'reading' and change(data.celsius, by subject) > 0.5");
  const auto alarms = engine.subscribe("type = 'reading' and data.celsius >= 30");
  if (!changes || !alarms) return 1;

  // A filter that does not parse says where and why.
  const auto wrong = engine.subscribe("data.celsius >");
  if (!wrong) std::printf("%s\n", wrong.error().to_string().c_str());

  weir::base::Instant now{};
  int id = 0;
  for (const char* celsius : {"20.0", "20.3", "20.6", "30.5", "30.5"}) {
    const auto event = weir::event::EventBuilder()
                           .id(std::to_string(++id))
                           .source("/roof")
                           .type("reading")
                           .subject("sensor-7")
                           .data_json(std::string("{\"celsius\":") + celsius + "}")
                           .build();
    if (!event) return 1;
    now = now + weir::base::Duration::seconds(1);
    for (const weir::engine::Delivery& delivery : engine.publish(*event, now)) {
      for (const auto& delivered : delivery.events) {
        const bool alarm = delivery.subscription == *alarms;
        std::printf("%s: event %s, %s\n", alarm ? "alarm" : "change",
                    std::string(delivered->id()).c_str(), celsius);
      }
    }
  }
  return 0;
}
