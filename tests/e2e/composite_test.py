#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of filters with several changes over SSE and WebSocket, also after kill -9."""

import json
import unittest

from broker_program import Broker, Sse, Subscriber, eventually
from weir_program import event

SHARED = ("change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1 or "
          "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'D') > 1")


def reading(number: int, subject: str, value: float) -> str:
    return event(number, subject=subject, data={"v": value})


def shown(events: list[dict]) -> list[str]:
    return [one["id"] + ("*" if one.get("weirrepeated") is True else "") for one in events]


class CompositeTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def publish(self, *events: str) -> None:
        self.assertEqual(self.broker.publish(*events).json()["accepted"], len(events))

    def by_sse(self, name: str, count: int) -> list[tuple]:
        with Sse(self.broker, f"/subscriptions/{name}/events") as stream:
            messages = [stream.read() for _ in range(count)]
        return [(one.get("event"), shown(json.loads(one["data"]))) for one in messages]

    def by_websocket(self, name: str, count: int) -> list[list[str]]:
        subscriber = Subscriber(self.broker, name, acks=False)
        try:
            eventually(lambda: len(subscriber.deliveries) >= count, "the groups come")
        finally:
            subscriber.close()
        return [shown(one["events"]) for one in subscriber.deliveries]

    def test_a_group_has_every_source_and_marks_what_came_before(self):
        self.broker.subscribe("s", SHARED)
        self.publish(reading(1, "A", 10), reading(2, "C", 10), reading(3, "D", 10))
        groups = [("group", ["1", "2"]), ("group", ["1*", "3"])]
        self.assertEqual(self.by_sse("s", 2), groups)
        self.assertEqual(self.by_websocket("s", 2), [["1", "2"], ["1*", "3"]])
        self.broker.kill()
        self.broker.start()
        self.publish(reading(4, "D", 20), reading(5, "A", 20))
        self.assertEqual(self.by_sse("s", 3), groups + [("group", ["4", "5"])])
        self.publish(reading(6, "C", 20))
        self.broker.kill()
        self.broker.start()
        self.assertEqual(self.by_websocket("s", 4),
                         [["1", "2"], ["1*", "3"], ["4", "5"], ["5*", "6"]])

    def test_one_event_that_moves_all_sources_is_a_group(self):
        self.broker.subscribe("s", "change(data.v) > 1 and change(data.w) > 1")
        self.publish(event(1, data={"v": 1, "w": 1}))
        self.assertEqual(self.by_sse("s", 1), [("group", ["1"])])
        self.assertEqual(self.by_websocket("s", 1), [["1"]])

    def test_a_new_one_begins_with_current_values(self):
        self.publish(reading(1, "A", 10), reading(2, "C", 10))
        self.broker.subscribe("s", SHARED)
        self.publish(reading(3, "A", 10))
        self.assertEqual(self.by_sse("s", 1), [("group", ["2", "3"])])


if __name__ == "__main__":
    unittest.main()
