#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warnings of `weir check` also come with the answers of a broker, and from the client commands."""

import asyncio
import json
import tempfile
import unittest
import urllib.parse
from pathlib import Path

import websockets

from broker_program import JSON, Broker, Sse
from weir_program import event, weir

DOUBTFUL = "tpye = 'a'"
MESSAGE = "'tpye' is an extension attribute: did you mean 'type'?"
SOUND = "type = 'a'"
IN_FILTER = {"name": "near_name", "message": MESSAGE,
             "position": {"line": 1, "column": 1, "offset": 0}, "filter": 0}


def stream_target(filter_text: str, **parameters) -> str:
    return "/stream?" + urllib.parse.urlencode({"filter": filter_text, **parameters})


class WarningsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = cls.enterClassContext(Broker())

    def send(self, method: str, target: str, document: str) -> dict:
        answer = self.broker.request(method, target, document, {"Content-Type": JSON})
        self.assertIn(answer.status, (200, 201), answer.text)
        return answer.json()

    def test_an_answer_says_which_filter_is_doubtful_and_where(self):
        document = '{"filters": [\n  {"exact": {"type": "a"}},\n  {"weir": "%s"}]}' % DOUBTFUL
        expected = [{"name": "near_name", "message": MESSAGE, "filter": 1,
                     "position": {"line": 3, "column": 12,
                                  "offset": document.index('"tpye')}}]
        made = self.send("POST", "/subscriptions", document)
        self.assertEqual(made["warnings"], expected)
        for _ in range(2):
            put = self.send("PUT", "/subscriptions/doubtful", document)
            self.assertEqual(put["warnings"], expected)
        read = self.broker.request("GET", "/subscriptions/doubtful").json()
        self.assertNotIn("warnings", read)

    def test_a_sound_filter_has_no_warnings(self):
        put = self.send("PUT", "/subscriptions/sound", json.dumps({"filters": [{"weir": SOUND}]}))
        self.assertNotIn("warnings", put)
        with Sse(self.broker, stream_target(SOUND)) as sse:
            self.assertIsNone(sse.response.getheader("Weir-Warning"))

    def test_a_stream_warns_before_it_begins(self):
        for parameters in ({}, {"limit": 10}):
            with Sse(self.broker, stream_target(DOUBTFUL, **parameters)) as sse:
                self.assertEqual(sse.status, 200)
                self.assertEqual(json.loads(sse.response.getheader("Weir-Warning")), IN_FILTER)
                self.broker.publish(event(parameters.get("limit", 1), tpye="a"))
                message = sse.read()
            kind, _, text = message["comments"][0].partition(" ")
            self.assertEqual((kind, json.loads(text)), ("warning", IN_FILTER))
            self.assertEqual(json.loads(message["data"])["tpye"], "a")

    def test_there_are_not_too_many_header_fields(self):
        with Sse(self.broker, stream_target(" or ".join([DOUBTFUL] * 20))) as sse:
            fields = sse.response.headers.get_all("Weir-Warning")
        self.assertEqual(len(fields), 16)
        self.assertEqual(json.loads(fields[-1])["message"],
                         "5 more warnings; weir check shows all of them")

    def test_a_websocket_is_told_with_its_hello(self):
        async def hello(filter_text: str) -> dict:
            url = f"ws://127.0.0.1:{self.broker.port}" + stream_target(filter_text)
            async with websockets.connect(url, subprotocols=["weir.v1"]) as socket_:
                return json.loads(await socket_.recv())
        self.assertEqual(asyncio.run(hello(DOUBTFUL))["warnings"], [IN_FILTER])
        self.assertNotIn("warnings", asyncio.run(hello(SOUND)))

    def test_weir_subscribe_warns_and_goes_on(self):
        self.broker.subscribe("told", DOUBTFUL)
        self.broker.publish(event(100, tpye="a"))
        at = ("--url", self.broker.url, "--id", "told", "--count", "1")
        done = weir("subscribe", DOUBTFUL, *at)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(len(done.lines()), 1)
        self.assertEqual(done.err, f"weir: warning: filter: line 1, column 1: {MESSAGE} "
                                   f"(near_name)\n  {DOUBTFUL}\n  ^\n")
        self.broker.publish(event(101, tpye="a"))
        done = weir("subscribe", DOUBTFUL, *at, "--json")
        self.assertEqual(json.loads(done.err), {"warning": {
            "name": "near_name", "message": MESSAGE, "line": 1, "column": 1}})

    def test_weir_subscriptions_warns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "document.json"
            path.write_text(json.dumps({"filters": [{"weir": DOUBTFUL}]}))
            for verb in (["create"], ["replace", "made"]):
                done = weir("subscriptions", *verb, str(path), "--url", self.broker.url)
                self.assertEqual(done.code, 0, done.err)
                self.assertIn(f"weir: warning: filters[0]: line 1, column 23: {MESSAGE} "
                              "(near_name)\n", done.err)
                self.assertNotIn("warnings", done.out)


if __name__ == "__main__":
    unittest.main()
