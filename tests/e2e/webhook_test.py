#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Webhooks with a real receiver: permission, order, retries, dead letters, where a sink may be."""

import http.server
import json
import threading
import unittest

from broker_program import Broker, eventually
from weir_program import event, weir

QUICK = {"WEIR_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8", "WEIR_WEBHOOKS_DELAY": "20ms",
         "WEIR_WEBHOOKS_ATTEMPTS": "3", "WEIR_WEBHOOKS_ORIGIN": "weir.test"}


class Receiver:
    """Answers as told: `answers` gives the statuses of the next POSTs, then 204."""

    def __init__(self, allowed_origin: str = "weir.test"):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self):
                receiver.asked.append(dict(self.headers))
                self.send_response(200)
                self.send_header("WebHook-Allowed-Origin", receiver.allowed_origin)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.answers.pop(0) if receiver.answers else 204
                receiver.posted.append((status, dict(self.headers), json.loads(body)))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                if status == 429:
                    self.send_header("Retry-After", "1")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.allowed_origin = allowed_origin
        self.asked: list[dict] = []
        self.posted: list[tuple[int, dict, dict]] = []
        self.answers: list[int] = []
        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A broker that is killed takes its connections with it."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def taken(self) -> list[str]:
        return [body["id"] for status, _, body in self.posted if status < 300]

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class WebhookTest(unittest.TestCase):
    def test_permission_order_and_headers(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            self.assertEqual(broker.subscribe("h", "data.v > 0", sink=receiver.url).status, 201)
            broker.publish(*[event(i, data={"v": i % 2}) for i in range(10)])
            eventually(lambda: len(receiver.taken()) == 5, "all arrive")
            self.assertEqual(receiver.taken(), ["1", "3", "5", "7", "9"])
            self.assertEqual(receiver.asked[0]["WebHook-Request-Origin"], "weir.test")
            _, headers, _ = receiver.posted[0]
            self.assertTrue(headers["Content-Type"].startswith("application/cloudevents+json"))
            self.assertEqual((headers["Weir-Subscription"], headers["Weir-Delivery"]), ("h", "1"))
            self.assertNotIn("Weir-Redelivered", headers)
            eventually(lambda: broker.status("h")["pending"] == 0, "all are acknowledged")

    def test_nothing_is_sent_without_permission(self):
        with Broker(environment=QUICK) as broker, Receiver("other.test") as receiver:
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1))
            eventually(lambda: broker.status("h")["trouble"], "the trouble is told")
            self.assertEqual(receiver.posted, [])
            receiver.allowed_origin = "*"
            eventually(lambda: receiver.taken() == ["1"], "permission is asked for again")
            eventually(lambda: not broker.status("h")["trouble"], "the trouble is over")

    def test_retries_in_order_and_marks_them(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            receiver.answers = [500, 429, 204]
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1), event(2))
            eventually(lambda: receiver.taken() == ["1", "2"], "both arrive in order")
            self.assertEqual([status for status, _, _ in receiver.posted], [500, 429, 204, 204])
            self.assertEqual(receiver.posted[1][1]["Weir-Redelivered"], "true")

    def test_gives_up_and_keeps_a_dead_letter(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            receiver.answers = [500, 500, 500, 302, 302, 302]
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1), event(2), event(3))
            eventually(lambda: receiver.taken() == ["3"], "the third arrives")

            def letters() -> list[dict]:
                answer = broker.request("GET", "/subscriptions/h/dead-letters")
                return answer.json()["dead_letters"]

            # A letter is listed once it is on disk, which may be after the next attempt.
            eventually(lambda: len(letters()) == 2, "both are kept")
            listed = letters()
            self.assertEqual([letter["events"][0]["id"] for letter in listed], ["1", "2"])
            self.assertIn("500", listed[0]["reason"])
            self.assertEqual(broker.status("h")["dead_letters"], 2)

    def test_dead_letters_are_resent_and_purged(self):
        """Also after a crash between the request and the delivery."""
        patient = {**QUICK, "WEIR_WEBHOOKS_ATTEMPTS": "1000"}
        with Broker(environment=patient) as broker, Receiver() as receiver:
            receiver.answers = [415, 415, 415, 415]
            broker.subscribe("h", sink=receiver.url)
            broker.publish(*[event(i) for i in range(1, 6)])
            eventually(lambda: receiver.taken() == ["5"], "the fifth arrives")
            letters = "/subscriptions/h/dead-letters"

            def listed() -> list[int]:
                listing = weir("dead-letters", "list", "h", "--url", broker.url, "--json")
                return [letter["number"] for letter in listing.lines()]

            eventually(lambda: listed() == [1, 2, 3, 4], "four are buried")
            self.assertEqual(broker.request("POST", letters + "/9/resend").status, 404)
            self.assertEqual(broker.request("POST", letters + "/2/resend").json(),
                             {"resent": 1, "left": 0})
            eventually(lambda: receiver.taken() == ["5", "2"], "the letter arrives")
            self.assertEqual(receiver.posted[-1][1]["Weir-Delivery"], "6")
            eventually(lambda: broker.status("h")["dead_letters_kept"] == 3, "it left the list")

            receiver.answers = [503] * 1000
            self.assertEqual(weir("dead-letters", "resend", "h", "3", "--url", broker.url).code, 0)
            broker.kill()
            receiver.answers = []
            broker.start()
            # Twice if the receiver reads what the broker sent just before it was killed.
            eventually(lambda: "3" in receiver.taken()[2:], "the crash did not lose it")
            self.assertEqual(set(receiver.taken()[2:]), {"3"})
            purged = weir("dead-letters", "purge", "h", "4", "--url", broker.url, "--json")
            self.assertEqual(purged.lines(), [{"purged": 1, "left": 0}])
            eventually(lambda: listed() == [1], "what was taken, and what was purged, left")
            status = broker.status("h")
            self.assertEqual((status["deliveries"], status["acknowledged"], status["dead_letters"],
                              status["pending"]), (7, 3, 4, 0))
            broker.stop()
            examined = weir("doctor", str(broker.data))
            self.assertEqual(examined.code, 0, examined.out)

    def test_gone_stops_for_good(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            receiver.answers = [410]
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1))
            eventually(lambda: "410" in broker.status("h")["trouble"], "the trouble is told")
            broker.publish(event(2))
            eventually(lambda: broker.status("h")["pending"] == 2, "nothing more is sent")
            self.assertEqual(len(receiver.posted), 1)

    def test_goes_on_after_a_crash(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1))
            eventually(lambda: receiver.taken() == ["1"], "the first arrives")
            receiver.answers = [503] * 2
            broker.publish(event(2))
            broker.kill()
            receiver.answers = []
            broker.start()
            eventually(lambda: "2" in receiver.taken(), "the second arrives")

    def test_refuses_private_addresses_by_default(self):
        with Broker() as broker, Receiver("*") as receiver:
            port = receiver.server.server_port
            for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1",
                         "2130706433", "me@example.com"):
                answer = broker.subscribe("s", sink=f"http://{host}:{port}/hook")
                self.assertEqual((answer.status, answer.json()["name"]), (400, "broker.sink"), host)
            self.assertEqual(broker.subscribe("s", sink=f"http://localhost:{port}/").status, 201)
            broker.publish(event(1))
            eventually(lambda: "loopback" in broker.status("s")["trouble"], "the name is refused")
            self.assertEqual((receiver.asked, receiver.posted), ([], []))

    def test_refuses_an_address_that_was_allowed_before(self):
        with Broker(environment=QUICK) as broker, Receiver() as receiver:
            broker.subscribe("h", sink=receiver.url)
            broker.publish(event(1))
            eventually(lambda: receiver.taken() == ["1"], "the first arrives")
            broker.environment["WEIR_WEBHOOKS_ALLOWED_NETWORKS"] = ""
            broker.restart()
            eventually(lambda: "loopback" in broker.status("h")["trouble"], "it is refused")
            self.assertEqual(len(receiver.posted), 1)


if __name__ == "__main__":
    unittest.main()
