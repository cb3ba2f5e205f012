#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients from npm: the CloudEvents SDK for JavaScript, eventsource and ws."""

import base64
import unittest
from pathlib import Path

import npm_packages
from broker_program import Broker, Sse, eventually, free_port
from node_script import Script
from weir_program import event

PACKAGES = {"cloudevents": "10.0.0", "eventsource": "3.0.6", "ws": "8.18.1"}
SCRIPTS = Path(__file__).parent / "npm"
WEBHOOKS = {"WEIR_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8"}


def script(name: str, *arguments: str) -> Script:
    return Script(SCRIPTS / f"{name}.mjs", PACKAGES, *arguments)


class NpmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        npm_packages.install(PACKAGES)


class SdkTest(NpmTest):
    def test_publishes_in_every_mode(self):
        with Broker() as broker:
            broker.subscribe("all")
            with script("publish", broker.url) as publisher:
                told = {line["what"]: line for line in publisher.rest()}
            kinds = ["object", "text", "bytes"]
            for mode in ("binary", "structured"):
                for kind in kinds:
                    self.assertEqual(told[f"{mode}-{kind}"]["body"]["status"], "accepted", kind)
            outcomes = [result["status"] for result in told["batch"]["body"]["results"]]
            self.assertEqual(outcomes, ["accepted", "accepted", "duplicate"])
            self.assertEqual(told["duplicate"]["body"]["status"], "duplicate")
            self.assertEqual(told["invalid"]["status"], 400)
            with Sse(broker, "/subscriptions/all/events") as stream:
                events = list(stream.events(8))
        sent = [f"{mode}-{kind}" for mode in ("binary", "structured") for kind in kinds]
        self.assertEqual([e["id"] for e in events], [*sent, "batch-a", "batch-b"])
        for mode in (0, 3):
            thing, text, octets = events[mode:mode + 3]
            self.assertEqual(thing["data"], {"celsius": 20.5, "kühe": ["a", None]})
            self.assertEqual((thing["subject"], thing["room"]), ("hall 1", "7"))
            self.assertEqual(text["data"], 'grün & "blue"')
            self.assertEqual(base64.b64decode(octets["data_base64"]), bytes([0, 1, 254, 255]))

    def test_reads_what_webhooks_deliver(self):
        with Broker(environment=WEBHOOKS) as broker, script("sink") as sink:
            port = sink.read()["port"]
            answer = broker.subscribe("hook", "type = 'a'", sink=f"http://127.0.0.1:{port}/",
                                      protocol="HTTP")
            self.assertEqual(answer.status, 201, answer.text)
            data = {"n": 1.5, "list": ["ü", None]}
            broker.publish(event(1, type="a", data=data, myextension="x"), event(2, type="b"),
                           event(3, type="a", data="text", datacontenttype="text/plain"))
            first, second = sink.read(), sink.read()
            self.assertEqual((first["id"], first["data"], first["myextension"]), ("1", data, "x"))
            self.assertEqual((second["id"], second["data"]), ("3", "text"))
            eventually(lambda: broker.status("hook")["pending"] == 0, "all is acknowledged")


class EventSourceTest(NpmTest):
    def test_resumes_after_the_broker_was_killed(self):
        with Broker("--listen", f"127.0.0.1:{free_port()}") as broker:
            broker.subscribe("all")
            url = broker.arguments[1]
            with script("events", f"http://{url}/subscriptions/all/events") as source:
                self.assertEqual(source.read(), {"connects": None})
                broker.publish(*(event(n, data={"n": n}) for n in range(1, 6)))
                for n in range(1, 6):
                    self.assertEqual(source.read(), {"number": f"{n}@1", "id": str(n),
                                                     "data": {"n": n}})
                broker.kill()
                self.assertEqual(source.read_until("error")["closed"], False)
                broker.start()
                broker.publish(*(event(n) for n in range(6, 9)))
                reached = source.read_until("number")
                ids = [reached["id"], *(source.read()["id"] for _ in range(2))]
                self.assertEqual(ids, ["6", "7", "8"], "5 were acknowledged by Last-Event-ID")

    def test_goes_on_if_its_last_event_is_unknown(self):
        """The subscription was made anew: what the client has seen belongs to the old one."""
        with Broker("--listen", f"127.0.0.1:{free_port()}") as broker:
            broker.subscribe("all")
            broker.publish(event(1), event(2))
            url = f"http://{broker.arguments[1]}/subscriptions/all/events"
            for arguments, told in (((url, "17@1"), "delivery 17 was never sent"),
                                    ((f"{url}?last_event_id=18",), "delivery 18 was never sent"),
                                    ((url, "1@7"), "the id is of another subscription, number 7")):
                with script("events", *arguments) as source:
                    self.assertIn("connects", source.read())
                    notice = source.read()
                    self.assertEqual(notice["notice"]["name"], "broker.acknowledge")
                    self.assertIn(told, notice["notice"]["detail"])
                    self.assertEqual(notice["number"], "", "the old number is forgotten")
                    self.assertEqual([source.read()["id"] for _ in range(2)], ["1", "2"])
            with script("events", url, "17@1") as source:
                for _ in range(4):
                    source.read()
                broker.kill()
                self.assertEqual(source.read_until("error")["closed"], False)
                broker.start()
                broker.publish(event(3))
                connected = source.read_until("connects")
                self.assertEqual(connected, {"connects": "2@1"}, "by a number of the new one")
                self.assertEqual(source.read_until("number")["id"], "3")


class WsTest(NpmTest):
    def test_speaks_the_protocol_with_credit_and_acknowledgements(self):
        with Broker() as broker:
            broker.subscribe("all")
            broker.publish(*(event(n) for n in range(1, 6)))
            url = f"ws://127.0.0.1:{broker.port}/subscriptions/all/events"
            with script("socket", url) as socket:
                self.assertEqual(socket.read(), {"protocol": "weir.v1"})
                self.assertEqual(socket.read(), {"isBinary": False, "type": "hello",
                                                 "protocol": "weir.v1", "subscription": "all",
                                                 "incarnation": 1})
                socket.write({"type": "credit", "count": 2})
                first = [socket.read() for _ in range(2)]
                self.assertEqual([m["event"]["id"] for m in first], ["1", "2"])
                socket.write({"type": "ack", "number": 2})
                self.assertEqual(socket.read(), {"isBinary": False, "type": "acknowledged",
                                                 "number": 2}, "and no delivery without credit")
                socket.write({"type": "credit", "count": 10})
                rest = [socket.read()["event"]["id"] for _ in range(3)]
                self.assertEqual(rest, ["3", "4", "5"])
                socket.write({"type": "ack", "number": 6})
                self.assertEqual(socket.read()["error"]["name"], "broker.acknowledge")
                self.assertEqual(socket.read(), {"closed": 1008})
            self.assertEqual(broker.status("all")["pending"], 3)
            with script("socket", f"{url}?last_event_id=9") as socket:
                self.assertEqual(socket.read(), {"refused": 400})


if __name__ == "__main__":
    npm_packages.main()
