#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile tenants beside a healthy one, which loses nothing and hardly notices.

The short form runs all attacks in a small size, one after the other on one broker, and asserts what
a busy machine cannot change: nothing is lost, doubled or out of order, nothing of the healthy
tenant is refused, the process lives, memory is bounded, and limits that stop the attacker are
told and counted. Its bound of time is wide.

With WEIR_FULL=1 every attack has its full size and a broker of its own, and the healthy tenant's
99th percentile from due to received must be below 50 ms and at most five times its idle value.
The attacker runs at the lowest priority, so that it does not take the broker's processor; the idle
value is measured beside a process that takes as much, and counts as 10 ms if it is less. An attack
that is slow is repeated: chance is slow once, an attack that works is slow always.

    python3 -m attack.scene [--short] [NAME...]   # prints what the healthy tenant notices
"""

import os
import unittest

from attack.scene import BASE_BYTES, BUDGET_BYTES, Outcome, Scene, Tokens
from attack.table import ATTACKS, Attack
from weir_program import SANITIZED

FULL = os.environ.get("WEIR_FULL") == "1" and not SANITIZED
ATTACK_S = 4 if FULL else 0.3
LATENCY_MS_MAX = 50
IDLE_RATIO_MAX = 5
IDLE_MS_LEAST = 10
ATTEMPTS = 3
SHORT_LATENCY_MS_MAX = 60_000 if SANITIZED else 10_000


class AttackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokens = Tokens()
        cls.addClassCleanup(cls.tokens.close)

    def check(self, scene: Scene, kind: Attack, outcome: Outcome) -> None:
        """All that is not about time."""
        log = "".join(scene.broker.errors[-20:])
        self.assertTrue(scene.alive(), f"the broker ended:\n{log}")
        self.assertEqual(outcome.missing, "")
        self.assertEqual(outcome.troubles, [])
        refused = [told for told in outcome.refused
                   if not kind.may_refuse or kind.may_refuse not in told]
        self.assertEqual(refused, [])
        if not SANITIZED:
            self.assertLess(outcome.peak_bytes, BUDGET_BYTES + BASE_BYTES)
        self.assertNotIn("failed", outcome.answers)
        if kind.told:
            self.assertTrue(set(kind.told) & set(outcome.answers), outcome.answers)
        if kind.counted:
            self.assertGreater(outcome.counted, 0, kind.counted)
        for answer, count in outcome.answers.items():
            status, _, error = answer.partition(" ")
            if status == "429":
                told = scene.metric(f'weir_limit_errors_total{{error="{error}"}}')
                self.assertGreaterEqual(told, count, answer)
        status = scene.status()
        self.assertEqual((status["dropped"], status["expired"], status["withheld"]), (0, 0, 0))

    def attack_once(self, name: str) -> Outcome:
        """On a broker of its own."""
        kind = ATTACKS[name]
        scene = Scene(self.tokens, FULL, kind)
        try:
            outcome = scene.attack(name, ATTACK_S)
            self.check(scene, kind, outcome)
        finally:
            scene.close()
        print(outcome.line(), flush=True)
        return outcome

    @unittest.skipIf(FULL, "the full form has a broker for each")
    def test_one_after_the_other(self):
        print(Outcome.HEADER)
        together = [name for name, kind in ATTACKS.items() if not kind.needs_own_broker()]
        scene = Scene(self.tokens, FULL, ATTACKS[together[0]])
        self.addCleanup(lambda: scene.close())  # whichever is the last one
        for name in together:
            with self.subTest(name):
                if not scene.alive():  # an attack before this one has failed
                    scene.close()
                    scene = Scene(self.tokens, FULL, ATTACKS[name])
                outcome = scene.attack(name, ATTACK_S)
                print(outcome.line(), flush=True)
                self.check(scene, ATTACKS[name], outcome)
                self.assertLess(outcome.quantile_ms(0.99), SHORT_LATENCY_MS_MAX)

    @unittest.skipIf(FULL, "the full form has a broker for each")
    def test_with_settings_of_their_own(self):
        for name in [name for name, kind in ATTACKS.items() if kind.needs_own_broker()]:
            with self.subTest(name):
                outcome = self.attack_once(name)
                self.assertLess(outcome.quantile_ms(0.99), SHORT_LATENCY_MS_MAX)

    @unittest.skipUnless(FULL, "needs WEIR_FULL=1 and a release build")
    def test_each_in_full(self):
        print(Outcome.HEADER)
        scene = Scene(self.tokens, FULL, Attack(run=None))
        calm = scene.calm(5)
        scene.close()
        print(calm.line(), flush=True)
        idle_ms = max(calm.quantile_ms(0.99), IDLE_MS_LEAST)
        limit_ms = min(LATENCY_MS_MAX, IDLE_RATIO_MAX * idle_ms)
        for name, kind in ATTACKS.items():
            with self.subTest(name):
                for attempt in range(ATTEMPTS):
                    reached_ms = self.attack_once(name).quantile_ms(0.99)
                    if reached_ms < limit_ms or kind.may_refuse:
                        break
                else:
                    self.fail(f"{name}: p99 {reached_ms:.1f} ms, at most {limit_ms} ms")


if __name__ == "__main__":
    unittest.main()
