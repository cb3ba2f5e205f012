#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged directories: a broker does not start on them, and weir doctor --repair tells the loss."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from broker_program import Broker, Subscriber, eventually
from weir_program import event, weir

EVENTS = 200
LATE_EVENTS = 26  # accepted after the last write to the registry


def publish(broker: Broker, first: int, count: int) -> None:
    texts = [event(id=str(number), data={"v": number, "pad": "x" * 200})
             for number in range(first, first + count)]
    for text in texts:
        answer = broker.publish(text)
        assert answer.status in (200, 202), answer


class DamageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="weir-e2e-")
        cls.whole = Path(cls.folder.name) / "whole"
        with Broker(data=cls.whole, environment={"WEIR_STORE_SEGMENT_BYTES": "16KiB"}) as broker:
            assert broker.subscribe("kept").status == 201
            assert broker.subscribe("read").status == 201
            publish(broker, 0, EVENTS)
            with Subscriber(broker, "read") as subscriber:
                eventually(lambda: subscriber.confirmed >= EVENTS, "all is acknowledged")
            assert weir("token", "create", "revoked", "--data", str(cls.whole),
                        "--admin").code == 0
            assert weir("token", "revoke", "revoked", "--data", str(cls.whole)).code == 0
            publish(broker, EVENTS, LATE_EVENTS)
            broker.kill()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.data = Path(self.folder.name) / self.id().rsplit(".", 1)[1]
        shutil.copytree(self.whole, self.data)
        self.segments = sorted((self.data / "log").glob("*.log"))
        self.assertGreater(len(self.segments), 2)

    def refused(self) -> str:
        """The last lines of a broker that does not start."""
        with self.assertRaises(AssertionError) as caught:
            Broker(data=self.data).stop()
        text = str(caught.exception)
        self.assertIn("weir doctor", text)
        self.assertEqual(weir("doctor", str(self.data)).code, 6)
        return text

    def repair(self) -> dict:
        done = weir("doctor", str(self.data), "--repair", "--json")
        self.assertEqual(done.code, 0, done.err + done.out)
        told = done.lines()[0]
        self.assertTrue(told["repaired"])
        self.assertTrue((Path(told["originals"]) / "REPORT").read_text())
        return told

    def received(self, noted: int = EVENTS + LATE_EVENTS) -> list[int]:
        """The deliveries of the subscription that never acknowledged; so many are noted."""
        with Broker(data=self.data) as broker:
            with Subscriber(broker, "kept") as subscriber:
                eventually(lambda: broker.status("kept")["pending"] == 0, "all is delivered")
            status = broker.status("kept")
            self.assertEqual(status["acknowledged"] + status["expired"], noted, status)
            self.assertEqual(broker.stop(), 0)
        return sorted(int(name) for name in subscriber.ids())

    def test_the_whole_directory_starts(self):
        self.assertIn(weir("doctor", str(self.data)).code, (0, 1))
        self.assertEqual(self.received(), list(range(EVENTS + LATE_EVENTS)))
        done = weir("doctor", str(self.data), "--repair")
        self.assertEqual((done.code, "nothing is damaged" in done.out), (0, True), done.out)

    def test_a_missing_first_segment_is_not_taken_for_retention(self):
        self.segments[0].unlink()
        self.assertIn(f"{self.segments[0].name} is missing", self.refused())
        lost = self.repair()["lost_records"]
        self.assertEqual((len(lost), lost[0]["first_sequence"]), (1, 1))
        last = lost[0]["last_sequence"]
        self.assertEqual(self.received(), list(range(last, EVENTS + LATE_EVENTS)))

    def test_a_cut_end_with_accepted_events_stops_the_start(self):
        with self.segments[-1].open("r+b") as file:
            file.truncate(self.segments[-1].stat().st_size - 254)
        text = self.refused()
        self.assertIn("event 226 is gone", text)
        self.assertIn(self.segments[-1].name, text)
        lost = self.repair()["lost_records"]
        self.assertEqual((len(lost), lost[0]["last_sequence"]), (1, EVENTS + LATE_EVENTS))
        kept = lost[0]["first_sequence"] - 1
        self.assertEqual(self.received(noted=kept), list(range(kept)))

    def test_a_lost_event_takes_no_other_with_it(self):
        content = bytearray(self.segments[1].read_bytes())
        begin = content.index(b'"pad"')
        content[begin] ^= 1
        self.segments[1].write_bytes(content)
        told = self.repair()
        lost = told["lost_records"]
        self.assertEqual(len(lost), 1, lost)
        self.assertEqual(lost[0]["first_sequence"], lost[0]["last_sequence"])
        number = lost[0]["first_sequence"]
        self.assertEqual([(row["id"], row["ranges"]) for row in told["lost_deliveries"]],
                         [("kept", [[number, number]])])
        want = list(range(EVENTS + LATE_EVENTS))
        want.remove(number - 1)
        self.assertEqual(self.received(), want)

    def test_a_bad_bit_in_the_write_ahead_log_revives_no_token(self):
        log = self.data / "registry.sqlite-wal"
        content = bytearray(log.read_bytes())
        self.assertGreater(len(content), 5000)
        content[len(content) // 2] ^= 1
        log.write_bytes(content)
        self.assertIn("registry.sqlite", self.refused())
        told = self.repair()
        self.assertGreater(told["lost_transactions"] + len(told["lost_rows"]), 0)
        self.assertEqual(self.received(), list(range(EVENTS + LATE_EVENTS)))

    def test_a_registry_deleted_beside_a_full_log_is_not_made_anew(self):
        for file in self.data.glob("registry.sqlite*"):
            file.unlink()
        self.assertIn("registry.sqlite is missing, new, or older than the log", self.refused())
        done = weir("doctor", str(self.data), "--repair", "--json")
        self.assertEqual(done.code, 6)
        self.assertIn("cannot be repaired", json.loads(done.err)["error"]["message"]
                      if done.err.startswith("{") else done.err)

    def test_a_repair_waits_for_no_broker(self):
        with Broker(data=self.data):
            done = weir("doctor", str(self.data), "--repair")
            self.assertIn("in use by another process", done.err)


if __name__ == "__main__":
    unittest.main()
