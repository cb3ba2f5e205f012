#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinks that hang do not keep deliveries from healthy ones, however many they are."""

import contextlib
import http.server
import json
import socket
import threading
import unittest

from broker_program import Broker, eventually
from weir_program import event, weir

HANGING = 180
EVENTS = 50
# One host per loopback address. A request that hangs would hold its slot for ten minutes.
SETTINGS = {"WEIR_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8", "WEIR_WEBHOOKS_ORIGIN": "weir.test",
            "WEIR_WEBHOOKS_QUICK_TIME": "300ms", "WEIR_WEBHOOKS_READ_TIMEOUT": "10m",
            "WEIR_WEBHOOKS_DELAY": "20ms"}


class Receiver:
    """Takes everything at once."""

    def __init__(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self):
                self.send_response(200)
                self.send_header("WebHook-Allowed-Origin", "*")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.taken.append(json.loads(body)["id"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.taken: list[str] = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class WebhookFairnessTest(unittest.TestCase):
    def hang(self, broker: Broker, stack: contextlib.ExitStack, token: str | None) -> None:
        """Makes sinks on as many hosts that take a connection, perhaps a request, and no more."""
        for number in range(HANGING):
            listener = stack.enter_context(socket.socket())
            listener.bind((f"127.0.0.{number + 2}", 0))
            listener.listen(64)
            host, port = listener.getsockname()
            made = broker.subscribe(f"hangs-{number}", token=token, sink=f"http://{host}:{port}/")
            self.assertEqual(made.status, 201, made.text)

    def expect_delivery(self, broker: Broker, name: str, token: str | None,
                        receiver: Receiver) -> None:
        self.assertEqual(broker.subscribe(name, f"type = '{name}'", token,
                                          sink=receiver.url).status, 201)
        broker.publish(*[event(f"{name}{i}", type=name) for i in range(EVENTS)], token=token)
        eventually(lambda: len(receiver.taken) == EVENTS, f"{name} takes everything")
        self.assertEqual(receiver.taken, [f"{name}{i}" for i in range(EVENTS)])

    def test_the_same_owner_and_another(self):
        with contextlib.ExitStack() as stack:
            broker = stack.enter_context(Broker(environment=SETTINGS))
            tokens = [weir("token", "create", name, "--publish", "all", "--subscribe", "all",
                           "--data", str(broker.data)).out.strip() for name in ("one", "two")]
            eventually(lambda: broker.request("GET", "/subscriptions",
                                              token=tokens[1]).status == 200, "tokens are known")
            self.hang(broker, stack, tokens[0])
            broker.publish(event("to-all"), token=tokens[0])
            self.expect_delivery(broker, "same", tokens[0], stack.enter_context(Receiver()))
            self.expect_delivery(broker, "other", tokens[1], stack.enter_context(Receiver()))
            self.expect_delivery(broker, "later", tokens[0], stack.enter_context(Receiver()))
            eventually(lambda: "wait" in broker.status("hangs-100", tokens[0])["trouble"],
                       "the others say why they wait")

    def test_those_without_a_token(self):
        with contextlib.ExitStack() as stack:
            broker = stack.enter_context(Broker(environment=SETTINGS))
            self.hang(broker, stack, None)
            self.expect_delivery(broker, "healthy", None, stack.enter_context(Receiver()))


if __name__ == "__main__":
    unittest.main()
