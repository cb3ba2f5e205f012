#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients: memory stays bounded, and others go on being served."""

import contextlib
import json
import resource
import socket
import threading
import time
import unittest

from broker_program import BATCHED, Broker, Sse, eventually
from weir_program import SANITIZED, event

MIB = 1 << 20
GROWTH_MAX = 200 * MIB


def connected(broker: Broker) -> socket.socket:
    return socket.create_connection(("127.0.0.1", broker.port), timeout=60)


class HostileTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker("--dedup", "off", environment={
            "WEIR_BROKER_OUTBOX": "1000", "WEIR_SERVER_CONNECTIONS_PER_ADDRESS": "3000"})
        self.addCleanup(self.broker.__exit__)
        self.number = 0

    def check_others_are_served(self):
        """One publishes, one streams."""
        with Sse(self.broker, "/stream?filter=type%20%3D%20%27healthy%27") as stream:
            for _ in range(20):
                self.number += 1
                answer = self.broker.publish(event(self.number, type="healthy"))
                self.assertEqual(answer.status, 200)
                self.assertEqual(json.loads(stream.read()["data"])["id"], str(self.number))

    def check_memory(self, before: int):
        if not SANITIZED:
            self.assertLess(self.broker.rss_bytes() - before, GROWTH_MAX)

    def test_a_subscriber_that_stops_reading(self):
        before = self.broker.rss_bytes()
        self.broker.subscribe("stuck", "type = 'bulk'")
        stuck = connected(self.broker)
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.sendall(b"GET /subscriptions/stuck/events HTTP/1.1\r\nHost: localhost\r\n"
                      b"Accept: text/event-stream\r\n\r\n")
        bulk = [event(i, type="bulk", data="x" * 5000) for i in range(200)]
        for _ in range(10 if SANITIZED else 40):  # 40 MB
            self.assertEqual(self.broker.publish(*bulk).status, 200)
        self.check_others_are_served()
        status = self.broker.status("stuck")
        self.assertLessEqual(status["pending"], 1000)
        self.assertGreater(status["dropped"], 0 if SANITIZED else 1000)
        self.check_memory(before)
        stuck.close()

    def test_one_byte_a_second(self):
        slow = []
        for _ in range(50):
            client = connected(self.broker)
            client.sendall(b"POST /events HTTP/1.1\r\nHost: loc")
            slow.append(client)
        for _ in range(3):
            for client in slow:
                client.sendall(b"a")
            self.check_others_are_served()
        for client in slow:
            client.close()

    def test_a_header_that_never_ends_is_answered_408(self):
        with Broker(environment={"WEIR_SERVER_HEADER_TIMEOUT": "300ms"}) as broker:
            client = connected(broker)
            client.sendall(b"GET / HTTP/1.1\r\nHo")
            answer = client.makefile("rb").read()
            self.assertIn(b" 408 ", answer.splitlines()[0])
            self.assertIn(b"http.timeout", answer)
            self.assertEqual(broker.metric("weir_limit_hits_total"), 1)
            client.close()

    def test_two_thousand_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        before = self.broker.rss_bytes()
        with contextlib.ExitStack() as idle:
            for _ in range(2000):
                idle.enter_context(connected(self.broker))
            eventually(lambda: self.broker.metric("weir_connections") >= 2000, "they are there")
            self.check_others_are_served()
            self.check_memory(before)

    def test_too_many_connections_are_told(self):
        with Broker(environment={"WEIR_SERVER_CONNECTIONS": "5"}) as broker:
            with contextlib.ExitStack() as many:
                for _ in range(5):
                    client = many.enter_context(connected(broker))
                    client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertIn(b"200", client.recv(4096))
                sixth = many.enter_context(connected(broker))
                sixth.sendall(b"GET /subscriptions HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = sixth.makefile("rb").read()
                self.assertIn(b" 429 ", answer.splitlines()[0])
                self.assertIn(b"http.too_many_connections", answer)

    def test_a_body_of_a_gigabyte(self):
        before = self.broker.rss_bytes()
        for head in [b"Content-Length: 1073741824\r\n", b"Transfer-Encoding: chunked\r\n"]:
            client = connected(self.broker)
            client.sendall(b"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                           BATCHED.encode() + b"\r\n" + head + b"\r\n")
            block = b"x" * MIB if b"Length" in head else b"100000\r\n" + b"x" * MIB + b"\r\n"
            with contextlib.suppress(OSError):
                for _ in range(1024):
                    client.sendall(block)
            with contextlib.suppress(OSError):
                answer = client.recv(65536)
                if answer:
                    self.assertIn(b" 413 ", answer.splitlines()[0])
            client.close()
        self.check_memory(before)
        self.check_others_are_served()

    def test_a_batch_of_a_million(self):
        before = self.broker.rss_bytes()
        body = "[" + ",".join(["{}"] * 1_000_000) + "]"
        answer = self.broker.request("POST", "/events", body, {"Content-Type": BATCHED})
        self.assertEqual((answer.status, answer.json()["name"]), (413, "event.batch_too_long"))
        self.check_memory(before)
        self.check_others_are_served()

    def test_a_flood_of_streams(self):
        with Broker(environment={"WEIR_BROKER_SUBSCRIPTIONS_PER_OWNER": "10"}) as broker:
            with contextlib.ExitStack() as streams:
                for _ in range(10):
                    streams.enter_context(Sse(broker, "/stream?filter=true"))
                answer = broker.request("GET", "/stream?filter=true")
                self.assertEqual((answer.status, answer.json()["name"]),
                                 (429, "broker.too_many_subscriptions"))

    def test_nonsense(self):
        for text in [b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"\x16\x03\x01\x02\x00",
                     b"POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n"]:
            client = connected(self.broker)
            client.sendall(text)
            client.shutdown(socket.SHUT_WR)
            client.makefile("rb").read()
            client.close()
        self.check_others_are_served()


if __name__ == "__main__":
    unittest.main()
