#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A full disk: publishers get 503, nothing acknowledged is lost, and service resumes."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from broker_program import Broker, Subscriber, eventually
from weir_program import event


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


if __name__ == "__main__":
    run = unittest.main(exit=False).result
    for test, reason in run.skipped:
        print(f"SKIPPED: {test}: {reason}", file=sys.stderr)
    sys.exit(1 if not run.wasSuccessful() else 77 if run.skipped else 0)
