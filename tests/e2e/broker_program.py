# SPDX-License-Identifier: Apache-2.0
"""What the tests of the broker share: a running `weir serve`, and plain clients for it."""

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

import websockets

from weir_program import PROGRAM

PATIENCE_S = 60
JSON = "application/json"
STRUCTURED = "application/cloudevents+json"
BATCHED = "application/cloudevents-batch+json"


def eventually(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > until:
            raise AssertionError(f"did not happen: {what}")
        time.sleep(0.005)


def wait_until_consumed(broker: "Broker", name: str) -> None:
    """Waits until nothing is pending, as long as that number changes now and then."""
    while (pending := broker.status(name)["pending"]) > 0:
        eventually(lambda last=pending: broker.status(name)["pending"] != last,
                   f"{name} has fewer than {pending} pending")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> dict:
        return json.loads(self.text)


class Broker:
    """A `weir serve` on a free port, with a data directory that outlives it.

    `launcher` is a command that runs the one behind it, such as prlimit.
    """

    def __init__(self, *arguments: str, data: Path | None = None, environment: dict | None = None,
                 launcher: tuple[str, ...] = ()):
        self.launcher = launcher
        self._own = None if data else tempfile.TemporaryDirectory(prefix="weir-e2e-")
        self.data = data or Path(self._own.name) / "data"
        self.arguments = arguments
        self.environment = {**os.environ, **(environment or {})}
        self.errors: list[str] = []
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*self.launcher, PROGRAM, "serve", "--data", str(self.data), "--listen", "127.0.0.1:0",
             *self.arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=self.environment)
        self.url = ""
        for line in self.process.stderr:
            self.errors.append(line)
            if match := re.search(r"ready on (https?://\S+)", line):
                self.url = match[1]
                break
        if not self.url:
            raise AssertionError("the broker did not start:\n" + "".join(self.errors[-20:]))
        self.port = urllib.parse.urlsplit(self.url).port
        self._reader = threading.Thread(target=self._read_errors, args=(self.process.stderr,))
        self._reader.start()

    def _read_errors(self, pipe) -> None:
        with pipe:
            for line in pipe:
                self.errors.append(line)

    def kill(self) -> None:
        """As a crash would, at this very moment."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()

    def stop(self) -> int:
        """Gracefully; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join()
        return code

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> "Broker":
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.stop()
        if self._own:
            self._own.cleanup()

    def rss_bytes(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")

    # Requests.

    def request(self, method: str, target: str, body: str | bytes | None = None,
                headers: dict[str, str] | None = None, token: str | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            return exchange(connection, method, target, body, headers, token)

    def publish(self, *events: str, token: str | None = None) -> Answer:
        return self.request("POST", "/events", "[" + ",".join(events) + "]",
                            {"Content-Type": BATCHED}, token)

    def subscribe(self, name: str, filter_text: str | None = None, token: str | None = None,
                  **members) -> Answer:
        filters = {"filters": [{"weir": filter_text}]} if filter_text else {}
        return self.request("PUT", f"/subscriptions/{name}", json.dumps({**filters, **members}),
                            {"Content-Type": JSON}, token)

    def status(self, name: str, token: str | None = None) -> dict:
        return self.request("GET", f"/subscriptions/{name}", token=token).json()["status"]

    def metric(self, name: str) -> float:
        """The sum over all labels of a metric."""
        text = self.request("GET", "/metrics").text
        found = re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", text, re.MULTILINE)
        if not found:
            raise AssertionError(f"no metric {name} in\n{text}")
        return sum(map(float, found))


def exchange(connection: http.client.HTTPConnection, method: str, target: str,
             body: str | bytes | None, headers: dict[str, str] | None,
             token: str | None) -> Answer:
    headers = dict(headers or {})
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if isinstance(body, str):
        body = body.encode()
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)


class Sse:
    """A stream of server-sent events."""

    def __init__(self, broker: Broker, target: str, token: str | None = None,
                 last_event_id: str | None = None):
        self.connection = http.client.HTTPConnection("127.0.0.1", broker.port, timeout=PATIENCE_S)
        headers = {"Accept": "text/event-stream"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        self.connection.request("GET", target, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def read(self) -> dict:
        """The next message: id, event, data, the comments before it, and the delivery's number."""
        message = {"comments": []}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line and "data" in message:
                return message | {"number": message.get("id", "").partition("@")[0]}
            if line.startswith(":"):
                message["comments"].append(line[1:].strip())
            elif line:
                name, _, value = line.partition(": ")
                message[name] = f"{message[name]}\n{value}" if name in message else value

    def events(self, count: int) -> Iterator[dict]:
        for _ in range(count):
            yield json.loads(self.read()["data"])

    def close(self) -> None:
        # The response holds the socket as well.
        self.response.close()
        self.connection.close()

    def __enter__(self) -> "Sse":
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Subscriber:
    """A WebSocket client in a thread that consumes a subscription until it is told to stop.

    Acknowledges each delivery if `acks`; writes down what it got and what the broker confirmed.
    Connects again when the connection is lost.
    """

    def __init__(self, broker: Broker, name: str, acks: bool = True, credit: int = 256):
        self.broker, self.name, self.acks, self.credit = broker, name, acks, credit
        self.deliveries: list[dict] = []  # messages, each with `confirmed` when it came
        self.confirmed = 0                # acknowledged for good through this number
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()

    async def _run(self) -> None:
        while not self._stop.is_set():
            try:
                url = f"ws://127.0.0.1:{self.broker.port}/subscriptions/{self.name}/events"
                async with websockets.connect(url, subprotocols=["weir.v1"], open_timeout=2,
                                              close_timeout=1, max_size=None) as socket_:
                    await self._consume(socket_)
            except (OSError, websockets.WebSocketException, asyncio.TimeoutError, EOFError):
                await asyncio.sleep(0.02)

    async def _consume(self, socket_) -> None:
        await socket_.send(json.dumps({"type": "credit", "count": self.credit}))
        while not self._stop.is_set():
            try:
                text = await asyncio.wait_for(socket_.recv(), 0.1)
            except asyncio.TimeoutError:
                continue
            message = json.loads(text)
            if message["type"] == "acknowledged":
                self.confirmed = max(self.confirmed, message["number"])
            elif message["type"] == "event":
                message["confirmed"] = self.confirmed
                self.deliveries.append(message)
                await socket_.send(json.dumps({"type": "credit", "count": 1}))
                if self.acks:
                    await socket_.send(json.dumps({"type": "ack", "number": message["number"]}))

    def events(self) -> list[dict]:
        """Of each delivery once, by number."""
        by_number = {message["number"]: message for message in self.deliveries}
        return [event for number in sorted(by_number) for event in events_of(by_number[number])]

    def ids(self) -> list[str]:
        return [event["id"] for event in self.events()]

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def __enter__(self) -> "Subscriber":
        return self

    def __exit__(self, *_) -> None:
        self.close()


def events_of(message: dict) -> list[dict]:
    return message["events"] if "events" in message else [message["event"]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
