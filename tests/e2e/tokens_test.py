#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens of a broker that runs: revoked, rotated and made by command and over HTTP."""

import contextlib
import http.client
import json
import time
import unittest

from broker_program import JSON, PATIENCE_S, Broker, Sse, eventually, exchange
from weir_program import event, weir

PROMISED_S = 1.0  # within which a revoked token is refused
BUSY_S = 4.0      # that a busy machine may add


def ended(stream: Sse) -> dict:
    """The problem that a stream ends with."""
    while True:
        message = stream.read()
        if message.get("event") == "error":
            return json.loads(message["data"])


class TokensTest(unittest.TestCase):
    def setUp(self):
        self.broker = self.enterContext(Broker("--anonymous", "off"))
        self.data = ["--data", str(self.broker.data)]
        self.root = self.create("root", "--admin", "--publish", "all", "--subscribe", "all")

    def create(self, name: str, *grants: str) -> str:
        made = weir("token", "create", name, *grants, *self.data)
        self.assertEqual(made.code, 0, made.err)
        token = made.out.strip()
        eventually(lambda: self.is_good(token), f"the token of {name} is known")
        return token

    def is_good(self, token: str) -> bool:
        return self.broker.request("GET", "/subscriptions", token=token).status == 200

    def post(self, target: str, body: dict | None = None, token: str | None = None):
        text = None if body is None else json.dumps(body)
        return self.broker.request("POST", target, text, {"Content-Type": JSON},
                                   token or self.root)

    def owner(self, name: str) -> str:
        answer = self.broker.request("GET", f"/subscriptions/{name}", token=self.root)
        return answer.json()["owner"]

    def test_one_revoked_by_command_is_refused_within_a_second(self):
        desk = self.create("desk", "--publish", "all", "--subscribe", "all")
        connection = http.client.HTTPConnection("127.0.0.1", self.broker.port, timeout=PATIENCE_S)
        with contextlib.closing(connection), \
                Sse(self.broker, "/stream?filter=true", token=desk) as stream:
            self.assertEqual(self.broker.publish(event(1), token=desk).status, 200)
            self.assertEqual(next(stream.events(1))["id"], "1")
            self.assertEqual(exchange(connection, "GET", "/subscriptions", None, None, desk).status,
                             200)
            self.assertEqual(weir("token", "revoke", "desk", *self.data).code, 0)
            revoked = time.monotonic()
            self.assertEqual(ended(stream)["name"], "broker.ended")
            self.assertLess(time.monotonic() - revoked, PROMISED_S + BUSY_S)
            eventually(lambda: not self.is_good(desk), "it is refused")
            self.assertLess(time.monotonic() - revoked, PROMISED_S + BUSY_S)
            self.assertEqual(exchange(connection, "GET", "/subscriptions", None, None, desk).status,
                             401, "on a connection that was let in before, too")

    def test_a_rotation_by_command_leaves_an_overlap(self):
        old = self.create("desk", "--publish", "all", "--subscribe", "all")
        self.assertEqual(self.broker.subscribe("alerts", "true", token=old).status, 201)
        with Sse(self.broker, "/subscriptions/alerts/events", token=old) as stream:
            rotated = weir("token", "rotate", "desk", "--overlap", "1h", *self.data)
            self.assertEqual(rotated.code, 0, rotated.err)
            self.assertIn("valid until", rotated.err)
            new = rotated.out.strip()
            eventually(lambda: self.is_good(new), "the new secret is known")
            self.assertTrue(self.is_good(old))
            self.broker.publish(event(1), token=new)
            self.assertEqual(next(stream.events(1))["id"], "1", "what is open goes on")
            final = weir("token", "rotate", "desk", "--overlap", "0s", "--json", *self.data)
            self.assertEqual(final.code, 0, final.err)
            self.assertEqual(len(final.lines()[0]["row"]["former_until"]), 1, "the first one's")
            eventually(lambda: not self.is_good(new), "the second secret has ended")
            self.assertTrue(self.is_good(old), "the first one has a time of its own")
            newest = final.lines()[0]["token"]
            self.assertEqual(self.broker.status("alerts", token=newest)["pending"], 1)
        self.assertEqual(weir("token", "revoke", "desk", *self.data).code, 0)
        self.assertEqual(weir("token", "rotate", "desk", *self.data).code, 3, "it is revoked")
        self.assertEqual(weir("token", "rotate", "nobody", *self.data).code, 3)
        self.assertEqual(weir("token", "revoke", "nobody", *self.data).code, 3)
        self.assertEqual(weir("token", "rotate", "root", "--overlap", "-1s", *self.data).code, 2)

    def test_an_admin_makes_rotates_and_revokes_over_http(self):
        made = self.post("/tokens", {"name": "desk", "grants": {"subscribe": [{"source": "/a"}]}})
        self.assertEqual((made.status, made.headers["cache-control"]), (201, "no-store"), made.text)
        old = made.json()["secret"]
        self.assertTrue(self.is_good(old), "at once")
        self.assertEqual(self.post("/tokens", {"name": "desk", "grants": {}}).status, 409)
        with Sse(self.broker, "/stream?filter=true", token=old) as stream:
            rotated = self.post("/tokens/desk/rotate", {"overlap": "0s"})
            self.assertEqual((rotated.status, rotated.headers["cache-control"]), (200, "no-store"))
            self.assertEqual(ended(stream)["name"], "broker.ended")
        new = rotated.json()["secret"]
        self.assertEqual((self.is_good(old), self.is_good(new)), (False, True))
        self.assertEqual(self.broker.request("GET", "/tokens", token=new).status, 403)
        listed = self.broker.request("GET", "/tokens", token=self.root)
        self.assertEqual([one["name"] for one in listed.json()["tokens"]], ["desk", "root"])
        self.assertEqual(self.broker.request("DELETE", "/tokens/desk", token=self.root).status, 204)
        self.assertFalse(self.is_good(new), "at once")
        shown = self.broker.request("GET", "/tokens/desk", token=self.root)
        self.assertTrue(shown.json()["revoked"])
        self.assertEqual(self.post("/tokens/desk/rotate").status, 404)
        self.broker.stop()
        told = listed.text + shown.text + "".join(self.broker.errors)
        for secret in [old, new]:
            self.assertNotIn(secret.split("_", 2)[2], told)
            self.assertNotIn(secret.split("_", 2)[1], told)
        self.assertRegex(told, "info a token was created token=desk by=root")

    def test_nobody_makes_more_than_it_has(self):
        lead = self.create("lead", "--admin", "--subscribe", "source:/a/")
        for grants in [{"subscribe": [{}]}, {"publish": [{"source": "/a/"}]}, {"block": True}]:
            made = self.post("/tokens", {"name": "more", "grants": grants}, lead)
            self.assertEqual(made.status, 403, grants)
        self.assertEqual(self.post("/tokens/root/rotate", token=lead).status, 403)
        less = {"name": "less", "grants": {"subscribe": [{"source": "/a/b"}], "admin": True}}
        self.assertEqual(self.post("/tokens", less, lead).status, 201)

    def test_subscriptions_are_given_to_another_owner(self):
        old = self.create("old", "--subscribe", "all")
        new = self.create("new", "--subscribe", "source:/a")
        for name in ["one", "two"]:
            self.assertEqual(self.broker.subscribe(name, "true", token=old).status, 201)
        self.broker.publish(event(1, source="/b"), event(2, source="/a"), token=self.root)
        self.assertEqual(self.broker.subscribe("one", "true", token=new).status, 409)
        self.assertEqual(self.broker.request("GET", "/subscriptions/one", token=new).status, 404)
        admin = ["--url", self.broker.url, "--token", self.root]
        self.assertEqual(weir("token", "revoke", "old", *self.data).code, 0)
        eventually(lambda: not self.is_good(old), "it is refused")

        moved = weir("subscriptions", "transfer", "one", "new", *admin, "--json")
        self.assertEqual((moved.code, moved.lines()[0]["owner"]), (0, "new"), moved.err)
        moved = weir("subscriptions", "transfer", "--all-of", "old", "new", *admin, "--json")
        self.assertEqual((moved.code, moved.lines()), (0, [{"transferred": 1}]), moved.err)
        self.assertEqual(weir("subscriptions", "transfer", "one", "nobody", *admin).code, 3)
        self.assertEqual(weir("subscriptions", "transfer", "one", *admin).code, 2)
        self.assertEqual(weir("subscriptions", "list", "--all-of", "new", *admin).code, 2)
        self.broker.publish(event(3, source="/b"), event(4, source="/a"), token=self.root)
        self.broker.kill()
        self.broker.start()
        for name in ["one", "two"]:
            self.assertEqual(self.owner(name), "new")
            with Sse(self.broker, f"/subscriptions/{name}/events", token=new) as stream:
                self.assertEqual([one["id"] for one in stream.events(2)], ["2", "4"])


if __name__ == "__main__":
    unittest.main()
