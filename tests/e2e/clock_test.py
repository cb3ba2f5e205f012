#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wall clock that is set by a day: durations go on, across restarts, and the log tells of it."""

import itertools
import sys
import unittest

from broker_program import Broker, eventually
from faults import COMPILER, Faults
from weir_program import event

DAY_S = 86_400


@unittest.skipUnless(COMPILER, "there is no C compiler for the clock that can be set")
class ClockTest(unittest.TestCase):
    def setUp(self):
        self.faults = Faults()
        self.addCleanup(self.faults.close)
        self.numbers = itertools.count(1)

    def deliveries(self, name: str) -> int:
        return self.broker.status(name)["deliveries"]

    def expect_service(self) -> None:
        """Both filters deliver again and again, and not everything."""
        for name, value in (("distinct", lambda number: 7), ("change", lambda number: number * 10)):
            before, published = self.deliveries(name), 0

            def delivers() -> bool:
                nonlocal published
                published += 1
                number = next(self.numbers)
                answer = self.broker.publish(event(number, type=name,
                                                   data={"v": value(number)}))
                self.assertEqual(answer.json()["results"][0]["status"], "accepted")
                return self.deliveries(name) >= before + 3

            eventually(delivers, f"{name} goes on")
            self.assertLess(self.deliveries(name) - before, published, name)

    def test_set_back_and_forward(self):
        with Broker(environment=self.faults.environment) as self.broker:
            self.broker.subscribe("distinct",
                                  "type = 'distinct' and distinct(data.v) within 500ms")
            self.broker.subscribe("change",
                                  "type = 'change' and change(data.v) > 1 at most every 500ms")
            self.expect_service()
            self.assertLess(abs(self.broker.metric("weir_clock_offset_seconds")), 1)
            self.faults.set_clock(-DAY_S)
            self.expect_service()
            eventually(lambda: "warning the wall clock was set back" in "".join(self.broker.errors),
                       "the log is told")
            self.assertIn("step_seconds=-86400.000", "".join(self.broker.errors))
            self.assertEqual(self.broker.metric("weir_clock_steps_total"), 1)
            self.assertGreater(self.broker.metric("weir_clock_offset_seconds"), DAY_S - 3600)
            self.broker.restart()
            self.assertGreater(self.broker.metric("weir_clock_offset_seconds"), DAY_S - 3600)
            self.assertEqual("".join(self.broker.errors).count("the wall clock was set back"), 2)
            self.expect_service()
            self.broker.kill()
            self.broker.start()
            self.expect_service()
            self.faults.set_clock(2 * DAY_S)
            self.expect_service()
            eventually(lambda: "warning the wall clock was set forward" in
                       "".join(self.broker.errors), "the log is told")
            self.faults.set_clock(-DAY_S)
            self.expect_service()
            self.assertLess(abs(self.broker.metric("weir_clock_offset_seconds")), 3600)


if __name__ == "__main__":
    run = unittest.main(exit=False).result
    for test, reason in run.skipped:
        print(f"SKIPPED: {test}: {reason}", file=sys.stderr)
    sys.exit(1 if not run.wasSuccessful() else 77 if run.skipped else 0)
