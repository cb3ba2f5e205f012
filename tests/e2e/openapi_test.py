#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every answer that /openapi.json describes is given by a broker, with the shape it describes.

A row for each operation and status. Answers that every route can give have a row on one route.
"""

import json
import socket
import unittest
from typing import Callable, NamedTuple

from broker_program import BATCHED, JSON, PATIENCE_S, STRUCTURED, Answer, Broker, Sse, eventually
from openapi_contract import Contract, openapi
from webhook_test import QUICK, Receiver
from weir_program import ROOT, event

ENVIRONMENT = {**QUICK, "WEIR_SERVER_HEADER_TIMEOUT": "500ms", "WEIR_SERVER_BODY_BYTES": "64KiB",
               "WEIR_BROKER_SUBSCRIPTIONS_PER_OWNER": "12"}
# A test cannot have them at will: stored bytes are damaged, the disk fails, a letter is on its way.
NOT_PROVOKED = {("*", 500), ("*", 503), ("getReadiness", 503), ("purgeDeadLetter", 409)}
DISTINCT = {"filters": [{"weir": "distinct(subject) within 1h"}]}
WARNED = {"filters": [{"weir": "tpye = 'a'"}]}
HANDSHAKE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "weir.v1"}

Ask = Callable[[Broker], Answer]


class Row(NamedTuple):
    operation: str  # "*": any
    status: int
    method: str
    target: str
    ask: Ask


def ask(method: str, target: str, body: str | dict | None = None, media_type: str | None = None,
        **headers) -> Ask:
    if isinstance(body, dict):
        body, media_type = json.dumps(body), media_type or JSON
    if media_type:
        headers["Content-Type"] = media_type
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda broker: broker.request(method, target, body, headers)


def row(operation: str, status: int, method: str, target: str, *arguments, **headers) -> Row:
    return Row(operation, status, method, target, ask(method, target, *arguments, **headers))


def after(first: Ask, then: Row) -> Row:
    def both(broker: Broker) -> Answer:
        first(broker)
        return then.ask(broker)
    return then._replace(ask=both)


def stream(operation: str, target: str) -> Row:
    def open_and_close(broker: Broker) -> Answer:
        with Sse(broker, target) as sse:
            return Answer(sse.status, {k.lower(): v for k, v in sse.response.getheaders()}, "")
    return Row(operation, 200, "GET", target, open_and_close)


def sent(status: int, request: bytes) -> Row:
    """Bytes to / as they are; the answer up to its end."""
    def send(broker: Broker) -> Answer:
        with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_S) as peer:
            peer.sendall(request)
            head, _, body = peer.makefile("rb").read().decode().partition("\r\n\r\n")
        lines = head.split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        return Answer(int(lines[0].split()[1]), headers, body)
    return Row("*", status, "GET", "/", send)


def handshake(operation: str, target: str) -> Row:
    head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in HANDSHAKE.items()) + "\r\n"

    def upgrade(broker: Broker) -> Answer:
        with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_S) as peer:
            peer.sendall(head.encode())
            return Answer(int(peer.makefile("rb").readline().split()[1]), {}, "")
    return Row(operation, 101, "GET", target, upgrade)


def dead_letter(broker: Broker) -> None:
    """The subscription `sunk` has two, and its sink is gone."""
    with Receiver() as receiver:
        receiver.answers = [413, 413]
        broker.subscribe("sunk", "type = 'doomed'", sink=receiver.url)
        broker.publish(event(900, type="doomed"), event(901, type="doomed"))
        eventually(lambda: broker.status("sunk")["dead_letters"] == 2, "the sink refuses them")


def by_another_owner(broker: Broker) -> Answer:
    issued = broker.request("POST", "/tokens/desk/rotate", "{}", {"Content-Type": JSON}).json()
    return broker.request("PUT", "/subscriptions/a", "{}", {"Content-Type": JSON},
                          token=issued["secret"])


def crowd(broker: Broker) -> None:
    for number in range(12):
        broker.subscribe(f"crowd{number}", "type = 'x'")


ROWS = [
    row("getIndex", 200, "GET", "/"),
    row("getHealth", 200, "GET", "/healthz"),
    row("getReadiness", 200, "GET", "/readyz"),
    row("getMetrics", 200, "GET", "/metrics"),
    row("getOpenapi", 200, "GET", "/openapi.json"),
    row("publish", 202, "POST", "/events", event(1, tier="gold", count=3, hot=True), STRUCTURED),
    row("publish", 200, "POST", "/events", event(1), STRUCTURED),
    row("publish", 200, "POST", "/events", f"[{event(2)},{event(2)},{{}}]", BATCHED),
    row("publish", 400, "POST", "/events", "[{}]", BATCHED),
    row("publish", 400, "POST", "/events", "{}", STRUCTURED),
    row("createSubscription", 201, "POST", "/subscriptions",
        {"id": "a", "source": "/test", "types": ["test"], "filters": [
            {"weir": "exists subject"}, {"not": {"exact": {"subject": "x"}}},
            {"any": [{"prefix": {"type": "t"}}, {"suffix": {"type": "t"}}]},
            {"all": [{"sql": "id <> ''"}, {"cesql": "id <> ''"}]}],
         "config": {"outbox": {"policy": "conflate", "limit": 5}, "initial": "latest",
                    "highlight": {"characters": 10, "html": True}}}),
    row("createSubscription", 409, "POST", "/subscriptions", {"id": "a"}),
    row("putSubscription", 201, "PUT", "/subscriptions/b", DISTINCT),
    row("putSubscription", 200, "PUT", "/subscriptions/b", DISTINCT),
    row("putSubscription", 201, "PUT", "/subscriptions/warned", WARNED),
    row("getSubscription", 200, "GET", "/subscriptions/b"),
    row("listSubscriptions", 200, "GET", "/subscriptions"),
    row("listSubscriptions", 200, "GET", "/subscriptions?limit=1&after=a"),
    stream("streamSubscription", "/subscriptions/b/events"),
    handshake("streamSubscription", "/subscriptions/b/events"),
    stream("streamFilter", "/stream?filter=id%20%3D%20%271%27"),
    handshake("streamFilter", "/stream"),
    row("acknowledge", 204, "POST", "/subscriptions/b/ack", {"upto": 0}),
    row("forget", 200, "POST", "/subscriptions/b/forget", event(3, subject="s"), STRUCTURED),
    row("explain", 200, "POST", "/subscriptions/b/explain", event(4, subject="s"), STRUCTURED),
    after(dead_letter, row("listDeadLetters", 200, "GET", "/subscriptions/sunk/dead-letters")),
    row("streamSubscription", 409, "GET", "/subscriptions/sunk/events",
        Accept="text/event-stream"),
    row("resendDeadLetter", 200, "POST", "/subscriptions/sunk/dead-letters/1/resend"),
    row("purgeDeadLetter", 200, "DELETE", "/subscriptions/sunk/dead-letters/2"),
    row("resendDeadLetters", 200, "POST", "/subscriptions/sunk/dead-letters/resend"),
    row("purgeDeadLetters", 200, "DELETE", "/subscriptions/sunk/dead-letters"),
    row("putSubscription", 201, "PUT", "/subscriptions/jobs",
        {"config": {"consumers": {"mode": "shared", "by": "subject"}, "start": "earliest"}}),
    row("acknowledge", 200, "POST", "/subscriptions/jobs/ack", {"numbers": [7]}),
    row("giveBack", 200, "POST", "/subscriptions/jobs/nack", {"numbers": [7], "delay": "1s"}),
    row("createToken", 201, "POST", "/tokens",
        {"name": "desk", "grants": {"publish": [{"source": "/test"}], "subscribe": [{}]}}),
    row("createToken", 409, "POST", "/tokens", {"name": "desk", "grants": {}}),
    row("listTokens", 200, "GET", "/tokens"),
    row("getToken", 200, "GET", "/tokens/desk"),
    row("rotateToken", 200, "POST", "/tokens/desk/rotate", {"overlap": "1s"}),
    Row("putSubscription", 409, "PUT", "/subscriptions/a", by_another_owner),
    row("transferSubscription", 200, "POST", "/subscriptions/a/owner", {"owner": "desk"}),
    row("transferAllSubscriptions", 200, "POST", "/tokens/desk/transfer", {"to": "desk"}),
    row("revokeToken", 204, "DELETE", "/tokens/desk"),
    row("deleteSubscription", 204, "DELETE", "/subscriptions/b"),

    row("*", 400, "GET", "/subscriptions?limit=0"),
    row("*", 401, "GET", "/subscriptions", Authorization="Bearer weir_none"),
    row("*", 403, "GET", "/subscriptions", Origin="https://elsewhere.example"),
    row("*", 404, "GET", "/subscriptions/none"),
    row("*", 406, "GET", "/subscriptions", Accept="image/png"),
    sent(408, b"GET / HTTP/1.1\r\n"),
    row("*", 413, "POST", "/events", "x" * 70000, "text/plain"),
    row("*", 415, "PUT", "/subscriptions/b", "{}", "text/plain"),
    after(crowd, row("*", 429, "PUT", "/subscriptions/one-more", {})),
    sent(431, b"GET / HTTP/1.1\r\nX: " + b"x" * 20000 + b"\r\n\r\n"),
]


def pieces() -> list[dict]:
    return [openapi.read_piece(path) for path in (ROOT / "src/server/openapi").glob("*.json")]


class OpenapiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.contract = Contract.of_tree()
        cls.broker = cls.enterClassContext(Broker(environment=ENVIRONMENT))

    def test_the_server_gives_every_answer_as_it_is_described(self):
        for operation, status, method, target, ask_it in ROWS:
            with self.subTest(f"{operation} {status} {method} {target}"):
                answer = ask_it(self.broker)
                self.assertEqual(answer.status, status, answer.text)
                self.assertEqual(self.contract.errors(
                    method, target, status, answer.headers.get("content-type"), answer.text), [])
                if operation != "*":
                    self.assertEqual(self.contract.find(method, target).name, operation)

    def test_every_answer_that_is_described_has_a_row(self):
        described = {("*", int(status)) for piece in pieces()
                     for group in piece.get(openapi.COMMON, {}).values() for status in group}
        for piece in pieces():
            for _, _, operation in openapi.operations({"paths": {}, **piece}):
                described |= {(operation["operationId"], int(status))
                              for status in operation["responses"]}
        rows = {(operation, status) for operation, status, *_ in ROWS}
        self.assertEqual(rows | NOT_PROVOKED, described)

    def test_the_program_serves_the_document_of_the_tree(self):
        self.assertEqual(self.broker.request("GET", "/openapi.json").json(),
                         self.contract.document)

    def test_a_query_parameter_that_is_not_described_is_refused(self):
        for operation in self.contract.operations:
            target = operation.path.replace("{id}", "a") + "?nonsense=1"
            answer = self.broker.request(operation.method, target)
            self.assertEqual((answer.status, answer.json()["name"]), (400, "http.parameter"),
                             operation.name)


if __name__ == "__main__":
    unittest.main()
