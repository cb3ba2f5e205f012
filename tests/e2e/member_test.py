#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir member, as its user meets it: the examples of docs/cluster.md, signals, failures."""

import json
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from broker_program import free_port
from weir_program import PROGRAM, ROOT, weir

PATIENCE_S = 60


class NatsServer:
    def __init__(self):
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            ["nats-server", "-a", "127.0.0.1", "-p", str(self.port)], stderr=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.005)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Member:
    def __init__(self, server: NatsServer, name: str, *arguments: str):
        self.process = subprocess.Popen(
            [PROGRAM, "member", "--nats", server.url, "--cluster", "trial", "--name", name,
             "--heartbeat", "80ms", "--lease", "900ms", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def write(self, line: str):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self, **members) -> dict:
        """The next line that has these members."""
        for line in self.process.stdout:
            told = json.loads(line)
            if members.items() <= told.items():
                return told
        raise AssertionError(f"ended without {members}: {self.process.stderr.read()}")

    def end(self) -> tuple[int, str]:
        _, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, err

    def kill(self):
        self.process.kill()
        self.process.communicate()


class MemberTest(unittest.TestCase):
    def setUp(self):
        self.server = NatsServer()
        self.addCleanup(self.server.stop)

    def start(self, name: str, *arguments: str) -> Member:
        member = Member(self.server, name, *arguments)
        self.addCleanup(member.kill)
        return member

    def test_the_session_of_the_document(self):
        text = (ROOT / "docs/cluster.md").read_text()
        session = re.search(r"```session\n(.*?)```", text, re.DOTALL)[1]
        north = self.start("north")
        north.read(kind="view", settled=True)
        for block in session.strip().split("\n> "):
            command, *answers = block.removeprefix("> ").splitlines()
            north.write(command)
            for answer in answers:
                expected = json.loads(answer)
                self.assertEqual(north.read(kind=expected["kind"]), expected)
        self.assertEqual(north.end(), (0, ""))

    def test_leaves_in_good_order_on_sigterm(self):
        north, south = self.start("north"), self.start("south")
        for member in (north, south):
            while len(member.read(kind="view", settled=True)["members"]) != 2:
                pass
        for i in range(20):
            north.write(f"put key-{i} text-{i}")
        for _ in range(20):
            north.read(kind="stored")
        north.process.send_signal(signal.SIGTERM)
        self.assertEqual(north.read(kind="left"), {"kind": "left", "unmoved": 0})
        self.assertEqual(north.end(), (0, ""))
        for i in range(20):
            south.write(f"get key-{i}")
            self.assertEqual(south.read(kind="got")["text"], f"text-{i}")

    def test_says_what_is_wrong_with_a_line_and_goes_on(self):
        north = self.start("north")
        north.write("gte x")
        north.write("quit")
        code, err = north.end()
        self.assertEqual(code, 0)
        self.assertIn("stdin: line 1, column 1: expected one of put, get,", err)
        self.assertIn("did you mean 'get'?", err)

    def test_writes_metrics(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "metrics"
            north = self.start("north", "--metrics", str(path))
            north.read(kind="view", settled=True)
            north.write("leave")
            self.assertEqual(north.end()[0], 0)
            text = path.read_text()
            self.assertRegex(text, r'weir_cluster_messages_sent_total\{kind="slots.heartbeat"\} \d')
            self.assertRegex(text, r"(?m)^# TYPE weir_cluster_members gauge$")
            self.assertIn("weir_cluster_connected 1\n", text)

    def test_names_the_server_that_is_not_there(self):
        self.server.stop()
        done = weir("member", "--nats", self.server.url, "--name", "north")
        self.assertEqual((done.code, done.out), (5, ""))
        self.assertIn(f"no NATS server at {self.server.url}", done.err)

    def test_checks_its_options(self):
        for arguments, expected in [
                ([], "expected --name NAME, found none"),
                (["--name", "a.b"], "the member's name is 'a.b', expected 1 to 64 letters"),
                (["--name", "a", "--cluster", "*"], "the cluster's name is '*', expected"),
                (["--name", "a", "--lease", "1ms"], "--lease is '1ms', expected at least two"),
                (["--name", "a", "b"], "unexpected argument 'b'")]:
            done = weir("member", *arguments)
            self.assertEqual((done.code, done.out), (2, ""))
            self.assertIn(expected, done.err)


if __name__ == "__main__":
    unittest.main()
