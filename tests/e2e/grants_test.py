#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each token reaches exactly what it was granted: publish, stream, resume, replace, webhook."""

import itertools
import signal
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from broker_program import STRUCTURED, Broker, Sse, eventually
from weir_program import event, weir
from webhook_test import QUICK, Receiver

SOURCES = ["/a/1", "/a/2", "/b/1", "/ab"]
TYPES = ["x.one", "x.two", "y"]
EVENTS = [(source, type_) for source, type_ in itertools.product(SOURCES, TYPES)]

# Token -> its grants on the command line, and what they cover.
TOKENS = {
    "everything": (["--publish", "all", "--subscribe", "all"],
                   lambda s, t: True, lambda s, t: True),
    "reader": (["--subscribe", "source:/a/"],
               lambda s, t: False, lambda s, t: s.startswith("/a/")),
    "writer": (["--publish", "source:/b/,type:x."], lambda s, t: s.startswith("/b/") and
               t.startswith("x."), lambda s, t: False),
    "mixed": (["--publish", "type:y", "--subscribe", "source:/a/,type:x.", "--subscribe", "type:y"],
              lambda s, t: t.startswith("y"),
              lambda s, t: (s.startswith("/a/") and t.startswith("x.")) or t.startswith("y")),
    "admin": (["--admin"], lambda s, t: False, lambda s, t: False),
    "boss": (["--admin", "--subscribe", "all"], lambda s, t: False, lambda s, t: True),
}


def name_of(source: str, type_: str) -> str:
    return f"{source}!{type_}"


class GrantsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="weir-grants-")
        cls.data = Path(cls.directory.name) / "data"
        cls.data.mkdir(mode=0o700)
        cls.tokens = {}
        for name, (grants, _, _) in TOKENS.items():
            done = weir("token", "create", name, *grants, "--data", str(cls.data))
            assert done.code == 0, done.err
            cls.tokens[name] = done.out.strip()
        cls.broker = Broker("--anonymous", "off", "--dedup", "off", data=cls.data,
                            environment=QUICK)
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

    def visible(self, name: str) -> list[str]:
        return [name_of(*pair) for pair in EVENTS if TOKENS[name][2](*pair)]

    def test_publishing(self):
        for name, (_, may_publish, _) in TOKENS.items():
            got = self.publish_all(self.tokens[name])
            for pair, status in got.items():
                self.assertEqual(status, "accepted" if may_publish(*pair) else "rejected",
                                 (name, pair))

    def test_streaming_and_resuming(self):
        for name in ["everything", "reader", "mixed"]:
            token = self.tokens[name]
            sub = f"stream-{name}"
            self.assertEqual(self.broker.subscribe(sub, token=token).status, 201)
            with Sse(self.broker, "/stream?filter=true", token=token) as stream:
                self.publish_all(self.root)
                wanted = self.visible(name)
                self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted)
            with Sse(self.broker, f"/subscriptions/{sub}/events", token=token) as stream:
                self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted, name)
            with Sse(self.broker, f"/subscriptions/{sub}/events", token=token,
                     last_event_id="1") as stream:
                self.assertEqual([one["id"] for one in stream.events(len(wanted) - 1)], wanted[1:])

    def test_replacing_does_not_widen(self):
        token = self.tokens["reader"]
        self.broker.subscribe("widen", "type = 'y'", token=token)
        self.assertEqual(self.broker.subscribe("widen", "true", token=token).status, 200)
        self.publish_all(self.root)
        wanted = self.visible("reader")
        with Sse(self.broker, "/subscriptions/widen/events", token=token) as stream:
            self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted)
        # Another may replace it only as an admin, and it still gets what its owner may see.
        self.assertEqual(self.broker.subscribe("widen", "type = 'y'",
                                               token=self.tokens["admin"]).status, 403,
                         "an admin without a grant to subscribe may not")
        self.assertEqual(self.broker.subscribe("widen", "type = 'y'",
                                               token=self.tokens["boss"]).status, 200)
        self.publish_all(self.root)
        wanted = [name for name in self.visible("reader") if name.endswith("!y")]
        with Sse(self.broker, "/subscriptions/widen/events", token=token,
                 last_event_id=str(len(self.visible("reader")))) as stream:
            self.assertEqual([one["id"] for one in stream.events(len(wanted))], wanted)
        self.broker.request("DELETE", "/subscriptions/widen", token=token)

    def test_a_webhook_gets_what_its_owner_may_see(self):
        token = self.tokens["mixed"]
        with Receiver() as receiver:
            self.broker.subscribe("hook", "true", token=token, sink=receiver.url)
            self.publish_all(self.root)
            wanted = self.visible("mixed")
            eventually(lambda: len(receiver.taken()) == len(wanted), "all arrive")
            self.assertEqual(receiver.taken(), wanted)
            self.broker.request("DELETE", "/subscriptions/hook", token=token)

    def test_others_subscriptions_are_not_there(self):
        self.broker.subscribe("mine", token=self.tokens["reader"])
        for method, target in [("GET", ""), ("DELETE", ""), ("GET", "/events"),
                               ("GET", "/dead-letters")]:
            answer = self.broker.request(method, "/subscriptions/mine" + target,
                                         token=self.tokens["mixed"])
            self.assertEqual(answer.status, 404, (method, target))
        answer = self.broker.request("POST", "/subscriptions/mine/forget", event(),
                                     {"Content-Type": STRUCTURED}, self.tokens["mixed"])
        self.assertEqual(answer.status, 404)
        self.assertIn(self.broker.subscribe("mine", token=self.tokens["mixed"]).status, (403, 404))
        listed = self.broker.request("GET", "/subscriptions", token=self.tokens["mixed"]).json()
        self.assertNotIn("mine", [one["id"] for one in listed["subscriptions"]])
        seen = self.broker.request("GET", "/subscriptions/mine", token=self.tokens["admin"])
        self.assertEqual((seen.status, seen.json()["owner"]), (200, "reader"))

    def test_blocking_must_be_granted(self):
        answer = self.broker.subscribe("block", token=self.tokens["reader"],
                                       config={"outbox": {"policy": "block"}})
        self.assertEqual((answer.status, answer.json()["name"]), (403, "broker.forbidden"))

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
