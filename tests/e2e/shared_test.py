#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Consumers that share a subscription while they, and the broker, are killed: nothing is lost."""

import asyncio
import http.client
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import NamedTuple

import websockets

from broker_program import BATCHED, JSON, Broker, Sse, eventually, exchange
from weir_program import PROGRAM, SANITIZED, event

FULL = bool(os.environ.get("WEIR_FULL")) and not SANITIZED
EVENTS = 200_000 if FULL else 2_000 if SANITIZED else 20_000
KEYS = 500
CONSUMERS = 4
BATCH = 200
KILL_EVERY_S = 1.0
PATIENCE_S = 240
SEED = 11


class Line(NamedTuple):
    """A delivery that a consumer has processed."""

    at_ns: int
    number: int
    redelivered: bool
    subject: str
    place: int


class Publisher(threading.Thread):
    """Publishes all events, each subject's in order, however often the broker refuses or dies."""

    def __init__(self, broker: Broker, count: int):
        super().__init__()
        self.broker, self.count, self.accepted = broker, count, 0
        self.stopping = threading.Event()

    def run(self) -> None:
        subjects = random.Random(SEED)
        places = dict.fromkeys(range(KEYS), 0)
        connection = None
        for first in range(0, self.count, BATCH):
            batch = []
            for number in range(first, min(first + BATCH, self.count)):
                subject = subjects.randrange(KEYS)
                places[subject] += 1
                batch.append(event(id=str(number), subject=f"s{subject}",
                                   data={"place": places[subject]}))
            body = "[" + ",".join(batch) + "]"
            while not self.stopping.is_set():
                try:
                    connection = connection or http.client.HTTPConnection(
                        "127.0.0.1", self.broker.port, timeout=5)
                    answer = exchange(connection, "POST", "/events", body,
                                      {"Content-Type": BATCHED}, None)
                except (OSError, http.client.HTTPException):
                    if connection:
                        connection.close()
                    connection = None
                    time.sleep(0.02)
                    continue
                if answer.status == 200:
                    self.accepted += len(batch)
                    break
                time.sleep(0.02)
        if connection:
            connection.close()


class Consumers:
    """Processes that share a subscription; each begins a log of its own."""

    def __init__(self, broker: Broker, name: str, directory: Path):
        self.broker, self.name, self.directory = broker, name, directory
        self.port_file = directory / "port"
        self.numbers = itertools.count()
        self.processes: list[subprocess.Popen] = []
        self.tell_port()
        for _ in range(CONSUMERS):
            self.start()

    def tell_port(self) -> None:
        new = self.directory / "port.new"
        new.write_text(str(self.broker.port))
        new.rename(self.port_file)

    def start(self) -> None:
        log = self.directory / f"{next(self.numbers)}.log"
        script = Path(__file__).with_name("shared_consumer.py")
        self.processes.append(subprocess.Popen([sys.executable, script, self.port_file, self.name,
                                                log]))

    def kill_one(self, choice: int) -> None:
        process = self.processes.pop(choice % len(self.processes))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.start()

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def lines(self) -> list[Line]:
        """All that was processed, by time. A consumer may have died within a line."""
        found = []
        for log in self.directory.glob("*.log"):
            for text in log.read_text().splitlines(keepends=True):
                if text.endswith("\n"):
                    at, number, again, subject, place = text.split()
                    found.append(Line(int(at), int(number), again == "1", subject, int(place)))
        return sorted(found)


class SharedTest(unittest.TestCase):
    def run_load(self, kill_broker_at: tuple[float, ...]) -> tuple[list[Line], list[int]]:
        """The lines of all consumers, and the instants at which the broker was killed."""
        with tempfile.TemporaryDirectory(prefix="weir-shared-") as directory, Broker() as broker:
            made = broker.subscribe("jobs", config={
                "consumers": {"mode": "shared", "by": "subject", "acknowledge_within": "20s"},
                "outbox": {"policy": "block", "limit": 20_000}})
            self.assertEqual(made.status, 201, made.text)
            consumers = Consumers(broker, "jobs", Path(directory))
            publisher = Publisher(broker, EVENTS)
            publisher.start()
            try:
                kills = self.disturb(broker, consumers, publisher, list(kill_broker_at))
            finally:
                publisher.stopping.set()
                publisher.join()
                consumers.close()
            status = broker.status("jobs")
            self.assertEqual(status["dropped"], 0)
            self.report(consumers, status, kills)
            self.assertEqual(broker.stop(), 0)
            return consumers.lines(), kills["broker"]

    def disturb(self, broker, consumers, publisher, kill_broker_at) -> dict:
        """Kills until all is processed; at least five consumers and all the broker's times."""
        choices = random.Random(SEED)
        begin = time.monotonic()
        kills: dict = {"consumers": 0, "broker": [], "seconds": 0.0}
        while True:
            time.sleep(KILL_EVERY_S)
            self.assertLess(time.monotonic() - begin, PATIENCE_S, "all is processed by then")
            if kill_broker_at and publisher.accepted >= kill_broker_at[0] * EVENTS:
                kill_broker_at.pop(0)
                kills["broker"].append(time.monotonic_ns())
                broker.kill()
                broker.start()
                consumers.tell_port()
            is_done = publisher.accepted >= EVENTS and broker.status("jobs")["pending"] == 0
            if is_done and kills["consumers"] >= 5 and not kill_broker_at:
                kills["seconds"] = time.monotonic() - begin
                return kills
            consumers.kill_one(choices.randrange(CONSUMERS))
            kills["consumers"] += 1

    def report(self, consumers, status, kills) -> None:
        lines = consumers.lines()
        print(f"{EVENTS} events, {kills['consumers']} consumers and {len(kills['broker'])} brokers "
              f"killed in {kills['seconds']:.0f} s: {len(lines)} processed, "
              f"{len(lines) - len({line.number for line in lines})} of them again; "
              f"redelivered {status['redelivered']}", file=sys.stderr)

    def check_complete(self, lines: list[Line]) -> None:
        places: dict[str, set[int]] = {}
        for line in lines:
            places.setdefault(line.subject, set()).add(line.place)
        self.assertEqual(sum(map(len, places.values())), EVENTS, "each is processed at least once")
        for subject, found in places.items():
            self.assertEqual(found, set(range(1, len(found) + 1)), subject)
        if not SANITIZED:  # there are too few events for a kill in the middle
            self.assertTrue(any(line.redelivered for line in lines), "what the killed ones had")
        seen: set[int] = set()
        for line in lines:
            self.assertTrue(line.redelivered or line.number not in seen,
                            f"{line} came before and is not marked")
            seen.add(line.number)

    def check_order(self, lines: list[Line], pauses: list[int]) -> None:
        """By subject nothing is skipped, and what is done never comes again.

        The broker may go back to what was acknowledged for good when it is killed, but then goes on
        in order from there.
        """
        last: dict[str, Line] = {}
        for line in lines:
            before = last.get(line.subject)
            last[line.subject] = line
            if before is None:
                self.assertEqual(line.place, 1)
                continue
            was_killed = any(before.at_ns < pause < line.at_ns for pause in pauses)
            allowed = range(1, before.place + 2) if was_killed else range(before.place,
                                                                         before.place + 2)
            self.assertIn(line.place, allowed, f"{before} and then {line}")

    def test_each_is_processed_in_order_of_its_key_while_consumers_are_killed(self):
        lines, _ = self.run_load(())
        self.check_complete(lines)
        self.check_order(lines, [])

    def test_nothing_is_lost_when_the_broker_is_killed_too(self):
        lines, pauses = self.run_load((0.3, 0.6))
        self.check_complete(lines)
        self.check_order(lines, pauses)

    def test_single_acknowledgements_survive_a_crash(self):
        with Broker() as broker:
            broker.subscribe("jobs", config={"consumers": "shared"})
            broker.publish(*(event(id=str(number)) for number in range(1, 7)))
            with Sse(broker, "/subscriptions/jobs/events") as stream:
                self.assertEqual([stream.read()["number"] for _ in range(6)], list("123456"))
                answer = broker.request("POST", "/subscriptions/jobs/ack",
                                        json.dumps({"numbers": [2, 3, 5, 99]}),
                                        {"Content-Type": JSON})
                self.assertEqual((answer.status, answer.json()), (200, {"not_in_flight": [99]}))
                self.assertEqual(broker.status("jobs")["in_flight"], 3)
            broker.kill()
            broker.start()
            status = broker.status("jobs")
            self.assertEqual((status["pending"], status["acknowledged"]), (3, 3))
            with Sse(broker, "/subscriptions/jobs/events", last_event_id="6") as stream:
                again = [stream.read() for _ in range(3)]
            self.assertEqual([message["number"] for message in again], list("146"))
            for message in again:
                self.assertIn("redelivered", message["comments"])

    def answer(self, broker: Broker, what: str, **members) -> tuple[int, dict]:
        found = broker.request("POST", f"/subscriptions/jobs/{what}", json.dumps(members),
                               {"Content-Type": JSON})
        return found.status, found.json() if found.text else {}

    def test_answers_by_http(self):
        with Broker() as broker:
            broker.subscribe("jobs", config={"consumers": "shared"})
            broker.publish(event(1), event(2))
            with Sse(broker, "/subscriptions/jobs/events") as stream:
                self.assertEqual([stream.read()["number"] for _ in range(2)], ["1", "2"])
                self.assertEqual(self.answer(broker, "nack", numbers=[2, 7]),
                                 (200, {"not_in_flight": [7]}))
                self.assertEqual(stream.read()["number"], "2")
                begin = time.monotonic()
                self.assertEqual(self.answer(broker, "nack", numbers=[1], delay="300ms")[0], 200)
                self.assertEqual(stream.read()["number"], "1")
                self.assertGreaterEqual(time.monotonic() - begin, 0.3)
                status, problem = self.answer(broker, "ack", upto=2)
                self.assertEqual((status, problem["name"]), (400, "broker.acknowledge"))
                self.assertIn("numbers", problem["detail"])
                for wrong in ({"numbers": 1}, {"numbers": [1], "delay": 5}, {"delay": "5s"}, {}):
                    status, problem = self.answer(broker, "nack", **wrong)
                    self.assertEqual((status, problem["name"]), (400, "http.parameter"), wrong)
                self.assertEqual(self.answer(broker, "ack", numbers=[1, 2]),
                                 (200, {"not_in_flight": []}))
            eventually(lambda: broker.status("jobs")["pending"] == 0, "all is acknowledged")
            self.assertEqual(broker.metric("weir_deliveries_nacked_total"), 2)
            broker.subscribe("jobs")
            for what in ("ack", "nack"):
                status, problem = self.answer(broker, what, numbers=[1])
                self.assertEqual((status, problem["name"]), (400, "broker.not_shared"))

    def test_answers_by_websocket(self):
        with Broker() as broker:
            broker.subscribe("jobs", config={"consumers": "shared"})
            broker.publish(event(1), event(2), event(3))
            asyncio.run(self.talk(f"ws://127.0.0.1:{broker.port}/subscriptions/jobs/events"))
            self.assertEqual(broker.status("jobs")["acknowledged"], 2)

    async def talk(self, url: str) -> None:
        async with (websockets.connect(url, subprotocols=["weir.v1"]) as first,
                    websockets.connect(url, subprotocols=["weir.v1"]) as second):
            for one in (first, second):
                hello = json.loads(await one.recv())
                self.assertEqual(hello["consumers"], "shared")
            await first.send('{"type":"credit","count":3}')
            numbers = [json.loads(await first.recv())["number"] for _ in range(3)]
            self.assertEqual(numbers, [1, 2, 3])
            await first.send('{"type":"ack","numbers":[3,1]}')
            told = json.loads(await first.recv())
            self.assertEqual((told["type"], sorted(told["numbers"])), ("acknowledged", [1, 3]))
            await second.send('{"type":"credit","count":3}')
            await first.send('{"type":"nack","number":2}')
            again = json.loads(await second.recv())
            self.assertEqual((again["number"], again["redelivered"]), (2, True))

    def test_the_command_shares_and_acknowledges(self):
        """One of the two ends after 100 events: the other one does not get these again."""
        with Broker() as broker, tempfile.TemporaryDirectory(prefix="weir-shared-") as directory:
            outputs = [Path(directory) / name for name in "ab"]
            processes = []
            for output, limit in zip(outputs, (["--count", "100"], [])):
                with output.open("wb") as file:
                    processes.append(subprocess.Popen(
                        [PROGRAM, "subscribe", "--id", "jobs", "--shared", "--url", broker.url,
                         *limit, "true"], stdout=file))
                eventually(lambda: broker.request("GET", "/subscriptions/jobs").status == 200 and
                           broker.status("jobs")["consumers"] == len(processes), "it is connected")
            wanted = sorted(str(number) for number in range(400))
            broker.publish(*(event(id=name) for name in wanted))
            self.assertEqual(processes[0].wait(timeout=PATIENCE_S), 0)
            eventually(lambda: broker.status("jobs")["acknowledged"] == 400, "all is acknowledged")
            processes[1].terminate()
            self.assertEqual(processes[1].wait(timeout=PATIENCE_S), 0)
            got = [[json.loads(line)["id"] for line in output.read_text().splitlines()]
                   for output in outputs]
            self.assertEqual(len(got[0]), 100)
            self.assertEqual(sorted(got[0] + got[1]), wanted, "each goes to one of them")


if __name__ == "__main__":
    unittest.main()
