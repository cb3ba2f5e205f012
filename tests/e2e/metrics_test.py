#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What /metrics tells: the names that docs/protocol.md has, and how much work matching is."""

import re
import signal
import unittest

from broker_program import BATCHED, STRUCTURED, Broker, eventually
from weir_program import ROOT, event, weir

# Of the first ten, an event with that x and another type leads to one, whose signature stops it.
FILTERS = [f"type = 'trade' and data.x = {x}" for x in range(10)] + [
    "type = 'quote'", "not type = 'test'", "true"]


class MetricsTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def text(self) -> str:
        return self.broker.request("GET", "/metrics").text

    def test_the_tables_have_every_name(self):
        served = re.findall(r"^# TYPE (\S+) ", self.text(), re.MULTILINE)
        for name in ("protocol", "operations"):
            document = (ROOT / "docs" / f"{name}.md").read_text()
            rows = re.findall(r"^\| (`weir_.*?) \|", document, re.MULTILINE)
            listed = [name for row in rows for name in re.findall(r"`(weir_\w+)`", row)]
            self.assertEqual(sorted(listed), sorted(served), name)

    def test_names_of_other_documents_are_served(self):
        text = self.text()
        for name in ("filters", "text", "operations"):
            document = (ROOT / "docs" / f"{name}.md").read_text()
            for metric in re.findall(r"\b(weir_[a-z]\w+)", document):
                self.assertIn(f"# TYPE {metric} ", text, name)

    def test_the_work_of_matching_is_counted(self):
        metric = self.broker.metric
        for i, text in enumerate(FILTERS):
            self.assertEqual(self.broker.subscribe(f"s{i}", text).status, 201)
        eventually(lambda: metric("weir_match_conjunctions") == 13, "all filters are there")
        self.assertEqual(metric("weir_match_unindexed"), 1)
        self.assertEqual(metric("weir_match_always"), 1)
        self.assertGreater(metric("weir_matcher_bytes"), 0)
        for i in range(8):
            self.broker.publish(event(i, type="quote", data={"x": 1}))
        eventually(lambda: metric("weir_match_matches_total") == 24, "all is matched")
        for name in ("candidates", "signature_rejects", "verified"):
            self.assertGreater(metric(f"weir_match_{name}_total"), 0, name)
        self.assertEqual(metric("weir_match_moves_total"), 0)
        self.assertEqual(metric("weir_match_placements_total"), 0)
        self.broker.request("DELETE", "/subscriptions/s11")
        eventually(lambda: metric("weir_match_unindexed") == 0, "the last one is gone")


class EventCountsTest(unittest.TestCase):
    """Every event that came is accepted, a duplicate, rejected or unavailable: once."""

    COUNTS = ("received", "accepted", "duplicate", "rejected", "unavailable")

    def start(self, *arguments: str, **environment: str) -> None:
        self.broker = Broker(*arguments, environment=environment)
        self.addCleanup(self.broker.__exit__)
        self.counts = dict.fromkeys(self.COUNTS, 0)

    def expect(self, body: str, headers: dict[str, str], status: int, token: str | None = None,
               **counts: int) -> None:
        """Posts it, and compares how much each count has grown."""
        answer = self.broker.request("POST", "/events", body, headers, token)
        self.assertEqual(answer.status, status, answer.text)
        now = {name: self.broker.metric(f"weir_events_{name}_total") for name in self.COUNTS}
        grown = {name: now[name] - self.counts[name] for name in self.COUNTS}
        expected = dict.fromkeys(self.COUNTS, 0) | counts | {"received": sum(counts.values())}
        self.assertEqual(grown, expected, answer.text)
        self.counts = now

    def test_of_all_kinds_of_input(self):
        self.start(WEIR_SERVER_BODY_BYTES="20KiB", WEIR_STORE_RECORD_BYTES="10KiB",
                   WEIR_BROKER_BATCH_EVENTS="5")
        one, batch = {"Content-Type": STRUCTURED}, {"Content-Type": BATCHED}
        binary = {"ce-specversion": "1.0", "ce-id": "b", "ce-source": "/b", "ce-type": "t"}
        self.expect(event(1), one, 202, accepted=1)
        self.expect(event(1), one, 200, duplicate=1)
        self.expect("x", binary, 202, accepted=1)
        for text in ("", "{", "[]", "null", event(2, specversion="0.3"), event(2, id=""),
                     event(2, time="noon"), event(2, data_base64="?"), event(2) + event(3)):
            self.expect(text, one, 400, rejected=1)
        self.expect(event(2, data="x" * 12_000), one, 413, rejected=1)
        self.expect(event(2, data="x" * 30_000), one, 413, rejected=1)
        self.expect("x", {**binary, "ce-id": ""}, 400, rejected=1)
        self.expect("x", {**binary, "ce-bad_name": "1"}, 400, rejected=1)
        self.expect("{", {**binary, "Content-Type": "application/json"}, 400, rejected=1)
        self.expect("x", {"ce-id": "1"}, 400, rejected=1)
        self.expect("x", {"Content-Type": "application/cloudevents+xml"}, 415, rejected=1)
        self.expect("x", {**one, "Content-Encoding": "gzip"}, 415, rejected=1)
        self.expect(event(2), {**one, "Accept": "image/png"}, 406, rejected=1)
        self.expect(f"[{event(4)},{event(4)},{event(5, id='')},7]", batch, 200,
                    accepted=1, duplicate=1, rejected=2)
        self.expect("[1,2]", batch, 400, rejected=2)
        self.expect("[]", batch, 200)
        self.expect("{}", batch, 400, rejected=1)
        self.expect("[" + ",".join(map(event, range(10, 20))) + "]", batch, 413, rejected=1)

    def test_of_what_is_not_granted(self):
        self.start("--anonymous", "loopback")
        made = weir("token", "create", "half", "--publish", "source:/mine/", "--data",
                    str(self.broker.data))
        token = made.out.strip()
        self.broker.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.broker.request("GET", "/subscriptions", token=token).status == 200,
                   "the token is known")
        one = {"Content-Type": STRUCTURED}
        self.expect(event(1, source="/mine/1"), one, 202, token, accepted=1)
        self.expect(event(1), one, 403, token, rejected=1)
        self.expect(event(1), one, 401, "weir_wrong")
        mixed = f"[{event(2)},{event(2, source='/mine/1')}]"
        self.expect(mixed, {"Content-Type": BATCHED}, 200, token, accepted=1, rejected=1)

    def test_of_what_cannot_be_taken_now(self):
        self.start(WEIR_BROKER_PUBLISH_QUEUE_BYTES="4000")
        self.expect(event(1, data="x" * 5000), {"Content-Type": STRUCTURED}, 429, unavailable=1)
        self.broker.subscribe("slow", config={"outbox": {"policy": "block", "limit": 1}})
        self.expect(event(1), {"Content-Type": STRUCTURED}, 202, accepted=1)
        eventually(lambda: self.broker.metric("weir_outboxes_blocking") == 1, "it blocks")
        self.expect(f"[{event(8)},{event(9)}]", {"Content-Type": BATCHED}, 429, unavailable=2)


if __name__ == "__main__":
    unittest.main()
