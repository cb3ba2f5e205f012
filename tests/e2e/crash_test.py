#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at 30 random moments under load: nothing acknowledged is lost, state continues."""

import http.client
import json
import random
import threading
import time
import unittest

from broker_program import (BATCHED, Broker, Subscriber, eventually, events_of, exchange,
                            wait_until_consumed)
from weir_program import SANITIZED, event

KILLS = 30
SEED = 7
BATCH = 20
SUBSCRIPTIONS = {
    "all": None,
    "high": "data.v >= 50",
    "change": "change(data.v, by subject) > 10",
    "distinct": "distinct(data.v, subject) within 1h",
}
# What it gets depends on when events come: what was held back is delivered by time.
PACED = "change(data.v, by subject) > 10 at most every 20ms"


class Publisher(threading.Thread):
    """Publishes batches as fast as they are answered, or with pauses; knows what was accepted."""

    def __init__(self, broker: Broker, number: int, pause_s: float = 0):
        super().__init__()
        self.broker, self.number, self.pause_s = broker, number, pause_s
        self.random = random.Random(SEED * 1000 + number)
        self.accepted: list[tuple[int, str]] = []  # sequence, id
        self.sent: set[str] = set()
        self.next = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        connection = None
        batch: list[str] = []
        while not self.stopping.is_set():
            batch = batch or [self.make() for _ in range(BATCH)]
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.broker.port,
                                                            timeout=5)
                answer = exchange(connection, "POST", "/events", "[" + ",".join(batch) + "]",
                                  {"Content-Type": BATCHED}, None)
            except (OSError, http.client.HTTPException):
                if connection:
                    connection.close()
                connection = None
                time.sleep(0.01)
                continue  # the same batch again: it may or may not have been taken
            if answer.status in (429, 503):
                time.sleep(0.01)
                continue
            for text, result in zip(batch, answer.json()["results"]):
                if result["status"] == "accepted":
                    self.accepted.append((result["sequence"], json.loads(text)["id"]))
                else:
                    assert result["status"] == "duplicate", result
            batch = []
            time.sleep(self.pause_s)
        if connection:
            connection.close()

    def make(self) -> str:
        self.next += 1
        name = f"{self.number}-{self.next}"
        self.sent.add(name)
        return event(id=name, subject=f"s{self.random.randrange(3)}",
                     data={"v": self.random.randrange(100)})

    def stop(self) -> None:
        self.stopping.set()
        self.join()


def expected(log: list[dict]) -> dict[str, list[str]]:
    """What each subscription is to get of the events in the order of the log."""
    found: dict[str, list[str]] = {name: [] for name in SUBSCRIPTIONS}
    last: dict[str, int] = {}
    seen = set()
    for one in log:
        value, subject = one["data"]["v"], one["subject"]
        found["all"].append(one["id"])
        if value >= 50:
            found["high"].append(one["id"])
        if subject not in last or abs(value - last[subject]) > 10:
            last[subject] = value
            found["change"].append(one["id"])
        if (value, subject) not in seen:
            seen.add((value, subject))
            found["distinct"].append(one["id"])
    return found


def is_settled(log: list[dict], delivered: list[dict]) -> bool:
    """Whether the last delivery of each subject is as near to its last event as may be."""
    newest = {one["subject"]: one["data"]["v"] for one in log}
    last = {one["subject"]: one["data"]["v"] for one in delivered}
    return all(subject in last and abs(value - last[subject]) <= 10
               for subject, value in newest.items())


class CrashTest(unittest.TestCase):
    def test_nothing_acknowledged_is_lost(self):
        moments = random.Random(SEED)
        with Broker("--shards", "2", environment={"WEIR_STORE_CHECKPOINT_EVENTS": "500"}) as broker:
            subscriptions = {**SUBSCRIPTIONS, "paced": PACED}
            for name, filter_text in subscriptions.items():
                self.assertEqual(broker.subscribe(name, filter_text).status, 201)
            subscribers = {name: Subscriber(broker, name) for name in subscriptions}
            publishers = [Publisher(broker, number) for number in range(2)]
            for publisher in publishers:
                publisher.start()
            for _ in range(6 if SANITIZED else KILLS):
                time.sleep(moments.uniform(0.0, 0.3))
                broker.kill()
                broker.start()
            eventually(lambda: sum(len(one.accepted) for one in publishers) > 1000,
                       "publishers get through")
            for publisher in publishers:
                publisher.stop()
            for name in subscriptions:
                wait_until_consumed(broker, name)
            log = subscribers["all"].events()
            eventually(lambda: is_settled(log, subscribers["paced"].events()), "paced is settled")
            for subscriber in subscribers.values():
                subscriber.close()
            self.check(publishers, subscribers)
            self.check_paced(log, subscribers["paced"])
            self.assertEqual(broker.stop(), 0)

    def check(self, publishers, subscribers):
        log = subscribers["all"].events()
        ids = [one["id"] for one in log]
        self.assertEqual(len(ids), len(set(ids)), "no event is in the log twice")
        self.assertLessEqual(set(ids), set().union(*(p.sent for p in publishers)))
        accepted = sorted(pair for publisher in publishers for pair in publisher.accepted)
        self.assertLessEqual({name for _, name in accepted}, set(ids), "what was accepted is there")
        place = {name: index for index, name in enumerate(ids)}
        order = [place[name] for _, name in accepted]
        self.assertEqual(order, sorted(order), "in the order of their sequences")
        for name, wanted in expected(log).items():
            self.assertEqual(subscribers[name].ids(), wanted, name)
            self.check_redelivery(subscribers[name])

    def check_paced(self, log: list[dict], subscriber: Subscriber):
        """No event under two numbers, none without a change, the newest in the end."""
        place = {one["id"]: index for index, one in enumerate(log)}
        last: dict[str, dict] = {}
        for one in subscriber.events():
            if before := last.get(one["subject"]):
                self.assertGreater(place[one["id"]], place[before["id"]])
                self.assertGreater(abs(one["data"]["v"] - before["data"]["v"]), 10)
            last[one["subject"]] = one
        self.check_redelivery(subscriber)

    def check_redelivery(self, subscriber: Subscriber):
        """What comes twice was not acknowledged, is marked, and is the same."""
        seen: dict[int, list[dict]] = {}
        for message in subscriber.deliveries:
            number = message["number"]
            self.assertGreater(number, message["confirmed"], "it was acknowledged")
            if number in seen:
                self.assertTrue(message.get("redelivered"), "a second delivery is marked")
                self.assertEqual(events_of(message), seen[number])
            seen[number] = events_of(message)


if __name__ == "__main__":
    unittest.main()
