#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every limit of the broker, beyond it: what a client is told, and the metric that grows.

A row for each limit; a limit that has none fails the test.
"""

import asyncio
import contextlib
import json
import re
import socket
import threading
import unittest
import uuid
from typing import Callable, NamedTuple

import websockets

from broker_program import JSON, PATIENCE_S, STRUCTURED, Broker, eventually
from weir_program import event

CLOSED = 0  # instead of a status: the connection ends without an answer

SETTINGS = {
    "server.authentication_queue": 1, "server.connections": 40, "server.header_bytes": 4096,
    "server.header_timeout": "2s", "server.body_bytes": "64KiB", "server.bodies_bytes": "100KiB",
    "server.body_timeout": "500ms",
    "server.idle_timeout": "1s", "server.websocket_message_bytes": 1024,
    "broker.batch_events": 20, "broker.subscriptions_per_owner": 3,
    "broker.definition_bytes": 20000, "broker.types": 3, "broker.outbox": 50,
    "broker.dedup_keys": 30,
    "broker.publish_queue_bytes": "32KiB", "store.record_bytes": "16KiB",
    "filter.text_bytes": 500, "filter.depth": 5, "filter.list": 3, "filter.pattern_bytes": 8,
    "filter.conjunctions": 10,
}
ENVIRONMENT = {"WEIR_" + name.replace(".", "_").upper(): str(value)
               for name, value in SETTINGS.items()}


class Row(NamedTuple):
    setting: str
    status: int
    metric: str  # name and label
    exceed: Callable[[Broker], int]


def error(name: str) -> str:
    return f'weir_limit_errors_total{{error="{name}"}}'


def hit(name: str) -> str:
    return f'weir_limit_hits_total{{limit="{name}"}}'


def definition(**members) -> Callable[[Broker], int]:
    return lambda broker: broker.request("PUT", "/subscriptions/beyond", json.dumps(members),
                                         {"Content-Type": JSON}).status


def weir_filter(text: str) -> Callable[[Broker], int]:
    return definition(filters=[{"weir": text}])


def publish(body: str) -> Callable[[Broker], int]:
    return lambda broker: broker.request("POST", "/events", body,
                                         {"Content-Type": STRUCTURED}).status


def sent(*pieces: bytes) -> Callable[[Broker], int]:
    """The status that the last piece is answered with."""
    def send(broker: Broker) -> int:
        with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_S) as peer:
            for piece in pieces:
                peer.sendall(piece)
                answer = peer.recv(65536)
        return int(answer.split(b" ")[1]) if answer else CLOSED
    return send


def batch_of(*elements: str) -> Callable[[Broker], int]:
    """The status of the only element that is rejected, or of the batch."""
    def send(broker: Broker) -> int:
        answer = broker.publish(*elements)
        if answer.status != 200:
            return answer.status
        [rejected] = [one for one in answer.json()["results"] if one["status"] == "rejected"]
        return rejected["error"]["status"]
    return send


def too_many_connections(broker: Broker) -> int:
    with contextlib.ExitStack() as stack:
        for _ in range(SETTINGS["server.connections"]):
            stack.enter_context(socket.create_connection(("127.0.0.1", broker.port)))
        status = sent(LIST + b"\r\n")(broker)
    eventually(lambda: sent(LIST + b"\r\n")(broker) == 200, "others are gone")
    return status


def too_many_bodies(broker: Broker) -> int:
    with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_S) as other:
        other.sendall(POST + b"Content-Length: 60001\r\n\r\n" + b" " * 60_000)
        eventually(lambda: broker.metric("weir_request_body_bytes") >= 60_000, "it has come")
        return sent(POST + b"Content-Length: 60000\r\n\r\n" + b" " * 60_000)(broker)


def too_many_verifications(broker: Broker) -> int:
    """Of good tokens: bad ones need none."""
    statuses = []
    def ask(token: str) -> None:
        statuses.append(broker.request("GET", "/subscriptions", token=token).status)
    made = [broker.request("POST", "/tokens", json.dumps(
        {"name": f"t{uuid.uuid4().hex}", "grants": {"publish": [], "subscribe": []}}),
                           {"Content-Type": JSON}).json()["secret"] for _ in range(12)]
    threads = [threading.Thread(target=ask, args=(token,)) for token in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(statuses)


def too_many_subscriptions(broker: Broker) -> int:
    for n in range(3):
        if broker.subscribe(f"own{n}", "type = 'never'").status not in (200, 201):
            return 1
    status = broker.subscribe("own3").status
    for n in range(3):
        broker.request("DELETE", f"/subscriptions/own{n}")
    return status


def full_outbox(broker: Broker) -> int:
    broker.subscribe("block", "type = 'test'", config={"outbox": {"policy": "block", "limit": 1}})
    broker.publish(event("full"))
    eventually(lambda: broker.metric("weir_outboxes_blocking") == 1, "it is full")
    status = broker.publish(event("refused")).status
    broker.request("DELETE", "/subscriptions/block")
    eventually(lambda: broker.metric("weir_outboxes_blocking") == 0, "it is gone")
    return status


def long_message(broker: Broker) -> int:
    """The code that the connection is closed with."""
    async def talk() -> int:
        url = f"ws://127.0.0.1:{broker.port}/stream"
        async with websockets.connect(url, subprotocols=["weir.v1"]) as peer:
            await peer.send("x" * 2000)
            with contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await asyncio.wait_for(peer.recv(), PATIENCE_S)
            return peer.close_code
    return asyncio.run(talk())


def value(broker: Broker, metric: str) -> float:
    text = broker.request("GET", "/metrics").text
    found = re.search(rf"^{re.escape(metric)} (\S+)$", text, re.MULTILINE)
    if not found:
        raise AssertionError(f"no metric {metric} in\n{text}")
    return float(found[1])


POST = b"POST /events HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
LIST = b"GET /subscriptions HTTP/1.1\r\nHost: localhost\r\n"
DEEP = event("deep", data=json.loads("[" * 70 + "]" * 70))
LONG = event("long", data="x" * 20_000)

ROWS = [
    Row("server.header_bytes", 431, error("http.header_too_large"),
        sent(GET + b"X: " + b"x" * 5000 + b"\r\n\r\n")),
    Row("server.header_bytes", 431, hit("header_bytes_max"),
        sent(GET + b"X: " + b"x" * 5000 + b"\r\n\r\n")),
    Row("server.header_count", 431, hit("header_bytes_max"),
        sent(GET + b"".join(b"X%d: 1\r\n" % n for n in range(200)) + b"\r\n")),
    Row("server.header_timeout", 408, error("http.timeout"), sent(GET)),
    Row("server.header_timeout", 408, hit("header_timeout"), sent(GET + b"X:")),
    Row("server.body_bytes", 413, error("http.body_too_large"),
        sent(POST + b"Content-Length: 70000\r\n\r\n")),
    Row("server.body_bytes", 413, hit("body_bytes_max"),
        sent(POST + b"Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n")),
    Row("server.bodies_bytes", 429, hit("bodies_bytes_max"), too_many_bodies),
    Row("server.body_timeout", 408, hit("body_timeout"),
        sent(POST + b"Content-Length: 10\r\n\r\n12345")),
    Row("server.idle_timeout", CLOSED, hit("idle_timeout"), sent(GET + b"\r\n", b"")),
    Row("server.connections", 429, error("http.too_many_connections"), too_many_connections),
    Row("server.connections", 429, hit("connection_count_max"), too_many_connections),
    Row("server.authentication_queue", 429, hit("authentication_queue_max"),
        too_many_verifications),
    Row("server.websocket_message_bytes", 1009, hit("websocket_message_bytes_max"), long_message),
    Row("broker.batch_events", 413, error("event.batch_too_long"),
        batch_of(*(event(f"many{n}") for n in range(21)))),
    Row("broker.publish_queue_bytes", 429, error("broker.busy"),
        batch_of(*(event(f"busy{n}", data="x" * 3000) for n in range(15)))),
    Row("store.record_bytes", 413, error("json.too_long"), publish(LONG)),
    Row("store.record_bytes", 413, error("json.too_long"),
        batch_of(event("before"), LONG, event("after"))),
    Row("depth of an event", 400, error("json.too_deep"), publish(DEEP)),
    Row("attributes of an event", 400, error("event.too_many_attributes"),
        batch_of(event("few"), event("wide", **{f"a{n}": "x" for n in range(200)}))),
    Row("broker.subscriptions_per_owner", 429, error("broker.too_many_subscriptions"),
        too_many_subscriptions),
    Row("broker.outbox", 429, error("broker.outbox_full"), full_outbox),
    Row("broker.outbox", 400, error("broker.definition_too_large"),
        definition(config={"outbox": {"limit": 51}})),
    Row("broker.types", 400, error("broker.definition_too_large"),
        definition(types=["a", "b", "c", "d"])),
    Row("length of a sink", 400, error("broker.definition_too_large"),
        definition(sink="http://example.com/" + "x" * 3000)),
    Row("broker.definition_bytes", 413, error("json.too_long"),
        definition(source="/" + "x" * 20_000)),
    Row("filter.text_bytes", 400, error("filter.too_long"), weir_filter("a" * 501)),
    Row("filter.depth", 400, error("filter.too_deep"), weir_filter("(" * 9 + "true" + ")" * 9)),
    Row("filter.list", 400, error("filter.list_too_long"), weir_filter("id in ('a','b','c','d')")),
    Row("filter.pattern_bytes", 400, error("filter.pattern_too_long"),
        weir_filter("id like 'a%b%c%d%e%f'")),
    Row("filter.conjunctions", 400, error("filter.normal_form_too_large"),
        weir_filter(" and ".join(f"(a{n} = 1 or b{n} = 1)" for n in range(5)))),
    Row("steps of a path", 400, error("path.too_long"),
        weir_filter("data" + ".a" * 100 + " = 1")),
]

# Limits that are shown elsewhere, or that no request can reach.
ELSEWHERE = {
    hit("connections_per_address_max"): "limits_test.cc",
    hit("write_timeout"): "sse_stream_test.cc",
    hit("websocket_ping_interval"): "websocket_test.cc",
    error("engine.too_many_forgotten"): "forget_test.cc: it takes ten thousand requests",
    error("engine.too_many_subscriptions"): "the broker's limit comes first",
    error("broker.too_many_events"): "decoding a batch has the same limit",
    error("broker.quota"): "broker_quota_test.cc",
    error("broker.memory"): "broker_memory_test.cc: it takes several owners",
    error("broker.work"): "restart_guard_test.cc: a reason of dead letters, no answer",
    error("cli.line_too_long"): "of a command, not of the broker",
}


class ServerLimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker(environment=ENVIRONMENT)
        cls.addClassCleanup(cls.broker.__exit__)

    def test_every_limit_is_told_and_counted(self):
        for row in ROWS:
            with self.subTest(row.setting, metric=row.metric):
                before = value(self.broker, row.metric)
                self.assertEqual(row.exceed(self.broker), row.status)
                self.assertGreater(value(self.broker, row.metric), before)

    def test_no_limit_is_left_out(self):
        text = self.broker.request("GET", "/metrics").text
        shown = {match[0] for match in re.finditer(r"^weir_limit_\w+\{.*?\}", text, re.MULTILINE)}
        self.assertEqual(shown, {row.metric for row in ROWS} | set(ELSEWHERE))

    def test_what_is_dropped_for_a_limit_is_counted(self):
        self.broker.subscribe("drop", "type = 'test'",
                              config={"outbox": {"policy": "drop_oldest", "limit": 5}})
        for batch in range(4):
            answer = self.broker.publish(*(event(f"drop{batch}.{n}") for n in range(20)))
            self.assertEqual(answer.json()["accepted"], 20)
        eventually(lambda: self.broker.metric("weir_deliveries_dropped_total") >= 75, "dropped")
        self.assertGreater(self.broker.metric("weir_dedup_forgotten_total"), 0)
        self.broker.request("DELETE", "/subscriptions/drop")


if __name__ == "__main__":
    unittest.main()
