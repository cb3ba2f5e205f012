#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many subscriptions that ask for the longest highlights, and one long event that matches all of
them: the broker answers, serves others, keeps its memory and its log small, and starts again after
a kill."""

import json
import os
import time
import unittest

from broker_program import Broker, Subscriber, eventually
from weir_program import event

FULL = os.environ.get("WEIR_FULL") == "1"
COUNT = 430 if FULL else 60
WORDS = 22_500
GROWTH_MAX = 400 << 20
SOON = 10  # seconds; it takes a fraction of one, but for a busy machine


class HostileTextTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        for i in range(COUNT):
            highlight = {"characters": 2000, "snippets": 20, "before": "<" * 64, "after": ">" * 64}
            document = {"id": f"h{i}", "config": {"highlight": highlight},
                        "filters": [{"weir": f"text(data.t) in 'none' about any 'x y{i}'"}]}
            answer = self.broker.request("POST", "/subscriptions", json.dumps(document))
            self.assertEqual(answer.status, 201, answer.text)
        self.broker.subscribe("healthy", "type = 'healthy'")

    def test_the_longest_highlights_harm_nobody(self):
        before = self.broker.rss_bytes()
        hostile = event("long", data={"t": "x " * WORDS})
        with Subscriber(self.broker, "healthy") as healthy:
            self.assertEqual(self.broker.publish(hostile).json()["accepted"], 1)
            subscribers = [Subscriber(self.broker, f"h{i}", acks=False) for i in range(5)]
            for subscriber in subscribers:
                self.addCleanup(subscriber.close)
            begin = time.monotonic()
            for i in range(20):
                self.broker.publish(event(f"healthy{i}", type="healthy"))
            eventually(lambda: len(healthy.ids()) == 20, "others are served")
            self.assertLess(time.monotonic() - begin, SOON)
            for subscriber in subscribers:
                eventually(lambda: len(subscriber.ids()) == 1, "the long event is delivered")
            said = [subscriber.events()[0] for subscriber in subscribers]
        for one in said:
            self.assertEqual((one["weirscore"], one["weirterms"]), ("0.0000", "x=0.0000"))
            self.assertIn("<" * 64 + "x" + ">" * 64, one["weirhighlight"])
        self.assertLess(self.broker.rss_bytes() - before, GROWTH_MAX)
        log_bytes = self.broker.metric("weir_log_bytes")
        self.assertLess(log_bytes, 3 * len(hostile) + 16 * COUNT + 20_000)

        self.broker.kill()
        begin = time.monotonic()
        self.broker.start()
        self.assertLess(time.monotonic() - begin, SOON)
        self.assertEqual(self.broker.status("h7")["pending"], 1)
        for i in range(5):
            with Subscriber(self.broker, f"h{i}") as subscriber:
                eventually(lambda: len(subscriber.ids()) == 1, "it is delivered again")
                self.assertEqual(subscriber.events()[0], said[i])


if __name__ == "__main__":
    unittest.main()
