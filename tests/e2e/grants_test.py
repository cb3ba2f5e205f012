#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each token reaches exactly what it was granted, by every way in and out."""

import asyncio
import itertools
import json
import signal
import tempfile
import unittest
from pathlib import Path
from typing import Callable, NamedTuple

import websockets

from broker_program import JSON, STRUCTURED, Broker, Sse, eventually, events_of
from weir_program import event, weir
from webhook_test import QUICK, Receiver

SOURCES = ["/b/1", "/ab", "/a/2", "/a/1"]
TYPES = ["x.one", "x.two", "y"]
EVENTS = list(itertools.product(SOURCES, TYPES))
LAST = "/a/1!y"  # whoever may see anything may see this


class Token(NamedTuple):
    grants: list[str]  # on the command line
    publishes: Callable[[str, str], bool]
    sees: Callable[[str, str], bool]
    admin: bool = False


def nothing(_source: str, _type: str) -> bool:
    return False


def everything(_source: str, _type: str) -> bool:
    return True


def below_a(source: str, _type: str) -> bool:
    return source.startswith("/a/")


TOKENS = {
    "everything": Token(["--publish", "all", "--subscribe", "all"], everything, everything),
    "reader": Token(["--subscribe", "source:/a/"], nothing, below_a),
    "writer": Token(["--publish", "source:/b/,type:x."],
                    lambda s, t: s.startswith("/b/") and t.startswith("x."), nothing),
    "mixed": Token(["--publish", "type:y", "--subscribe", "source:/a/,type:x.",
                    "--subscribe", "type:y"], lambda s, t: t.startswith("y"),
                   lambda s, t: below_a(s, t) and t.startswith("x.") or t.startswith("y")),
    "admin": Token(["--admin"], nothing, nothing, admin=True),
    "lead": Token(["--admin", "--subscribe", "source:/a/"], nothing, below_a, admin=True),
    "boss": Token(["--admin", "--subscribe", "all"], nothing, everything, admin=True),
}


def name_of(source: str, type_: str) -> str:
    return f"{source}!{type_}"


def visible(name: str) -> list[str]:
    return [name_of(*pair) for pair in EVENTS if TOKENS[name].sees(*pair)]


def own(name: str) -> list[str] | int:
    """What a token is to get of a subscription of its own to everything, or a status."""
    return visible(name) or 403


def others(name: str, owner: str) -> list[str] | int:
    """The same of one that another owns."""
    if name == owner:
        return own(name)
    if not TOKENS[name].admin:
        return 404
    covers = set(visible(owner)) <= set(visible(name))
    return visible(owner) if visible(name) and covers else 403


class GrantsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="weir-grants-")
        cls.data = Path(cls.directory.name) / "data"
        cls.data.mkdir(mode=0o700)
        cls.tokens = {}
        for name, token in TOKENS.items():
            done = weir("token", "create", name, *token.grants, "--data", str(cls.data))
            assert done.code == 0, done.err
            cls.tokens[name] = done.out.strip()
        cls.broker = Broker("--anonymous", "off", "--dedup", "off", data=cls.data,
                            environment={**QUICK, "WEIR_WEBHOOKS_REFUSALS": "1"})
        cls.root = cls.tokens["everything"]

    @classmethod
    def tearDownClass(cls):
        cls.broker.__exit__()
        cls.directory.cleanup()

    def publish_all(self, token: str) -> dict[tuple[str, str], str]:
        texts = [event(id=name_of(*pair), source=pair[0], type=pair[1]) for pair in EVENTS]
        answer = self.broker.publish(*texts, token=token)
        results = answer.json()["results"]
        return {pair: result["status"] for pair, result in zip(EVENTS, results)}

    # Ways in: what becomes of each event.

    def publish_batch(self, name: str) -> dict[tuple[str, str], bool]:
        return {pair: status == "accepted"
                for pair, status in self.publish_all(self.tokens[name]).items()}

    def publish_single(self, name: str) -> dict[tuple[str, str], bool]:
        found = {}
        for source, type_ in EVENTS:
            answer = self.broker.request("POST", "/events", event(source=source, type=type_),
                                         {"Content-Type": STRUCTURED}, self.tokens[name])
            self.assertIn(answer.status, (202, 403))
            found[source, type_] = answer.status == 202
        return found

    # Ways out: the ids of the events that a token gets, or the status by which it is refused. Each
    # makes subscriptions of the name that it is given.

    def read(self, target: str, token: str, last_number: int | None = None) -> list[str] | int:
        """What a stream has up to the event that comes last."""
        query = "" if last_number is None else f"?last_event_id={last_number}"
        with Sse(self.broker, target + query, token=token) as stream:
            if stream.status != 200:
                return stream.status
            ids = []
            while LAST not in ids:
                ids += [one["id"] for one in stream.events(1)]
            return ids

    def made(self, sub: str, name: str, filter_text: str = "true", **members) -> int:
        """0 if it could be made."""
        status = self.broker.subscribe(sub, filter_text, token=self.tokens[name], **members).status
        return 0 if status in (200, 201) else status

    def by_sse(self, name: str, sub: str):
        if refused := self.made(sub, name):
            return refused
        self.publish_all(self.root)
        return self.read(f"/subscriptions/{sub}/events", self.tokens[name])

    def by_post(self, name: str, sub: str):
        answer = self.broker.request("POST", "/subscriptions", json.dumps({"id": sub}),
                                     {"Content-Type": JSON}, self.tokens[name])
        if answer.status != 201:
            return answer.status
        self.publish_all(self.root)
        return self.read(f"/subscriptions/{sub}/events", self.tokens[name])

    def by_resuming(self, name: str, sub: str):
        ids = self.by_sse(name, sub)
        if isinstance(ids, int) or len(ids) < 2:
            return ids
        return ids[:1] + self.read(f"/subscriptions/{sub}/events", self.tokens[name], 1)

    def by_restarting(self, name: str, sub: str):
        if refused := self.made(sub, name):
            return refused
        self.publish_all(self.root)
        self.broker.restart()
        first = self.read(f"/subscriptions/{sub}/events", self.tokens[name])
        self.publish_all(self.root)
        then = self.read(f"/subscriptions/{sub}/events", self.tokens[name], len(first))
        self.assertEqual(then, first, "as before")
        return first

    def by_replacing(self, name: str, sub: str):
        if refused := self.made(sub, name, "type = 'none'") or self.made(sub, name):
            return refused
        self.publish_all(self.root)
        return self.read(f"/subscriptions/{sub}/events", self.tokens[name])

    def by_stream(self, name: str, _sub: str):
        with Sse(self.broker, "/stream?filter=true", token=self.tokens[name]) as stream:
            if stream.status != 200:
                return stream.status
            self.publish_all(self.root)
            ids = []
            while LAST not in ids:
                ids += [one["id"] for one in stream.events(1)]
            return ids

    def by_websocket(self, name: str, sub: str):
        if refused := self.made(sub, name):
            return refused
        self.publish_all(self.root)
        return asyncio.run(self.read_websocket(f"/subscriptions/{sub}/events", name))

    async def read_websocket(self, target: str, name: str):
        url = f"ws://127.0.0.1:{self.broker.port}{target}"
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        ids = []
        try:
            async with websockets.connect(url, subprotocols=["weir.v1"],
                                          extra_headers=headers) as socket:
                await socket.send(json.dumps({"type": "credit", "count": 100}))
                while LAST not in ids:
                    message = json.loads(await socket.recv())
                    if message["type"] == "event":
                        ids += [one["id"] for one in events_of(message)]
        except websockets.InvalidStatusCode as refused:
            return refused.status_code
        return ids

    def by_webhook(self, name: str, sub: str):
        with Receiver() as receiver:
            if refused := self.made(sub, name, sink=receiver.url):
                return refused
            self.publish_all(self.root)
            eventually(lambda: LAST in receiver.taken(), f"{name} gets all")
            return receiver.taken()

    def by_dead_letters(self, name: str, sub: str):
        if refused := self.bury(name, sub):
            return refused
        return self.read_dead_letters(name, sub)

    def bury(self, name: str, sub: str) -> int:
        """All that a subscription gets becomes dead letters."""
        with Receiver() as receiver:
            receiver.answers = [400] * len(EVENTS)
            if refused := self.made(sub, name, sink=receiver.url):
                return refused
            self.publish_all(self.root)
            eventually(lambda: LAST in (self.read_dead_letters(name, sub)), "all are buried")
        return 0

    def read_dead_letters(self, name: str, sub: str):
        answer = self.broker.request("GET", f"/subscriptions/{sub}/dead-letters",
                                     token=self.tokens[name])
        if answer.status != 200:
            return answer.status
        return [one["id"] for letter in answer.json()["dead_letters"] for one in events_of(letter)]

    def explain(self, name: str, sub: str) -> list[str] | int:
        """Of which events it is told that they would be delivered, or the status."""
        delivered = []
        for pair in EVENTS:
            answer = self.broker.request("POST", f"/subscriptions/{sub}/explain",
                                         event(source=pair[0], type=pair[1]),
                                         {"Content-Type": STRUCTURED}, self.tokens[name])
            if answer.status != 200:
                return answer.status
            explanation = answer.json()
            self.assertEqual(explanation["delivered"], "note" not in explanation, answer.text)
            if explanation["delivered"]:
                delivered.append(name_of(*pair))
        return delivered

    def test_ways_in(self):
        for name, way in itertools.product(TOKENS, [self.publish_single, self.publish_batch]):
            with self.subTest(token=name, way=way.__name__):
                self.assertEqual(way(name), {pair: TOKENS[name].publishes(*pair)
                                             for pair in EVENTS})

    def test_ways_out(self):
        ways = [self.by_sse, self.by_post, self.by_resuming, self.by_restarting, self.by_replacing,
                self.by_stream, self.by_websocket, self.by_webhook, self.by_dead_letters]
        for name, way in itertools.product(TOKENS, ways):
            sub = f"{way.__name__}-{name}"
            with self.subTest(token=name, way=way.__name__):
                self.assertEqual(way(name, sub), own(name))
            self.broker.request("DELETE", f"/subscriptions/{sub}", token=self.tokens[name])

    def test_ways_to_what_others_own(self):
        for owner in ["everything", "reader", "mixed"]:
            self.assertEqual(self.made("theirs", owner), 0)
            self.assertEqual(self.bury(owner, "buried"), 0)
            for name in TOKENS:
                target, token = "/subscriptions/theirs", self.tokens[name]
                wanted = others(name, owner)
                with self.subTest(token=name, owner=owner):
                    self.assertEqual(self.read(target + "/events", token), wanted)
                    self.assertEqual(asyncio.run(self.read_websocket(target + "/events", name)),
                                     wanted)
                    self.assertEqual(self.read_dead_letters(name, "buried"), wanted)
                    self.assertEqual(self.explain(name, "theirs"), wanted)
                    knows = name == owner or TOKENS[name].admin
                    acknowledged = self.broker.request("POST", target + "/ack", '{"upto":0}',
                                                       {"Content-Type": JSON}, token)
                    self.assertEqual(acknowledged.status, 204 if knows else 404)
                    replaced = self.broker.subscribe("theirs", "true", token=token)
                    self.assertEqual(replaced.status, 200 if isinstance(wanted, list) else
                                     403 if knows or not visible(name) else 409)
            for sub in ["theirs", "buried"]:
                self.broker.request("DELETE", f"/subscriptions/{sub}", token=self.tokens[owner])

    def test_replacing_does_not_widen(self):
        token = self.tokens["reader"]
        self.broker.subscribe("widen", "type = 'y'", token=token)
        self.assertEqual(self.broker.subscribe("widen", "true", token=token).status, 200)
        self.publish_all(self.root)
        wanted = visible("reader")
        with Sse(self.broker, "/subscriptions/widen/events", token=token) as stream:
            self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted)
        # Another may replace it only as an admin, and it still gets what its owner may see.
        self.assertEqual(self.broker.subscribe("widen", "type = 'y'",
                                               token=self.tokens["admin"]).status, 403,
                         "an admin without a grant to subscribe may not")
        self.assertEqual(self.broker.subscribe("widen", "type = 'y'",
                                               token=self.tokens["boss"]).status, 200)
        self.publish_all(self.root)
        wanted = [name for name in visible("reader") if name.endswith("!y")]
        seen = len(visible("reader"))
        with Sse(self.broker, f"/subscriptions/widen/events?last_event_id={seen}",
                 token=token) as stream:
            self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted)
        self.broker.request("DELETE", "/subscriptions/widen", token=token)

    def test_others_subscriptions_are_not_there(self):
        self.broker.subscribe("mine", token=self.tokens["reader"])
        for method, target in [("GET", ""), ("DELETE", ""), ("GET", "/events"),
                               ("GET", "/dead-letters")]:
            answer = self.broker.request(method, "/subscriptions/mine" + target,
                                         token=self.tokens["mixed"])
            self.assertEqual(answer.status, 404, (method, target))
        for action in ["forget", "explain"]:
            answer = self.broker.request("POST", f"/subscriptions/mine/{action}", event(),
                                         {"Content-Type": STRUCTURED}, self.tokens["mixed"])
            self.assertEqual(answer.status, 404, action)
        self.assertEqual(self.broker.subscribe("mine", token=self.tokens["mixed"]).status, 409)
        listed = self.broker.request("GET", "/subscriptions", token=self.tokens["mixed"]).json()
        self.assertNotIn("mine", [one["id"] for one in listed["subscriptions"]])
        seen = self.broker.request("GET", "/subscriptions/mine", token=self.tokens["admin"])
        self.assertEqual((seen.status, seen.json()["owner"]), (200, "reader"))

    def test_blocking_must_be_granted(self):
        answer = self.broker.subscribe("block", token=self.tokens["reader"],
                                       config={"outbox": {"policy": "block"}})
        self.assertEqual((answer.status, answer.json()["name"]), (403, "broker.forbidden"))

    def test_what_anonymous_subscriptions_get_is_configured(self):
        """They are made with all grants, and the broker is started again with others."""
        texts = [event(id=name_of(*pair), source=pair[0], type=pair[1]) for pair in EVENTS]
        with Broker("--dedup", "off", environment=QUICK) as broker, Receiver() as receiver:
            broker.subscribe("plain")
            broker.subscribe("hook", sink=receiver.url)
            token = weir("token", "create", "root", "--publish", "all", "--subscribe", "all",
                         "--admin", "--data", str(broker.data)).out.strip()
            broker.publish(*texts)
            eventually(lambda: len(receiver.taken()) == len(texts), "the hook gets all")
            eventually(lambda: broker.status("hook")["pending"] == 0, "that is acknowledged")
            broker.environment["WEIR_SERVER_ANONYMOUS_GRANTS"] = "subscribe=source:/a/"
            broker.restart()
            self.assertEqual(broker.publish(*texts).json()["accepted"], 0)
            broker.publish(*texts, token=token)
            wanted = visible("reader")
            with Sse(broker, "/subscriptions/plain/events") as stream:
                ids = [one["id"] for one in stream.events(2 * len(wanted))]
            self.assertEqual(ids, wanted + wanted)
            eventually(lambda: len(receiver.taken()) == len(texts) + len(wanted), "the hook, too")
            self.assertEqual(receiver.taken()[len(texts):], wanted)
            eventually(lambda: broker.status("hook")["pending"] == 0, "that is acknowledged")
            broker.arguments += ("--anonymous", "off")
            broker.restart()
            broker.publish(*texts, token=token)
            with Sse(broker, "/subscriptions/plain/events", token=token) as stream:
                self.assertEqual(stream.status, 404)
            self.assertEqual(broker.request("GET", "/subscriptions/plain").status, 401)
            self.assertEqual(broker.status("hook", token)["pending"], 0)

    def test_without_a_token_nothing(self):
        for token in [None, "weir_0000000000000000_" + "A" * 43, self.root[:-1] + "x"]:
            for method, target in [("POST", "/events"), ("GET", "/subscriptions"),
                                   ("GET", "/stream?filter=true"), ("GET", "/metrics")]:
                answer = self.broker.request(method, target, token=token)
                self.assertEqual((answer.status, answer.json()["name"]),
                                 (401, "broker.unauthenticated"), (method, target))
                self.assertIn("Bearer", answer.headers["www-authenticate"])

    def test_a_revoked_token_ends_its_stream(self):
        done = weir("token", "create", "brief", "--subscribe", "all", "--data", str(self.data))
        token = done.out.strip()
        self.broker.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.broker.subscribe("brief", token=token).status in (200, 201),
                   "the token is known")
        streams = [Sse(self.broker, target, token=token)
                   for target in ["/subscriptions/brief/events", "/stream?filter=true"]]
        self.assertEqual([stream.status for stream in streams], [200, 200])
        self.assertEqual(weir("token", "revoke", "brief", "--data", str(self.data)).code, 0)
        self.broker.process.send_signal(signal.SIGHUP)
        for stream in streams:
            last = ""
            for line in stream.response:
                last = line.decode().strip() or last
            self.assertIn("broker.ended", last)
            stream.close()
        eventually(lambda: self.broker.request("GET", "/subscriptions", token=token).status == 401,
                   "the token is refused")
        self.assertNotIn(token, "".join(self.broker.errors))


if __name__ == "__main__":
    unittest.main()
