#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that begin with old events get the same as one that was there, over HTTP.

A million events with WEIR_FULL=1.
"""

import json
import os
import unittest

from broker_program import Broker, eventually
from weir_program import SANITIZED, event, weir

EVENTS = 1_000_000 if os.environ.get("WEIR_FULL") and not SANITIZED else 10_000
SUBJECTS = 100
BATCH = 1000
FILTER = "change(data.v, by subject) > 3 and distinct(subject, data.v) within 24h"


def reading(i: int) -> str:
    """A value that rises from 0 to 80 over all readings of its subject."""
    return event(i, subject=f"s{i % SUBJECTS}", data={"v": round(80 * i / EVENTS, 3)})


class ReplayTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def publish(self, begin: int, end: int) -> None:
        for first in range(begin, end, BATCH):
            answer = self.broker.publish(*map(reading, range(first, min(first + BATCH, end))))
            self.assertEqual(answer.json()["accepted"], min(BATCH, end - first))

    def ids(self, name: str) -> list[str]:
        eventually(lambda: "replay" not in self.broker.status(name), "it has caught up")
        count = self.broker.status(name)["deliveries"]
        done = weir("subscribe", "--url", self.broker.url, "--id", name, "--count", str(count))
        self.assertEqual(done.code, 0, done.err)
        return [line["id"] for line in done.lines()]

    def test_gives_what_a_subscription_from_the_start_has_got(self):
        self.assertEqual(self.broker.subscribe("whole", FILTER).status, 201)
        self.publish(0, EVENTS * 9 // 10)
        answer = self.broker.subscribe("late", FILTER, config={"start": "earliest"})
        self.assertEqual(answer.status, 201, answer.text)
        self.publish(EVENTS * 9 // 10, EVENTS)
        eventually(lambda: self.broker.metric("weir_shard_queue_events") == 0, "all is matched")
        made = [lambda name=name: self.broker.status(name)["deliveries"]
                for name in ("whole", "late")]
        eventually(lambda: made[0]() == made[1](), "both have got the same number")
        whole = self.ids("whole")
        self.assertGreater(len(whole), 20 * SUBJECTS)
        self.assertEqual(self.ids("late"), whole)

    def test_a_replay_goes_on_after_a_crash(self):
        self.publish(0, 5000)
        self.broker.subscribe("late", None, config={"start": "earliest", "outbox": {"limit": 100}})
        eventually(lambda: self.broker.status("late")["pending"] == 50, "it waits for room")
        self.assertEqual(self.broker.status("late")["replay"]["next"], 51)
        self.broker.kill()
        self.broker.start()
        done = weir("subscribe", "--url", self.broker.url, "--id", "late", "--count", "5000")
        self.assertEqual([line["id"] for line in done.lines()], [str(i) for i in range(5000)])
        eventually(lambda: self.broker.status("late")["acknowledged"] == 5000, "all is taken")
        self.assertEqual(self.broker.status("late")["dropped"], 0)

    def test_the_command_begins_where_it_is_told(self):
        self.publish(0, 100)
        done = weir("subscribe", "--url", self.broker.url, "--from", "91", "--count", "10", "true")
        self.assertEqual([line["id"] for line in done.lines()], [str(i) for i in range(90, 100)])
        done = weir("subscribe", "--url", self.broker.url, "--id", "d", "--from", "earliest",
                    "--count", "100", "true")
        self.assertEqual(len(done.lines()), 100)
        done = weir("subscribe", "--url", self.broker.url, "--from", "noon", "true")
        self.assertEqual(done.code, 2)
        self.assertIn("--from: expected earliest, now, the sequence of an event", done.err)

    def test_a_start_that_cannot_be_is_refused(self):
        refused = {"soon": "start: expected earliest", "7": "at most 1, the sequence"}
        for start, words in refused.items():
            answer = self.broker.request("GET", f"/stream?start={start}")
            self.assertEqual(answer.status, 400, answer.text)
            self.assertIn(words, json.loads(answer.text)["detail"])


if __name__ == "__main__":
    unittest.main()
