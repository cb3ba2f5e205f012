#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""distinct against a broker: what is seen, what is forgotten, and what a crash leaves of it."""

import json
import unittest

from broker_program import BATCHED, STRUCTURED, Broker, Subscriber, eventually
from weir_program import Done, event, weir

FILTERS = {
    "approximate": "distinct(data.v) within 1h",
    "exact": "distinct(data.v) within 1h exact",
    "verify": "distinct(data.v) within 1h verify",
}


class DistinctTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        self.published = 0
        for name, text in FILTERS.items():
            answer = self.broker.subscribe(name, text)
            self.assertEqual((answer.status, answer.json()["status"]["window"]["keys"]), (201, 0))
        self.subscribers = {name: Subscriber(self.broker, name) for name in FILTERS}
        for subscriber in self.subscribers.values():
            self.addCleanup(subscriber.close)

    def publish(self, *values: str) -> None:
        """Each as an event of its own; ids ascend from 1."""
        events = [event(self.published + n, data={"v": value})
                  for n, value in enumerate(values, start=1)]
        self.published += len(events)
        self.assertEqual(self.broker.publish(*events).json()["accepted"], len(events))

    def forget(self, name: str, value: str) -> bool:
        answer = self.broker.request("POST", f"/subscriptions/{name}/forget",
                                     event("whatever", data={"v": value}),
                                     {"Content-Type": STRUCTURED})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json()["forgotten"]

    def check_delivered(self, *ids: int) -> None:
        wanted = [str(number) for number in ids]
        for name, subscriber in self.subscribers.items():
            eventually(lambda: len(subscriber.ids()) >= len(wanted), f"{name} is delivered")
            self.assertEqual(subscriber.ids(), wanted, name)

    def test_forgets_and_remembers_through_a_crash(self):
        self.publish("a", "b", "a", "c")
        self.check_delivered(1, 2, 4)
        for name in FILTERS:
            self.assertTrue(self.forget(name, "a"))
            self.assertFalse(self.forget(name, "a"), "it is forgotten already")
            self.assertFalse(self.forget(name, "d"), "it was never seen")
        self.publish("a", "b", "a")
        self.check_delivered(1, 2, 4, 5)
        for name in FILTERS:
            self.assertTrue(self.forget(name, "c"))
        self.broker.kill()
        self.broker.start()
        # The last of them tells that those before it have been judged.
        self.publish("a", "b", "c", "c", "d")
        self.check_delivered(1, 2, 4, 5, 10, 12)
        self.assertEqual(self.broker.stop(), 0)

    def test_shows_how_windows_stand(self):
        self.publish("a", "a", "b")
        self.check_delivered(1, 3)
        eventually(lambda: self.broker.metric("weir_window_keys") == 6, "all is counted")
        for name in FILTERS:
            window = self.broker.status(name)["window"]
            self.assertEqual((window["keys"], window["hits"], window["overflow"]), (2, 1, 0), name)
            self.assertEqual(window["keys_max"], 10_000_000)
            self.assertEqual("bytes_max" in window, name != "exact")
        self.assertEqual(self.broker.metric("weir_window_hits_total"), 3)
        self.assertEqual(self.broker.metric("weir_dedup_keys"), 3)
        for name in ("weir_window_bytes", "weir_dedup_bytes"):
            self.assertGreater(self.broker.metric(name), 0, name)

    def test_says_why_nothing_can_be_forgotten(self):
        self.broker.subscribe("plain", "data.v = 'a'")
        for name, kind, status in [("plain", STRUCTURED, 400), ("nowhere", STRUCTURED, 404),
                                   ("exact", BATCHED, 415)]:
            answer = self.broker.request("POST", f"/subscriptions/{name}/forget",
                                         event(data={"v": "a"}), {"Content-Type": kind})
            self.assertEqual(answer.status, status, answer.text)

    def weir(self, *arguments: str, stdin: str = "") -> Done:
        return weir("subscriptions", *arguments, "--url", self.broker.url, stdin=stdin)

    def test_the_command_forgets_and_shows(self):
        self.publish("a", "a")
        self.check_delivered(1)
        self.assertRegex(self.weir("show", "approximate").out, r"(?m)^  window\n    keys +1$")
        self.assertRegex(self.weir("list").out, r"(?m)^ID .* DROPPED +KEYS +CONNECTED ")
        seen = event(data={"v": "a"})
        self.assertEqual(self.weir("forget", "approximate", "-", stdin=seen),
                         (0, "forgotten      true\n", ""))
        again = self.weir("forget", "approximate", "-", "--json", stdin=seen)
        self.assertEqual((again.code, json.loads(again.out)), (0, {"forgotten": False}))
        self.assertEqual(self.weir("forget", "nowhere", "-", stdin=seen).code, 3)
        broken = self.weir("forget", "approximate", "-", stdin='{"specversion": ?}')
        self.assertEqual(broken.code, 2)
        self.assertTrue(broken.err.startswith("weir: stdin: line 1, column 17: "), broken.err)


if __name__ == "__main__":
    unittest.main()
