#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The three commands that ./run invites to try, as it prints them."""

import re
import subprocess
import unittest

from broker_program import Broker, eventually
from weir_program import PROGRAM, ROOT

READING = '"id":"1","source":"/roof"'


def invited() -> list[str]:
    """What ./run prints, command by command."""
    printed = re.search(r"invitation\(\) \{\n  cat <<'END'\n(.*?)^END$", (ROOT / "run").read_text(),
                        re.MULTILINE | re.DOTALL)[1]
    return printed.strip().split("\n\n")[1:]


class RunTest(unittest.TestCase):
    def start(self, command: str, broker: Broker) -> subprocess.Popen:
        command = command.replace("build/weir subscribe",
                                  f"'{PROGRAM}' subscribe --url {broker.url}")
        command = command.replace("http://127.0.0.1:8080", broker.url)
        process = subprocess.Popen(["bash", "-c", "exec " + command], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_until(self, text: str, process: subprocess.Popen) -> None:
        for line in process.stdout:
            if text in line:
                return
        self.fail(f"{process.args}: {process.stderr.read()}")

    def test_what_it_invites_to_try_works(self):
        subscribe, stream, publish = invited()
        with Broker() as broker:
            subscribers = [self.start(subscribe, broker), self.start(stream, broker)]
            eventually(lambda: broker.metric("weir_sessions") == 2, "both listen")
            self.read_until('"status":"accepted"', self.start(publish, broker))
            for subscriber in subscribers:
                self.read_until(READING, subscriber)


if __name__ == "__main__":
    unittest.main()
