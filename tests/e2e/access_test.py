#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Access while strangers press at the door: floods of bad tokens and of connections."""

import contextlib
import secrets
import socket
import threading
import unittest

from broker_program import PATIENCE_S, Broker
from weir_program import weir

FLOOD_COUNT = 300  # connections


def created(broker: Broker, name: str) -> str:
    made = weir("token", "create", name, "--publish", "all", "--subscribe", "all",
                "--data", str(broker.data))
    assert made.code == 0, made.err
    return made.out.strip()


class Flood:
    """Connections that ask again and again, each time with another bad token."""

    def __init__(self, broker: Broker, bad_token):
        self.stop = threading.Event()
        self.count = 0
        self.sockets = [socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_S)
                        for _ in range(FLOOD_COUNT)]
        self.bad_token = bad_token
        self.threads = [threading.Thread(target=self.ask, args=(self.sockets[part::4],))
                        for part in range(4)]
        for thread in self.threads:
            thread.start()

    def ask(self, sockets: list[socket.socket]) -> None:
        while not self.stop.is_set():
            for one in sockets:
                one.sendall(b"GET /subscriptions HTTP/1.1\r\nHost: localhost\r\n"
                            b"Authorization: Bearer " + self.bad_token().encode() + b"\r\n\r\n")
            for one in sockets:
                one.recv(65536)
                self.count += 1

    def __enter__(self) -> "Flood":
        return self

    def __exit__(self, *_) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()
        for one in self.sockets:
            one.close()


class FloodTest(unittest.TestCase):
    def test_new_tokens_are_admitted_while_others_guess(self):
        """The guesses are of any token, and of one whose public part is known."""
        with Broker("--anonymous", "off") as broker:
            tokens = [created(broker, f"desk{number}") for number in range(6)]
            attacked = created(broker, "attacked")
            broker.restart()
            guesses = [lambda: f"weir_{secrets.token_hex(8)}_{secrets.token_urlsafe(32)}",
                       lambda: attacked[:22] + secrets.token_urlsafe(32)]
            for guess, used in zip(guesses, [tokens[:3], [*tokens[3:], attacked]]):
                with Flood(broker, guess) as flood:
                    for token in used:
                        answer = broker.request("GET", "/subscriptions", token=token)
                        self.assertEqual(answer.status, 200, answer.text)
                self.assertGreater(flood.count, 0)

    def test_health_is_told_in_a_flood_of_connections(self):
        with Broker(environment={"WEIR_SERVER_CONNECTIONS": "50"}) as broker, \
                contextlib.ExitStack() as flood:
            for _ in range(200):
                flood.enter_context(socket.create_connection(("127.0.0.1", broker.port)))
            for target in ["/healthz", "/readyz", "/metrics"]:
                self.assertEqual(broker.request("GET", target).status, 200, target)
            self.assertEqual(broker.request("GET", "/subscriptions").status, 429)

    def test_connections_of_one_address_are_limited_by_default(self):
        with Broker() as broker, contextlib.ExitStack() as flood:
            for _ in range(1000):
                flood.enter_context(socket.create_connection(("127.0.0.1", broker.port)))
            self.assertEqual(broker.request("GET", "/subscriptions").status, 429)
            other = flood.enter_context(socket.create_connection(
                ("127.0.0.1", broker.port), PATIENCE_S, ("127.0.0.2", 0)))
            other.sendall(b"GET /subscriptions HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b" 200 ", other.recv(4096))

    def test_a_proxy_that_adds_no_header_serves_nobody(self):
        with Broker(environment={"WEIR_SERVER_PROXY_HEADER": "X-Forwarded-For"}) as broker:
            token = created(broker, "desk")
            broker.restart()
            through = {"X-Forwarded-For": "192.0.2.1"}
            self.assertEqual(broker.request("GET", "/subscriptions").status, 401)
            self.assertEqual(broker.request("GET", "/subscriptions", headers=through).status, 401)
            self.assertEqual(broker.request("GET", "/subscriptions", token=token).status, 401)
            self.assertEqual(broker.request("GET", "/subscriptions", headers=through,
                                            token=token).status, 200)
            self.assertEqual(broker.request("GET", "/healthz").status, 200)

    def test_a_directory_that_others_can_read_causes_a_warning(self):
        with Broker() as broker:
            self.assertFalse([line for line in broker.errors if "data directory" in line])
            broker.data.chmod(0o755)
            broker.restart()
            [line] = [line for line in broker.errors if "data directory" in line]
            self.assertIn("0755", line)


if __name__ == "__main__":
    unittest.main()
