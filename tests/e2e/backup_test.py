#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir backup, restore and doctor: backups taken under load lose nothing that was confirmed."""

import json
import os
import random
import shutil
import stat
import tempfile
import time
import unittest
from pathlib import Path
from typing import NamedTuple

from broker_program import Broker, Subscriber, eventually, wait_until_consumed
from crash_test import SUBSCRIPTIONS, Publisher, expected
from weir_program import SANITIZED, event, weir

BACKUPS = 2 if SANITIZED else 4
EVENTS_BETWEEN = 250  # at least so many are accepted before each backup
PAUSE_S = 0.02  # between batches: what is accepted is also consumed, several times
COPIES_MAX = 50
SEED = 11


class Moment(NamedTuple):
    """What was confirmed before a backup began, and how far consumers were when it had ended."""
    folder: Path
    accepted: dict[str, int]   # id to sequence
    confirmed: dict[str, int]  # of each subscription the number that was acknowledged for good
    received: dict[str, int]   # the number of its last delivery


class Load:
    """A broker with publishers and consumers."""

    def __init__(self, data: Path):
        self.broker = Broker("--shards", "2", data=data,
                             environment={"WEIR_STORE_CHECKPOINT_EVENTS": "500",
                                          "WEIR_STORE_SEGMENT_BYTES": "1MiB"})
        for name, filter_text in SUBSCRIPTIONS.items():
            assert self.broker.subscribe(name, filter_text).status == 201
        # Never consumed here: what it gets later is the whole log.
        assert self.broker.subscribe("kept").status == 201
        self.subscribers = {name: Subscriber(self.broker, name) for name in SUBSCRIPTIONS}
        self.publishers = [Publisher(self.broker, number, PAUSE_S) for number in range(2)]
        for publisher in self.publishers:
            publisher.start()

    def accepted(self) -> dict[str, int]:
        """Id to sequence, of all events that were accepted by now."""
        return {name: sequence for publisher in self.publishers
                for sequence, name in list(publisher.accepted)}

    def go_on(self) -> None:
        """Waits until more events have been accepted."""
        before = len(self.accepted())
        eventually(lambda: len(self.accepted()) >= before + EVENTS_BETWEEN, "events are accepted")

    def stop_publishing(self) -> None:
        for publisher in self.publishers:
            publisher.stop()

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_) -> None:
        self.stop_publishing()
        for subscriber in self.subscribers.values():
            subscriber.close()
        self.broker.__exit__()


class BackupUnderLoadTest(unittest.TestCase):
    def test_nothing_confirmed_before_a_backup_is_missing_from_it(self):
        with tempfile.TemporaryDirectory(prefix="weir-e2e-") as folder:
            moments = self.run_load(Path(folder))
            for moment in moments:
                with self.subTest(moment.folder.name):
                    self.check(moment)

    def run_load(self, folder: Path) -> list[Moment]:
        chance = random.Random(SEED)
        moments = []
        with Load(folder / "data") as load:
            for number in range(BACKUPS):
                load.go_on()
                time.sleep(chance.uniform(0, 0.1))  # at any moment of a checkpoint
                moments.append(self.back_up(load, folder / f"backup{number}"))
        return moments

    def back_up(self, load: Load, target: Path) -> Moment:
        accepted = load.accepted()
        confirmed = {name: one.confirmed for name, one in load.subscribers.items()}
        done = weir("backup", str(target), "--data", str(load.broker.data), "--json")
        self.assertEqual(done.code, 0, done.err)
        told = done.lines()[0]
        self.assertGreaterEqual(told["last_sequence"], max(accepted.values(), default=0))
        received = {name: max((one["number"] for one in list(subscriber.deliveries)), default=0)
                    for name, subscriber in load.subscribers.items()}
        return Moment(target, accepted, confirmed, received)

    def check(self, moment: Moment) -> None:
        data = moment.folder.parent / f"{moment.folder.name}-restored"
        done = weir("restore", str(moment.folder), "--data", str(data))
        self.assertEqual(done.code, 0, done.err)
        done = weir("doctor", str(data), "--json")
        self.assertIn(done.code, (0, 1), done.out)
        with Broker("--shards", "2", data=data) as broker:
            subscribers = {name: Subscriber(broker, name) for name in [*SUBSCRIPTIONS, "kept"]}
            for name in subscribers:
                wait_until_consumed(broker, name)
            for subscriber in subscribers.values():
                subscriber.close()
            self.assertEqual(broker.stop(), 0)
        log = subscribers["kept"].events()
        ids = [one["id"] for one in log]
        self.assertEqual(len(ids), len(set(ids)), "no event is there twice")
        place = {name: index + 1 for index, name in enumerate(ids)}
        for name, sequence in moment.accepted.items():
            self.assertEqual(place.get(name), sequence, "what was accepted is in its place")
        for name, wanted in expected(log).items():
            self.check_subscription(name, wanted, subscribers[name], moment)

    def check_subscription(self, name: str, wanted: list[str], subscriber: Subscriber,
                           moment: Moment) -> None:
        """It goes on after what was confirmed before, and skips nothing that was not received."""
        numbers = sorted({one["number"] for one in subscriber.deliveries})
        settled = numbers[0] - 1 if numbers else len(wanted)
        self.assertEqual(numbers, list(range(settled + 1, len(wanted) + 1)), name)
        self.assertEqual(subscriber.ids(), wanted[settled:], name)
        self.assertGreaterEqual(settled, moment.confirmed[name], "what was confirmed stays so")
        self.assertLessEqual(settled, moment.received[name], "nothing is skipped")


class PlainCopyTest(unittest.TestCase):
    """Files copied one by one under load: a broker has all of it, or says what to copy again."""

    def test_a_copy_in_any_order_starts_completely_or_tells_what_to_do(self):
        chance = random.Random(SEED)
        with tempfile.TemporaryDirectory(prefix="weir-e2e-") as name:
            folder = Path(name)
            copies = []
            # The load ends before the copies are started: a log that grows has no end to wait for.
            with Load(folder / "data") as load:
                for number in range(BACKUPS):
                    load.go_on()
                    time.sleep(chance.uniform(0, 0.1))
                    parts = ["log", "registry.sqlite", "registry.sqlite-wal",
                             "registry.sqlite-numbers"]
                    chance.shuffle(parts)
                    copies.append(self.copy(load, folder / f"copy{number}", parts))
                load.stop_publishing()
                self.start_as_told(load, folder)
            for by_chance in copies:
                self.start(*by_chance)

    def start_as_told(self, load: Load, folder: Path) -> None:
        """Copies in the order that the messages tell, again while they tell to copy again."""
        for number in range(COPIES_MAX):
            copied = self.copy(load, folder / f"again{number}",
                               ["registry.sqlite-numbers", "registry.sqlite",
                                "registry.sqlite-wal", "log/BOUNDS", "log"])
            if self.start(*copied) == "started":
                return
        self.fail(f"none of {COPIES_MAX} copies starts")

    def copy(self, load: Load, target: Path, parts: list[str]) -> tuple[Path, dict[str, int]]:
        """The copy, and what had been accepted before it began."""
        accepted = load.accepted()
        (target / "log").mkdir(parents=True)
        for part in parts:
            if part == "log":
                done = shutil.ignore_patterns(*(file.name for file in (target / part).iterdir()))
                shutil.copytree(load.broker.data / part, target / part, dirs_exist_ok=True,
                                ignore=done)
            else:
                shutil.copyfile(load.broker.data / part, target / part)
        return target, accepted

    def start(self, data: Path, accepted: dict[str, int]) -> str:
        try:
            broker = Broker("--shards", "2", data=data)
        except AssertionError as error:
            self.assertRegex(str(error), r"[Cc]opy .*(again|from where)|use weir backup")
            return "refused"
        with broker:
            with Subscriber(broker, "kept") as subscriber:
                wait_until_consumed(broker, "kept")
            ids = set(subscriber.ids())
            self.assertLessEqual(set(accepted), ids, "what was accepted is there")
            for name in SUBSCRIPTIONS:
                self.assertEqual(broker.request("GET", f"/subscriptions/{name}").status, 200)
        return "started"


class BackupCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weir-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data, self.backup = self.folder / "data", self.folder / "backup"
        with Broker(data=self.data) as broker:
            self.assertEqual(broker.subscribe("s").status, 201)
            self.assertEqual(broker.publish(event(1), event(2)).status, 200)

    def weir(self, *arguments: str):
        return weir(*(str(one) for one in arguments))

    def test_a_stopped_broker_is_backed_up_and_restored(self):
        done = self.weir("backup", self.backup, "--data", self.data)
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"^backed up \S+ to \S+: .* in \d files, 2 events up to number")
        self.assertEqual(stat.S_IMODE(os.stat(self.backup / "registry.sqlite").st_mode), 0o600)
        done = self.weir("restore", self.backup, "--data", self.folder / "new")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"^restored \S+ to \S+, as of 20.* 2 events up to number 2$")
        with Broker(data=self.folder / "new") as broker, Subscriber(broker, "s") as subscriber:
            eventually(lambda: subscriber.ids() == ["1", "2"], "both are delivered")

    def test_it_is_refused_where_it_would_do_harm(self):
        self.assertEqual(self.weir("backup", self.backup, "--data", self.data).code, 0)
        done = self.weir("backup", self.backup, "--data", self.data, "--json")
        self.assertEqual(done.code, 2)
        self.assertEqual(json.loads(done.err)["error"]["name"], "store.target")
        done = self.weir("restore", self.backup, "--data", self.data)
        self.assertEqual(done.code, 2)
        self.assertIn("is not empty", done.err)
        with Broker(data=self.data):
            done = self.weir("restore", self.backup, "--data", self.data)
            self.assertEqual(done.code, 5)
            self.assertIn("in use by another process", done.err)
        done = self.weir("backup", self.folder / "b", "--data", self.folder / "none")
        self.assertEqual(done.code, 2)
        self.assertIn("there is no broker's data", done.err)

    def test_a_backup_that_is_not_whole_is_not_restored(self):
        self.assertEqual(self.weir("backup", self.backup, "--data", self.data).code, 0)
        cut = self.folder / "cut"
        shutil.copytree(self.backup, cut)
        (cut / "MANIFEST").unlink()
        done = self.weir("restore", cut, "--data", self.folder / "new")
        self.assertEqual(done.code, 2)
        self.assertIn("no complete backup", done.err)
        segment = next((self.backup / "log").glob("*.log"))
        segment.write_bytes(segment.read_bytes()[:-1])
        done = self.weir("restore", self.backup, "--data", self.folder / "new")
        self.assertEqual(done.code, 6)
        self.assertIn(segment.name, done.err)
        self.assertFalse((self.folder / "new").exists())

    def test_doctor_explains_what_it_finds(self):
        done = self.weir("doctor", self.data)
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"examined: 2 events and \d+ notes in 1 segments")
        self.assertTrue(done.out.endswith(": sound\n"))
        with Broker(data=self.data):
            self.assertIn("a broker runs on this directory", self.weir("doctor", self.data).out)
        segment = next((self.data / "log").glob("*.log"))
        text = bytearray(segment.read_bytes())
        text[100] ^= 1
        segment.write_bytes(text)
        done = self.weir("doctor", "--data", self.data, "--json")
        self.assertEqual(done.code, 6)
        found = done.lines()[0]
        self.assertEqual(found["verdict"], "damaged")
        self.assertEqual(found["findings"][0]["file"], f"log/{segment.name}")
        self.assertEqual(found["findings"][0]["offset"], 56)
        self.assertTrue(all(one["consequence"] and one["advice"] for one in found["findings"]))
        self.assertEqual(self.weir("doctor", self.folder / "none").code, 2)


if __name__ == "__main__":
    unittest.main()
