#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hostile tenant does not make the broker take more memory than its budget."""

import json
import random
import time
import unittest

from broker_program import Broker, Subscriber, eventually
from weir_program import SANITIZED, weir

MIB = 1 << 20
BUDGET_BYTES = 96 * MIB
# The program itself, threads, buffers, what the allocator keeps, copies while states are saved.
ALLOWANCE_BYTES = 160 * MIB
STOP_S = 20
HEALTHY_EVENTS = 20

SETTINGS = {
    "WEIR_BROKER_MEMORY": str(BUDGET_BYTES),
    "WEIR_BROKER_MEMORY_PER_OWNER": str(24 * MIB),
    "WEIR_BROKER_PUBLISH_QUEUE_BYTES": str(16 * MIB),
    "WEIR_BROKER_SHARD_QUEUE_BYTES": str(16 * MIB),
    "WEIR_STORE_RECENT_BYTES": str(8 * MIB),
    "WEIR_STORE_CHECKPOINT_INTERVAL": "1s",
}


def event(number: int, kind: str, **members) -> str:
    return json.dumps({"specversion": "1.0", "id": f"{kind}{number}", "source": f"/{kind}",
                       "type": kind, **members})


class MemoryTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker(environment=SETTINGS)
        self.addCleanup(self.broker.__exit__)
        done = weir("token", "create", "healthy", "--publish", "all", "--subscribe", "all",
                    "--data", str(self.broker.data))
        self.assertEqual(done.code, 0, done.err)
        self.token = done.out.strip()
        eventually(lambda: self.broker.request("GET", "/subscriptions",
                                               token=self.token).status == 200, "it is known")
        self.broker.subscribe("healthy", "type = 'healthy'", self.token)
        self.healthy = 0
        self.highest = 0

    def look(self) -> None:
        """The other tenant goes on, and memory is within bounds."""
        answer = self.broker.publish(event(self.healthy, "healthy"), token=self.token)
        self.assertEqual(answer.json().get("accepted"), 1, answer.text)
        self.healthy += 1
        self.highest = max(self.highest, self.broker.rss_bytes())
        if not SANITIZED:
            self.assertLess(self.highest, BUDGET_BYTES + ALLOWANCE_BYTES)

    def attack(self, rounds: int, *make) -> int:
        """Gives the bytes that were published; 429 is an answer like another."""
        published = 0
        for number in range(rounds):
            events = [one(number) for one in make]
            self.assertIn(self.broker.publish(*events).status, (200, 429))
            published += sum(map(len, events))
            if number % (rounds // HEALTHY_EVENTS) == 0:
                self.look()
        return published

    def finish(self) -> None:
        eventually(lambda: self.broker.metric("weir_shard_queue_events") == 0, "all is matched")
        self.look()
        eventually(lambda: self.broker.status("healthy", self.token)["pending"] == self.healthy,
                   "nothing is lost")
        self.assertLessEqual(self.broker.metric("weir_memory_bytes"), BUDGET_BYTES)

    def test_long_keys(self):
        filters = {
            "alone": "type = 'key' and any change(data.text, by subject)",
            "composite": "type = 'key' and change(data.a, by subject) > 1"
                         " and change(data.b, by subject) > 1",
            "distinct": "type = 'key' and distinct(subject) within 1h exact",
        }
        for name, text in filters.items():
            self.assertEqual(self.broker.subscribe(name, text).status, 201)
        key = "k" * 4000

        def make(number: int) -> str:
            return event(number, "key", subject=f"{key}{number}",
                         data={"a": number, "b": number, "text": "x" * 4000})

        published = self.attack(400, *(lambda n, i=i: make(n * 20 + i) for i in range(20)))
        self.assertGreater(published, 60 * MIB)
        self.finish()
        self.assertEqual(self.broker.subscribe("more").status, 429)
        self.assertEqual(self.broker.subscribe("more", "type = 'x'", self.token).status, 201)

    def test_random_words(self):
        fields = [f"data.{a}{b}" for a in "abcd" for b in "abcd"]
        for number, field in enumerate(fields):
            self.assertEqual(
                self.broker.subscribe(f"t{number}", f"text({field}) about 'storm'").status, 201)
        chance = random.Random(7)

        def make(number: int) -> str:
            words = " ".join(f"{chance.getrandbits(60):x}" for _ in range(400))
            return event(number, "words", data={field[5:]: words for field in fields})

        self.attack(60, make)
        self.finish()
        before = self.broker.metric("weir_checkpoints_total")
        self.look()
        eventually(lambda: self.broker.metric("weir_checkpoints_total") > before, "a checkpoint")
        self.broker.restart()
        self.assertEqual(self.broker.metric("weir_registry_failures_total"), 0)

    def test_a_stop_is_in_time_and_nothing_is_lost(self):
        self.broker.subscribe("all", "type = 'large'")
        large = "x" * MIB
        for number in range(40):
            answer = self.broker.publish(event(number, "large", data=large))
            self.assertEqual(answer.json().get("accepted"), 1, answer.text)
        begin = time.monotonic()
        self.assertEqual(self.broker.stop(), 0)
        self.assertLess(time.monotonic() - begin, STOP_S)
        self.broker.start()
        with Subscriber(self.broker, "all") as subscriber:
            eventually(lambda: len(subscriber.ids()) == 40, "all are delivered")


if __name__ == "__main__":
    unittest.main()
