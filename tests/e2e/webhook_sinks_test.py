#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinks with secrets and modes, hosts that are trusted, and one broker as another's sink."""

import base64
import hashlib
import hmac
import http.server
import json
import tempfile
import threading
import time
import unittest
from pathlib import Path

from broker_program import Broker, eventually, free_port
from weir_program import event, weir

QUICK = {"WEIR_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8", "WEIR_WEBHOOKS_DELAY": "20ms",
         "WEIR_WEBHOOKS_DELAY_MAX": "200ms", "WEIR_WEBHOOKS_ATTEMPTS": "1000",
         "WEIR_WEBHOOKS_ORIGIN": "weir.test"}
EVENT_COUNT = 400


class Receiver:
    """Keeps the headers and bodies of all POSTs; answers OPTIONS with 405, as most servers do."""

    def __init__(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self):
                self.send_response(405)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.posted.append((headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A broker that is killed takes its connections with it."""

        self.posted: list[tuple[dict, bytes]] = []
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def signature(secret: str, headers: dict, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


class WebhookSinksTest(unittest.TestCase):
    def test_signs_with_a_secret_that_is_shown_once(self):
        trusting = {**QUICK, "WEIR_WEBHOOKS_TRUSTED_HOSTS": "127.0.0.1", "WEIR_LOG_LEVEL": "debug"}
        with Broker(environment=trusting) as broker, Receiver() as receiver:
            made = broker.subscribe("h", sink=receiver.url, config={"sink": {
                "mode": "binary", "authorization": "Bearer open-sesame", "secret": "generate"}})
            self.assertEqual(made.status, 201)
            secret = made.json()["sink_secret"]
            broker.publish(event(1, data={"v": 1}))
            eventually(lambda: len(receiver.posted) == 1, "it arrives without permission")
            headers, body = receiver.posted[0]
            self.assertEqual(headers["authorization"], "Bearer open-sesame")
            self.assertEqual((headers["ce-id"], json.loads(body)), ("1", {"v": 1}))
            self.assertEqual(headers["webhook-signature"], signature(secret, headers, body))
            self.assertLess(abs(int(headers["webhook-timestamp"]) - time.time()), 120)

            shown = broker.request("GET", "/subscriptions/h")
            self.assertEqual(shown.json()["config"]["sink"], {
                "mode": "binary", "authorization": {"set": True}, "secret": {"set": True}})
            again = broker.request("PUT", "/subscriptions/h", shown.text,
                                   {"Content-Type": "application/json"})
            self.assertEqual(again.status, 200, again.text)
            broker.kill()
            broker.start()
            broker.publish(event(2, data={"v": 2}))
            eventually(lambda: len(receiver.posted) == 2, "the second arrives")
            headers, body = receiver.posted[1]
            self.assertEqual(headers["authorization"], "Bearer open-sesame")
            self.assertEqual(headers["webhook-signature"], signature(secret, headers, body))
            answers = shown.text + again.text + broker.request("GET", "/subscriptions").text
            broker.stop()
            for text in (answers, "".join(broker.errors)):
                self.assertNotIn(secret, text)
                self.assertNotIn("sesame", text)

    def test_posts_batches(self):
        trusting = {**QUICK, "WEIR_WEBHOOKS_TRUSTED_HOSTS": "127.0.0.1"}
        with Broker(environment=trusting) as broker, Receiver() as receiver:
            broker.subscribe("h", sink=receiver.url, config={"sink": {
                "mode": "batch", "batch_count": 4, "batch_wait": "100ms"}})
            broker.publish(*[event(i) for i in range(10)])
            eventually(lambda: broker.status("h")["acknowledged"] == 10, "all are acknowledged")
            batches = [[one["id"] for one in json.loads(body)] for _, body in receiver.posted]
            self.assertEqual(sum(batches, []), [str(i) for i in range(10)])
            self.assertEqual(max(len(batch) for batch in batches), 4)

    def test_trouble_ends_with_the_sink(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            broker.subscribe("h", sink=receiver.url)
            eventually(lambda: "405" in broker.status("h")["trouble"], "permission is not given")
            broker.subscribe("h")
            self.assertEqual(broker.status("h")["trouble"], "")

    def test_one_broker_is_the_sink_of_another(self):
        """The second is killed in the middle. Nothing is lost, and nothing comes twice."""
        with tempfile.TemporaryDirectory(prefix="weir-e2e-") as directory:
            data = Path(directory) / "second"
            made = weir("token", "create", "first", "--publish", "all", "--data", str(data))
            self.assertEqual(made.code, 0, made.err)
            reader = weir("token", "create", "reader", "--subscribe", "all", "--data",
                          str(data)).out.strip()
            second = Broker("--listen", f"127.0.0.1:{free_port()}", data=data,
                            environment={"WEIR_SERVER_ANONYMOUS": "off"})
            with second, Broker(environment=QUICK) as first:
                self.assertEqual(second.subscribe("all", token=reader).status, 201)
                sink = f"http://127.0.0.1:{second.arguments[1].rsplit(':', 1)[1]}/events"
                wrong = {"sink": {"authorization": "Bearer weir_nobody"}}
                first.subscribe("to-second", sink=sink, config=wrong)
                eventually(lambda: "401" in first.status("to-second")["trouble"], "no permission")
                first.subscribe("to-second", sink=sink, config={"sink": {
                    "authorization": "Bearer " + made.out.strip()}})
                for i in range(EVENT_COUNT):
                    first.publish(event(i))
                    if i in (EVENT_COUNT // 4, EVENT_COUNT // 2):
                        second.kill()
                    if i in (EVENT_COUNT // 3, EVENT_COUNT // 2 + 20):
                        second.start()
                eventually(lambda: first.status("to-second")["acknowledged"] == EVENT_COUNT,
                           "all are posted")
                eventually(lambda: second.status("all", reader)["pending"] == EVENT_COUNT,
                           "all are there, none twice")
                status = first.status("to-second")
                self.assertEqual((status["dead_letters"], status["dropped"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
