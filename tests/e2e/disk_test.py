#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full or do not answer: clients get 503, nothing acknowledged is lost, a stop ends
in time, and service resumes. Files that may not grow, and descriptors that connections use up."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from broker_program import (BATCHED, JSON, PATIENCE_S, STRUCTURED, Broker, Sse, Subscriber,
                            eventually, exchange)
from faults import COMPILER, Faults
from weir_program import event

ACK = "/subscriptions/all/ack"


def outcome(answer) -> tuple[int, str]:
    """The status, and the error's name if it is one."""
    return answer.status, answer.json().get("name", "") if answer.status >= 400 else ""


def acknowledge(broker: Broker, number: int):
    return broker.request("POST", ACK, json.dumps({"upto": number}), {"Content-Type": JSON})


def until_closed(call) -> None:
    """Calls it until there is no broker any more."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            call()


def fill(path: Path) -> None:
    """Until not a byte fits any more."""
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)


@unittest.skipUnless(os.geteuid() == 0, "only root can mount a small disk")
class DiskFullTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="weir-disk-")
        self.addCleanup(directory.cleanup)
        self.mount = Path(directory.name)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(self.mount)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(self.mount)], check=True)

    def test_full_and_free_again(self):
        with Broker(data=self.mount / "data",
                    environment={"WEIR_STORE_SEGMENT_BYTES": "1MiB"}) as broker:
            broker.subscribe("all")
            accepted = []
            for number in range(1, 1000):
                answer = broker.publish(event(number, data="x" * 50_000))
                if answer.status == 503:
                    break
                self.assertEqual(answer.json()["results"][0]["status"], "accepted")
                accepted.append(str(number))
            self.assertEqual((answer.status, answer.json()["name"]), (503, "store.full"))
            self.assertIn("retry-after", answer.headers)
            self.assertEqual(broker.request("GET", "/readyz").status, 503)
            self.assertEqual(broker.request("GET", "/healthz").status, 200)
            eventually(lambda: "error events cannot be stored" in "".join(broker.errors),
                       "the log is told")
            subprocess.run(["mount", "-o", "remount,size=12m", str(self.mount)], check=True)
            eventually(lambda: broker.request("GET", "/readyz").status == 200, "it is ready again")
            eventually(lambda: "info events are stored again" in "".join(broker.errors),
                       "the log is told")
            self.assertEqual("".join(broker.errors).count("cannot be stored"), 1)
            answer = broker.publish(event(number, data="again"))
            self.assertEqual(answer.json()["results"][0]["status"], "accepted")
            accepted.append(str(number))
            broker.kill()
            broker.start()
            with Subscriber(broker, "all") as subscriber:
                eventually(lambda: broker.status("all")["pending"] == 0, "all is delivered")
            self.assertEqual(subscriber.ids(), accepted)

    def test_whoever_waits_is_told_and_a_stop_ends(self):
        """Notes on the last deliveries cannot be written, so nothing that rests on them can."""
        filler = self.mount / "filler"
        with Broker(data=self.mount / "data") as broker:
            for name, text in (("all", None), ("distinct", "distinct(data) within 1h")):
                self.assertEqual(broker.subscribe(name, text).status, 201)
            fill(filler)
            os.truncate(filler, filler.stat().st_size - (64 << 10))
            last = 0
            while broker.publish(event(last + 1, data="x" * 2000)).status == 200:
                last += 1
            self.assertGreater(last, 0)
            calls = [
                lambda: acknowledge(broker, last),
                lambda: broker.request("POST", "/subscriptions/distinct/forget",
                                       event(1, data="x" * 2000), {"Content-Type": STRUCTURED}),
                lambda: broker.subscribe("all", "data = '" + "y" * 5000 + "'"),
            ]
            with Sse(broker, "/subscriptions/all/events") as stream:
                self.assertEqual(len(list(stream.events(last))), last)
            for call in calls:
                seen = set()

                def is_refused() -> bool:
                    fill(filler)  # what a segment that was begun has left
                    answer = call()
                    seen.add(outcome(answer))
                    return answer.status == 503

                eventually(is_refused, "it is refused")
                self.assertLessEqual(seen, {(200, ""), (204, ""), (503, "store.full")})
            threads = [threading.Thread(target=until_closed, args=(call,)) for call in calls]
            for thread in threads:
                thread.start()
            begin = time.monotonic()
            self.assertEqual(broker.stop(), 0)
            self.assertLess(time.monotonic() - begin, 30)
            for thread in threads:
                thread.join()

    def test_starts_on_a_full_disk(self):
        with Broker(data=self.mount / "data") as broker:
            broker.subscribe("all")
            for number in range(1, 21):
                self.assertEqual(broker.publish(event(number, data="x" * 1000)).status, 200)
            broker.kill()
            fill(self.mount / "filler")
            broker.start()
            ready = broker.request("GET", "/readyz")
            self.assertEqual(ready.status, 503)
            self.assertIn("No space left", ready.text)
            self.assertEqual(broker.request("GET", "/healthz").status, 200)
            self.assertEqual(outcome(broker.publish(event(21))), (503, "store.full"))
            with Sse(broker, "/subscriptions/all/events") as stream:
                ids = [delivered["id"] for delivered in stream.events(20)]
            self.assertEqual(ids, [str(number) for number in range(1, 21)])
            (self.mount / "filler").unlink()
            eventually(lambda: broker.request("GET", "/readyz").status == 200, "it can write again")
            self.assertEqual(broker.publish(event(21)).status, 200)
            self.assertEqual(acknowledge(broker, 20).status, 204)


class FileSizeTest(unittest.TestCase):
    def test_a_file_that_may_not_grow_is_a_full_disk(self):
        with Broker(launcher=("prlimit", "--fsize=300000")) as broker:
            self.assertEqual(broker.subscribe("all").status, 201)
            self.assertEqual(outcome(broker.publish(event(0, data="x" * 400_000))),
                             (503, "store.full"))
            for number in range(1, 21):  # a segment that is full is followed by another
                text = event(number, data="x" * 50_000)
                eventually(lambda: broker.publish(text).status == 200, "it is accepted")
            statuses = set()
            for number in range(400):  # the registry's log grows as well
                answer = broker.subscribe(f"s{number}", "data in ('" + "x" * 4000 + "')")
                statuses.add(outcome(answer))
            self.assertLessEqual(statuses, {(201, ""), (503, "store.full")})
            self.assertIsNone(broker.process.poll(), "it runs")
            with Subscriber(broker, "all") as subscriber:
                eventually(lambda: len(subscriber.ids()) == 20, "all is delivered")
            self.assertEqual(broker.stop(), 0)


class DescriptorTest(unittest.TestCase):
    def test_connections_leave_descriptors_to_the_store(self):
        environment = {"WEIR_STORE_SEGMENT_BYTES": "1MiB", "WEIR_STORE_RETENTION_BYTES": "8MiB"}
        with Broker(launcher=("prlimit", "--nofile=400:400"), environment=environment) as broker, \
                contextlib.ExitStack() as open_sockets:
            early = http.client.HTTPConnection("127.0.0.1", broker.port, timeout=PATIENCE_S)
            open_sockets.enter_context(contextlib.closing(early))
            self.assertEqual(exchange(early, "GET", "/healthz", None, None, None).status, 200)
            self.assertIn("fewer connections are accepted", "".join(broker.errors))
            for _ in range(500):
                with contextlib.suppress(OSError):
                    open_sockets.enter_context(
                        socket.create_connection(("127.0.0.1", broker.port), timeout=5))
            descriptors = Path(f"/proc/{broker.process.pid}/fd")
            for number in range(60):
                body = f"[{event(number, data='x' * 200_000)}]"
                answer = exchange(early, "POST", "/events", body, {"Content-Type": BATCHED}, None)
                self.assertEqual(answer.status, 200, answer.text)
                self.assertLess(len(list(descriptors.iterdir())), 400)
            answer = exchange(early, "PUT", "/subscriptions/a", "{}", {"Content-Type": JSON}, None)
            self.assertEqual(answer.status, 201)


@unittest.skipUnless(COMPILER, "there is no C compiler for the disk that hangs")
class HangingDiskTest(unittest.TestCase):
    def test_a_stop_does_not_wait_for_ever(self):
        faults = Faults()
        self.addCleanup(faults.close)
        environment = {**faults.environment, "WEIR_SERVER_STOP_GRACE": "1s",
                       "WEIR_BROKER_STOP_GRACE": "1s"}
        with Broker(environment=environment) as broker:
            broker.subscribe("all")
            self.assertEqual(broker.publish(event(1)).status, 200)
            faults.hang_disk()
            calls = [lambda: broker.publish(event(2)), lambda: broker.subscribe("new"),
                     lambda: acknowledge(broker, 1)]

            threads = [threading.Thread(target=until_closed, args=(call,)) for call in calls]
            for thread in threads:
                thread.start()
            eventually(lambda: broker.metric("weir_publish_queue_bytes") > 0, "one is under way")
            broker.process.send_signal(signal.SIGTERM)
            self.assertEqual(broker.process.wait(timeout=PATIENCE_S), 5)
            for thread in threads:
                thread.join()
            broker._reader.join()
            self.assertIn("error cannot stop in time", "".join(broker.errors))
            faults.hang_disk(False)
            broker.start()
            with Sse(broker, "/subscriptions/all/events") as stream:
                self.assertEqual(next(stream.events(1))["id"], "1")


if __name__ == "__main__":
    run = unittest.main(exit=False).result
    for test, reason in run.skipped:
        print(f"SKIPPED: {test}: {reason}", file=sys.stderr)
    sys.exit(1 if not run.wasSuccessful() else 77 if run.skipped else 0)
