#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Why a subscription of a running broker gets an event or not: over HTTP, and by weir explain."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from broker_program import BATCHED, STRUCTURED, Answer, Broker, Sse, eventually
from weir_program import ROOT, Done, event, weir

CHANGE = "type = 'reading' and change(data.celsius, by subject) > 0.5"


def celsius(number: int, value: float, **members) -> str:
    return event(number, type="reading", subject="s1", data={"celsius": value}, **members)


class ExplainTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        self.broker.subscribe("roof", CHANGE)
        self.publish("roof", celsius(1, 20))

    def publish(self, name: str, text: str) -> None:
        pending = self.broker.status(name)["pending"]
        self.assertEqual(self.broker.publish(text).json()["accepted"], 1)
        eventually(lambda: self.broker.status(name)["pending"] == pending + 1, "it is matched")

    def ask(self, name: str, text: str, kind: str = STRUCTURED) -> Answer:
        return self.broker.request("POST", f"/subscriptions/{name}/explain", text,
                                   {"Content-Type": kind})

    def weir(self, name: str, *arguments: str, stdin: str) -> Done:
        return weir("explain", "--id", name, *arguments, "--url", self.broker.url, stdin=stdin)

    def test_answers_as_the_documentation_says(self):
        section = (ROOT / "docs/protocol.md").read_text().split("### Explanations")[1]
        example = json.loads(re.search(r"```json\n(.*?)```", section, re.DOTALL)[1])
        self.assertEqual(self.ask("roof", celsius(9, 20.25)).json(), example)

    def test_changes_nothing_and_survives_a_crash(self):
        before = self.broker.status("roof")
        for value in (20.25, 21, 30):
            self.ask("roof", celsius(2, value))
        self.assertEqual(self.broker.status("roof"), before)
        self.assertEqual(self.broker.metric("weir_events_received_total"), 1)
        self.broker.kill()
        self.broker.start()
        self.assertIn("last delivered 20, moved by 0.25",
                      self.ask("roof", celsius(9, 20.25)).text)
        self.publish("roof", celsius(2, 21))
        with Sse(self.broker, "/subscriptions/roof/events") as stream:
            self.assertEqual([one["id"] for one in stream.events(2)], ["1", "2"])

    def test_takes_the_modes_of_one_event(self):
        binary = self.broker.request(
            "POST", "/subscriptions/roof/explain", '{"celsius": 20.25}',
            {"Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": "9",
             "ce-source": "/test", "ce-type": "reading", "ce-subject": "s1"})
        self.assertEqual(binary.json(), self.ask("roof", celsius(9, 20.25)).json())
        batch = self.ask("roof", f"[{celsius(9, 20.25)}]", BATCHED)
        self.assertEqual((batch.status, batch.json()["name"]), (415, "http.media_type"))
        self.assertIn("no batch", batch.json()["detail"])

    def test_says_what_is_wrong(self):
        self.assertEqual(self.ask("nowhere", celsius(9, 20)).status, 404)
        broken = self.ask("roof", '{"specversion": ?}')
        self.assertEqual((broken.status, broken.json()["position"]["column"]), (400, 17))

    def test_the_command_tells_it_as_of_a_filter(self):
        done = self.weir("roof", stdin=celsius(9, 20.25))
        self.assertEqual((done.code, done.err), (1, ""))
        self.assertEqual(done.out, """\
Not delivered: the value has not changed enough since the last delivery.

  ✗ type = 'reading' and change(data.celsius, by subject) > 0.5
    ✓ type = 'reading'  [type is 'reading']
→   ✗ change(data.celsius, by subject) > 0.5  \
[data.celsius is 20.25, last delivered 20, moved by 0.25, asked for > 0.5]
""")
        with tempfile.TemporaryDirectory() as folder:
            history, asked = Path(folder) / "history.jsonl", Path(folder) / "event.json"
            history.write_text(celsius(1, 20) + "\n")
            asked.write_text(celsius(9, 20.25))
            for form in ([], ["--json"]):
                local = weir("explain", "--filter", CHANGE, "--history", str(history), "--event",
                             str(asked), *form)
                self.assertEqual(self.weir("roof", "--event", str(asked), *form, stdin=""), local)
        self.assertEqual(self.weir("roof", stdin=celsius(9, 21)).code, 0)

    def test_the_command_tells_what_distinct_says(self):
        self.broker.subscribe("clicks", "distinct(data.ip) within 1h")
        self.publish("clicks", event(5, data={"ip": "a"}))
        done = self.weir("clicks", stdin=event(6, data={"ip": "a"}))
        self.assertEqual(done.code, 1)
        self.assertIn("→ ✗ distinct(data.ip) within 1h: these keys were delivered in the last 1h\n",
                      done.out)

    def test_the_command_tells_of_grants(self):
        token = weir("token", "create", "roofer", "--subscribe", "source:/roof/", "--data",
                     str(self.broker.data)).out.strip()
        self.broker.restart()
        self.broker.subscribe("own", "true", token=token)
        done = self.weir("own", "--token", token, stdin=event(7))
        self.assertEqual(done.code, 1)
        self.assertTrue(done.out.startswith(
            "Not delivered: the grants of its owner do not cover this event.\n"), done.out)
        seen = event(7, source="/roof/")
        self.assertEqual(self.weir("own", "--token", token, stdin=seen).code, 0)
        self.assertEqual(self.weir("roof", "--token", token, stdin=event(7)).code, 3)
        self.assertEqual(self.weir("own", "--token", "weir_no", stdin=event(7)).code, 2)

    def test_the_command_says_what_is_wrong(self):
        nowhere = self.weir("nowhere", "--json", stdin=event())
        self.assertEqual((nowhere.code, nowhere.out), (3, ""))
        self.assertEqual(json.loads(nowhere.err)["error"]["name"], "broker.no_such_subscription")
        broken = self.weir("roof", stdin='{"specversion": ?}')
        self.assertEqual(broken.code, 2)
        self.assertTrue(broken.err.startswith("weir: stdin: line 1, column 17: "), broken.err)
        both = weir("explain", "--id", "roof", "--filter", "true")
        self.assertEqual(both.code, 2)
        self.assertIn("expected --filter EXPR or --id NAME, found both", both.err)
        self.broker.stop()
        self.assertEqual(self.weir("roof", stdin=event()).code, 5)


if __name__ == "__main__":
    unittest.main()
