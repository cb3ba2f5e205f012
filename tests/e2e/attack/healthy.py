# SPDX-License-Identifier: Apache-2.0
"""The healthy tenant: publishes at a fixed rate, reads its own events, and measures how long that
takes.

Every event says when it was due. Its latency counts from then, so a publisher that is held up
does not hide that: the events behind it are late as well.
"""

import contextlib
import http.client
import http.server
import json
import socket
import threading
import time

from broker_program import (JSON, PATIENCE_S, STRUCTURED, Answer, Broker, eventually, exchange)

RATE = 100  # events per second
ACKNOWLEDGE_S = 0.2
NAME = "healthy"


class Healthy:
    def __init__(self, broker: Broker, token: str, by_webhook: bool = False):
        self.broker, self.token = broker, token
        self.accepted: list[int] = []            # numbers of events, in the order of publishing
        self.refused: dict[str, int] = {}        # by the answer
        self.arrived: list[tuple[int, float]] = []  # number and latency in seconds
        self.troubles: list[str] = []            # whatever else should not have happened
        self.acknowledge_s_max = 0.0
        self._stop = threading.Event()
        self._number = 0                         # of the newest delivery
        members = {"types": ["healthy"]}
        if by_webhook:
            self._sink = Sink(self._take)
            members["sink"] = self._sink.url
        made = broker.request("PUT", f"/subscriptions/{NAME}", json.dumps(members),
                              {"Content-Type": JSON}, token)
        assert made.status == 201, made.text
        self._threads = [threading.Thread(target=self._publish)]
        if not by_webhook:
            self._socket = socket.create_connection(("127.0.0.1", broker.port))
            self._socket.sendall((f"GET /subscriptions/{NAME}/events HTTP/1.0\r\n"
                                  f"Accept: text/event-stream\r\nHost: localhost\r\n"
                                  f"Authorization: Bearer {token}\r\n\r\n").encode())
            self._threads += [threading.Thread(target=self._read),
                              threading.Thread(target=self._acknowledge)]
        for thread in self._threads:
            thread.start()

    def _publish(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.broker.port, timeout=PATIENCE_S)
        begin, number = time.monotonic(), 0
        with contextlib.closing(connection):
            while not self._stop.is_set():
                due = begin + number / RATE
                self._stop.wait(max(0.0, due - time.monotonic()))
                event = json.dumps({"specversion": "1.0", "id": str(number), "type": "healthy",
                                    "source": "/healthy/1", "data": {"n": number, "due": due}})
                try:
                    answer = exchange(connection, "POST", "/events", event,
                                      {"Content-Type": STRUCTURED}, self.token)
                except (OSError, http.client.HTTPException) as lost:
                    self.troubles.append(f"publishing: {lost!r}")
                    return
                if answer.status == 202:
                    self.accepted.append(number)
                else:
                    self._count_refusal("publish", answer)
                number += 1

    def _count_refusal(self, what: str, answer: Answer) -> None:
        told = f"{what} {answer.status} {answer.json().get('name')}"
        self.refused[told] = self.refused.get(told, 0) + 1

    def _take(self, event: dict) -> None:
        now = time.monotonic()
        self.arrived.append((event["data"]["n"], now - event["data"]["due"]))

    def _read(self) -> None:
        """Events are one line of data each, behind their numbers."""
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                if line.startswith(b"id: "):
                    number = int(line[4:].partition(b"@")[0])
                elif line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    if "specversion" not in event:
                        self.troubles.append(f"the stream ended: {event}")
                        return
                    self._take(event)
                    self._number = number
        if not self._stop.is_set():
            self.troubles.append("the stream was cut")

    def _acknowledge(self) -> None:
        done = 0
        while not self._stop.wait(ACKNOWLEDGE_S):
            if self._number == done:
                continue
            upto, begin = self._number, time.monotonic()
            try:
                answer = self.broker.request("POST", f"/subscriptions/{NAME}/ack",
                                             json.dumps({"upto": upto}), {"Content-Type": JSON},
                                             self.token)
                if answer.status != 204:
                    self._count_refusal("acknowledge", answer)
            except OSError as lost:
                self.troubles.append(f"acknowledging: {lost!r}")
            done = upto
            self.acknowledge_s_max = max(self.acknowledge_s_max, time.monotonic() - begin)

    def await_all(self) -> str:
        """Waits for all that is accepted by now. Says what is lost, doubled or out of order."""
        accepted = self.accepted[:]
        with contextlib.suppress(AssertionError):  # what is missing is told
            eventually(lambda: len(self.arrived) >= len(accepted) or bool(self.troubles),
                       "all arrives")
        arrived = [number for number, _ in self.arrived[:len(accepted)]]
        if arrived == accepted:
            return ""
        lost = sorted(set(accepted) - set(arrived))
        return (f"accepted {len(accepted)}, arrived {len(arrived)}, lost {lost[:10]}, or not in"
                " order")

    def stop(self) -> str:
        """Publishes no more, takes what is still to come, and ends; says what is missing."""
        self._stop.set()
        self._threads[0].join()
        missing = self.await_all()
        if hasattr(self, "_socket"):
            self._socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        if hasattr(self, "_socket"):
            self._socket.close()
        if hasattr(self, "_sink"):
            self._sink.close()
        return missing


class Sink:
    """The healthy tenant's own sink."""

    def __init__(self, take):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_OPTIONS(self):
                self.send_response(200)
                self.send_header("WebHook-Allowed-Origin", "*")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                take(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
