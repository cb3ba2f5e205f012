#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP interface with real clients: curl, server-sent events, a WebSocket client."""

import asyncio
import json
import subprocess
import unittest
import urllib.parse

import websockets

from broker_program import BATCHED, JSON, STRUCTURED, Broker, Sse, Subscriber, eventually
from weir_program import event


def curl(*arguments: str) -> tuple[int, str]:
    """The status and the body."""
    done = subprocess.run(["curl", "--silent", "--show-error", "--max-time", "60",
                           "--write-out", "\n%{http_code}", *arguments],
                          capture_output=True, text=True, check=True)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


class BrokerCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker()
        cls.url = cls.broker.url.rstrip("/")

    @classmethod
    def tearDownClass(cls):
        cls.broker.__exit__()


class PublishTest(BrokerCase):
    def post(self, body: str, *headers: str) -> tuple[int, dict]:
        options = [word for header in headers for word in ("-H", header)]
        status, text = curl("--data-binary", body, *options, self.url + "/events")
        return status, json.loads(text)

    def test_structured(self):
        status, answer = self.post(event(id="s1"), f"Content-Type: {STRUCTURED}")
        self.assertEqual((status, answer["status"]), (202, "accepted"))
        self.assertGreater(answer["sequence"], 0)
        status, answer = self.post(event(id="s1"), f"Content-Type: {STRUCTURED}; charset=UTF-8")
        self.assertEqual((status, answer["status"]), (200, "duplicate"))

    def test_binary(self):
        with Sse(self.broker, "/stream?filter=" + urllib.parse.quote("type = 'binary'")) as stream:
            status, _ = self.post('{"celsius":20.5}', "ce-specversion: 1.0", "ce-id: b1",
                                  "ce-source: /roof", "ce-type: binary",
                                  "ce-subject: %C3%A9t%C3%A9%20%22x%22",
                                  "Content-Type: application/json")
            self.assertEqual(status, 202)
            got = json.loads(stream.read()["data"])
        self.assertEqual(got["data"], {"celsius": 20.5})
        self.assertEqual(got["subject"], 'été "x"')
        self.assertEqual(got["datacontenttype"], "application/json")

    def test_binary_errors_name_the_header(self):
        base = ["ce-specversion: 1.0", "ce-id: e1", "ce-source: /s", "ce-type: t"]
        for bad, expected in [("ce-datacontenttype: text/plain", "ce-datacontenttype"),
                              ("ce-subject: %zz", "ce-subject"),
                              ("ce-subject: %FF", "ce-subject"),
                              ("ce-big-name: x", "ce-big-name")]:
            status, answer = self.post("{}", *base, bad, "Content-Type: application/json")
            self.assertEqual(status, 400, bad)
            self.assertIn(expected, answer["detail"])
        status, answer = self.post("{}", *base[1:], "Content-Type: application/json")
        self.assertEqual(status, 400)
        self.assertIn("specversion", answer["detail"])

    def test_a_bad_event_rejects_itself_only(self):
        batch = f'[{event(id="k1")},{{"id":"k2"}},{event(id="k3")},{event(id="k1")}]'
        status, answer = self.post(batch, f"Content-Type: {BATCHED}")
        self.assertEqual(status, 200)
        self.assertEqual([result["status"] for result in answer["results"]],
                         ["accepted", "rejected", "accepted", "duplicate"])
        self.assertEqual((answer["accepted"], answer["rejected"], answer["duplicates"]), (2, 1, 1))
        self.assertEqual(answer["results"][1]["index"], 1)
        self.assertEqual(answer["results"][1]["error"]["name"], "event.missing_attribute")

    def test_what_is_no_event_is_told(self):
        for body, headers, status, name in [
                ("{", [f"Content-Type: {STRUCTURED}"], 400, "json.truncated"),
                ("{}", [f"Content-Type: {BATCHED}"], 400, "event.batch_not_an_array"),
                ("{}", ["Content-Type: application/cloudevents+avro"], 415, "http.media_type"),
                (event(specversion="0.3"), [f"Content-Type: {STRUCTURED}"], 400,
                 "event.specversion")]:
            got, answer = self.post(body, *headers)
            self.assertEqual((got, answer["name"]), (status, name), body)
            self.assertEqual(answer["status"], status)

    def test_methods_and_resources(self):
        self.assertEqual(curl(self.url + "/nothing")[0], 404)
        self.assertEqual(curl("-X", "DELETE", self.url + "/events")[0], 405)
        self.assertEqual(curl("-X", "PATCH", self.url + "/subscriptions/x")[0], 405)


class SubscriptionTest(BrokerCase):
    def test_life_of_a_subscription(self):
        body = json.dumps({"id": "life", "filters": [{"weir": "data.v > 1"}]})
        created = self.broker.request("POST", "/subscriptions", body, {"Content-Type": JSON})
        self.assertEqual(created.status, 201)
        self.assertEqual(created.headers["location"], "/subscriptions/life")
        self.assertEqual(created.json()["filters"], [{"weir": "data.v > 1"}])
        again = self.broker.request("POST", "/subscriptions", body, {"Content-Type": JSON})
        self.assertEqual((again.status, again.json()["name"]), (409, "broker.subscription_exists"))
        replaced = self.broker.subscribe("life", "data.v > 2")
        self.assertEqual(replaced.status, 200)
        got = self.broker.request("GET", "/subscriptions/life").json()
        self.assertEqual(got["filters"], [{"weir": "data.v > 2"}])
        listed = self.broker.request("GET", "/subscriptions?limit=100").json()["subscriptions"]
        self.assertIn("life", [one["id"] for one in listed])
        self.assertEqual(self.broker.request("DELETE", "/subscriptions/life").status, 204)
        self.assertEqual(self.broker.request("DELETE", "/subscriptions/life").status, 404)
        self.assertEqual(self.broker.request("GET", "/subscriptions/life").status, 404)

    def test_a_bad_filter_is_refused_with_its_place(self):
        answer = self.broker.subscribe("bad", "data.v >")
        self.assertEqual(answer.status, 400)
        problem = answer.json()
        self.assertEqual(problem["name"], "filter.syntax")
        self.assertGreater(problem["position"]["column"], 20)
        answer = self.broker.request("GET", "/stream?filter=" + urllib.parse.quote("a ="))
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json()["position"]["column"], 4)
        answer = self.broker.request("GET", "/stream?filter=" + urllib.parse.quote(
            "text(data.b) in 'germn' about 'Sturm'"))
        self.assertEqual((answer.status, answer.json()["name"]), (400, "filter.language"))
        self.assertEqual(answer.json()["position"]["column"], 17)
        self.assertIn("did you mean 'german'?", answer.json()["detail"])

    def test_stream_ends_with_its_connection(self):
        before = self.broker.metric("weir_subscriptions_ephemeral")
        with Sse(self.broker, "/stream?filter=" + urllib.parse.quote("type = 'only'")) as stream:
            self.assertEqual(stream.status, 200)
            self.assertEqual(self.broker.metric("weir_subscriptions_ephemeral"), before + 1)
            self.broker.publish(event(id="o1"), event(id="o2", type="only"))
            self.assertEqual(json.loads(stream.read()["data"])["id"], "o2")
        eventually(lambda: self.broker.metric("weir_subscriptions_ephemeral") == before, "it ended")

    def test_a_page_of_another_site_acknowledges_nothing(self):
        self.broker.subscribe("site", "type = 'site'")
        self.broker.publish(*[event(id=f"s{i}", type="site") for i in range(20)])
        target = "/subscriptions/site/events"
        with Sse(self.broker, target) as stream:
            self.assertEqual(len(list(stream.events(20))), 20)
            image = {"Accept": "image/avif,image/webp,*/*;q=0.8"}
            asked = f"{target}?last_event_id=20"
            for headers, status, name in [
                    (image | {"Sec-Fetch-Site": "cross-site"}, 403, "http.cross_site"),
                    (image, 406, "http.accept"), ({}, 406, "http.accept"),
                    ({"Accept": "text/event-stream", "Origin": "https://evil.example"}, 403,
                     "http.cross_site")]:
                answer = self.broker.request("GET", asked, headers=headers)
                self.assertEqual((answer.status, answer.json()["name"]), (status, name), headers)
            self.assertEqual(self.broker.status("site")["pending"], 20)
            self.broker.publish(event(id="s20", type="site"))
            self.assertEqual(json.loads(stream.read()["data"])["id"], "s20", "nobody took over")

    def test_events_resume_after_the_last_event_id(self):
        self.broker.subscribe("resume", "type = 'resume'")
        self.broker.publish(*[event(id=f"r{i}", type="resume") for i in range(5)])
        with Sse(self.broker, "/subscriptions/resume/events") as stream:
            first = [stream.read() for _ in range(5)]
        self.assertEqual([m["number"] for m in first], ["1", "2", "3", "4", "5"])
        with Sse(self.broker, "/subscriptions/resume/events",
                 last_event_id=first[2]["id"]) as stream:
            message = stream.read()
        self.assertEqual((message["number"], json.loads(message["data"])["id"]), ("4", "r3"))
        self.assertIn("redelivered", message["comments"])
        answer = self.broker.request("POST", "/subscriptions/resume/ack", '{"upto":5}',
                                     {"Content-Type": JSON})
        self.assertEqual(answer.status, 204)
        self.assertEqual(self.broker.status("resume")["pending"], 0)
        answer = self.broker.request("POST", "/subscriptions/resume/ack", '{"upto":9}',
                                     {"Content-Type": JSON})
        self.assertEqual((answer.status, answer.json()["name"]), (400, "broker.acknowledge"))

    @staticmethod
    def acknowledge(broker: Broker, name: str, upto) -> int:
        return broker.request("POST", f"/subscriptions/{name}/ack", json.dumps({"upto": upto}),
                              {"Content-Type": JSON}).status

    def test_an_id_of_a_deleted_subscription_acknowledges_nothing(self):
        """The one that has its name now has passed that number."""
        broker = Broker()
        self.addCleanup(broker.__exit__)
        target = "/subscriptions/anew/events"
        broker.subscribe("anew", "type = 'anew'")
        broker.publish(*[event(id=f"a{i}", type="anew") for i in range(3)])
        with Sse(broker, target) as stream:
            old = [stream.read()["id"] for _ in range(3)][-1]
        self.assertEqual(broker.request("DELETE", "/subscriptions/anew").status, 204)
        broker.subscribe("anew", "type = 'anew'")
        broker.publish(*[event(id=f"b{i}", type="anew") for i in range(5)])
        eventually(lambda: broker.status("anew")["pending"] == 5, "all are pending")

        def expect_all(**options) -> str:
            with Sse(broker, options.pop("target", target), **options) as stream:
                notice = stream.read()
                self.assertEqual((notice["event"], json.loads(notice["data"])["name"]),
                                 ("notice", "broker.acknowledge"), notice)
                self.assertEqual(notice["number"], "", "a browser forgets the old id")
                messages = [stream.read() for _ in range(5)]
            self.assertEqual([json.loads(m["data"])["id"] for m in messages],
                             [f"b{i}" for i in range(5)])
            return messages[1]["id"]

        expect_all(last_event_id=old)
        expect_all(target=f"{target}?last_event_id={old}")
        new = expect_all(last_event_id="3")
        self.assertEqual(self.acknowledge(broker, "anew", old), 400)
        self.assertEqual(broker.status("anew")["pending"], 5, "nothing was acknowledged")
        broker.restart()
        expect_all(last_event_id=old)
        with Sse(broker, target, last_event_id=new) as stream:
            self.assertEqual(json.loads(stream.read()["data"])["id"], "b2")
        self.assertEqual(broker.status("anew")["pending"], 3)
        self.assertEqual(self.acknowledge(broker, "anew", new.replace("2@", "3@", 1)), 204)
        self.assertEqual(self.acknowledge(broker, "anew", 4), 204)
        self.assertEqual(broker.status("anew")["pending"], 1)

    def test_curl_reads_a_stream(self):
        process = subprocess.Popen(
            ["curl", "--silent", "--no-buffer", "--max-time", "60",
             self.url + "/stream?filter=" + urllib.parse.quote("type = 'curl'")],
            stdout=subprocess.PIPE, text=True)
        eventually(lambda: self.broker.metric("weir_subscriptions_ephemeral") >= 1, "it streams")
        self.broker.publish(event(id="c1", type="curl"))
        for line in process.stdout:
            if line.startswith("data: "):
                self.assertEqual(json.loads(line[6:])["id"], "c1")
                break
        process.kill()
        process.wait()
        process.stdout.close()


class WebsocketTest(BrokerCase):
    def talk(self, talk, path: str, **options):
        async def run():
            async with websockets.connect(f"ws://127.0.0.1:{self.broker.port}{path}",
                                          subprotocols=["weir.v1"], **options) as socket_:
                return await talk(socket_)
        return asyncio.run(asyncio.wait_for(run(), 60))

    def test_credit_and_acknowledgements(self):
        self.broker.subscribe("ws", "type = 'ws'")
        self.broker.publish(*[event(id=f"w{i}", type="ws") for i in range(4)])

        async def talk(socket_):
            self.assertEqual(socket_.subprotocol, "weir.v1")
            self.assertEqual(json.loads(await socket_.recv())["type"], "hello")
            await socket_.send('{"type":"credit","count":2}')
            got = [json.loads(await socket_.recv()) for _ in range(2)]
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(socket_.recv(), 0.2)
            await socket_.send('{"type":"ack","number":2}')
            got.append(json.loads(await socket_.recv()))
            return got

        got = self.talk(talk, "/subscriptions/ws/events")
        self.assertEqual([m["event"]["id"] for m in got[:2]], ["w0", "w1"])
        self.assertEqual(got[2], {"type": "acknowledged", "number": 2})
        self.assertEqual(self.broker.status("ws")["pending"], 2)
        with Subscriber(self.broker, "ws") as subscriber:
            eventually(lambda: self.broker.status("ws")["pending"] == 0, "the rest is taken")
        self.assertEqual(subscriber.ids(), ["w2", "w3"])

    def test_a_group_is_one_delivery(self):
        self.broker.subscribe("group", "change(data.v, type = 'ga') > 1 and "
                                       "change(data.v, type = 'gb') > 1")
        with Subscriber(self.broker, "group") as subscriber:
            self.broker.publish(event(id="g1", type="ga", data={"v": 1}),
                                event(id="g2", type="gb", data={"v": 1}))
            eventually(lambda: subscriber.deliveries, "it fires")
        self.assertEqual([one["id"] for one in subscriber.deliveries[0]["events"]], ["g1", "g2"])

    def test_what_is_no_message_ends_the_connection_with_the_reason(self):
        self.broker.subscribe("rude")
        for text, code in [("nonsense", 1008), ('{"type":"hug"}', 1008),
                           ('{"type":"credit","count":-1}', 1008),
                           ('{"type":"ack","number":7}', 1008)]:
            async def talk(socket_, text=text):
                await socket_.recv()
                await socket_.send(text)
                message = json.loads(await socket_.recv())
                self.assertEqual(message["type"], "error", text)
                with self.assertRaises(websockets.ConnectionClosed) as closed:
                    await socket_.recv()
                return closed.exception.rcvd.code
            self.assertEqual(self.talk(talk, "/subscriptions/rude/events"), code, text)

    def test_it_needs_the_subprotocol_and_a_known_origin(self):
        self.broker.subscribe("picky")
        url = f"ws://127.0.0.1:{self.broker.port}/subscriptions/picky/events"

        async def connect(**options):
            async with websockets.connect(url, **options):
                pass

        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            asyncio.run(connect())
        self.assertEqual(refused.exception.status_code, 400)
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            asyncio.run(connect(subprotocols=["weir.v1"], origin="https://evil.example"))
        self.assertEqual(refused.exception.status_code, 403)


class OperateTest(BrokerCase):
    def test_health_metrics_and_openapi(self):
        self.assertEqual(self.broker.request("GET", "/healthz").status, 200)
        self.assertEqual(self.broker.request("GET", "/readyz").status, 200)
        document = self.broker.request("GET", "/openapi.json").json()
        self.assertTrue(document["openapi"].startswith("3."))
        self.assertIn("/events", document["paths"])
        [policies] = [parameter["schema"]["enum"]
                      for parameter in document["paths"]["/stream"]["get"]["parameters"]
                      if parameter.get("name") == "outbox"]
        for policy in policies:
            with Sse(self.broker, f"/stream?outbox={policy}") as stream:
                self.assertEqual(stream.status, 200, policy)
        before = self.broker.metric("weir_events_accepted_total")
        self.broker.publish(event(id="m1"))
        self.assertEqual(self.broker.metric("weir_events_accepted_total"), before + 1)


if __name__ == "__main__":
    unittest.main()
