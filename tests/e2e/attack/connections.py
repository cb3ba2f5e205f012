# SPDX-License-Identifier: Apache-2.0
"""Attacks by connections: readers that do not read, sinks that hang, tokens that are guessed."""

import base64
import contextlib
import os
import secrets
import socket
import struct
import threading
import time

from attack.enemy import Drain, Enemy, hostile_event

MIB = 1 << 20


def slow_readers(enemy: Enemy) -> None:
    """Streams of everything that nobody reads."""
    streams = [enemy.stream("/stream?filter=true", index % 3, receive_bytes=4096)
               for index in range(enemy.pick(300, 40))]
    for _ in enemy.rounds():
        enemy.publish(*[hostile_event(data="x" * 100_000) for _ in range(10)])
    enemy.notes["streams"] = len(streams)


def slow_durable(enemy: Enemy) -> None:
    """Durable subscriptions of everything, each read by a stream that stops."""
    count = enemy.pick(200, 30)
    for index in range(count):
        enemy.subscribe(f"slow{index}")
    streams = [enemy.stream(f"/subscriptions/slow{index}/events", receive_bytes=4096)
               for index in range(count)]
    for _ in enemy.rounds():
        enemy.publish(*[hostile_event(data="x" * 300_000) for _ in range(4)])
    enemy.notes["streams"] = len(streams)


def frame(text: str) -> bytes:
    """A masked WebSocket message; the mask is 0."""
    body = text.encode()
    if len(body) < 126:
        head = struct.pack("!BB", 0x81, 0x80 | len(body))
    else:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, len(body))
    return head + b"\0\0\0\0" + body


def websockets(enemy: Enemy) -> None:
    """Many WebSockets that ask for everything and take it, or send acknowledgements in a loop."""
    sockets = []
    for index in range(enemy.pick(300, 40)):
        one = enemy.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        one.sendall((f"GET /stream?filter=true HTTP/1.1\r\nHost: localhost\r\n"
                     f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     f"Sec-WebSocket-Protocol: weir.v1\r\nSec-WebSocket-Key: {key}\r\n"
                     f"Authorization: Bearer {enemy.orders.tokens[index % 3]}\r\n\r\n").encode())
        one.recv(4096)
        one.sendall(frame('{"type":"credit","count":1000000}'))
        sockets.append(one)
    Drain(sockets)
    credit = frame('{"type":"credit","count":1}') * 100
    for number in enemy.rounds():
        enemy.publish(*[hostile_event(data="x" * 1000) for _ in range(20)])
        for one in sockets[number % 10::10]:
            with contextlib.suppress(OSError):
                one.send(credit)


def slow_bodies(enemy: Enemy) -> None:
    """Bodies of 8 MiB that are sent but for their last byte."""
    for _ in enemy.rounds():
        waiting = []
        for index in range(enemy.pick(60, 20)):
            one = enemy.connect()
            one.settimeout(0.5)
            with contextlib.suppress(OSError):
                one.sendall((f"POST /events HTTP/1.1\r\nHost: localhost\r\n"
                             f"Authorization: Bearer {enemy.orders.tokens[index % 3]}\r\n"
                             f"Content-Type: application/cloudevents+json\r\n"
                             f"Content-Length: {8 * MIB}\r\n\r\n").encode())
                one.sendall(b" " * (8 * MIB - 1))
            waiting.append(one)
        for _ in enemy.rounds():
            time.sleep(0.05)
        for one in waiting:
            one.close()


def guesses(enemy: Enemy) -> None:
    """Tokens by chance, some of them with the public part of a real one."""
    def work(index: int) -> None:
        for number in enemy.rounds():
            guess = f"weir_{secrets.token_hex(8)}_{secrets.token_urlsafe(32)}"
            if number % 2:
                guess = enemy.orders.tokens[0][:22] + secrets.token_urlsafe(32)
            enemy.ask("GET", "/subscriptions", token=guess)

    enemy.together(enemy.pick(60, 12), work)


def strangers(enemy: Enemy) -> None:
    """Asks for the healthy tenant's subscription: with a token of another, with none, by pages."""
    target = f"/subscriptions/{enemy.orders.victim}"
    cross = {"Sec-Fetch-Site": "cross-site", "Accept": "text/event-stream"}

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.ask("GET", f"{target}/events?last_event_id=20", headers=cross, token="")
            enemy.ask("GET", f"{target}/events?last_event_id=20", tenant=index % 3)
            enemy.ask("POST", f"{target}/ack", '{"upto":1000000}', tenant=index % 3)
            enemy.ask("DELETE", target, tenant=index % 3)
            enemy.ask("PUT", target, "{}", tenant=index % 3)
            enemy.ask("GET", "/metrics", tenant=index % 3)

    enemy.together(4, work)


def lists(enemy: Enemy) -> None:
    """Lists many subscriptions in pages of a thousand."""
    for number in range(enemy.pick(1000, 100)):
        enemy.subscribe(f"listed{number}", f"data.a = {number}")

    def work(_: int) -> None:
        for _ in enemy.rounds():
            enemy.ask("GET", "/subscriptions?limit=1000")

    enemy.together(4, work)


class Sinks:
    """Sinks on many loopback addresses, which give permission; `answer` is of each post."""

    def __init__(self, count: int, answer: bytes | None):
        self.answer = answer
        self.listeners = []
        for index in range(count):
            listener = socket.create_server((f"127.0.1.{index % 250 + 1}", 0), backlog=64)
            self.listeners.append(listener)
            threading.Thread(target=self.listen, args=(listener,), daemon=True).start()

    def urls(self) -> list[str]:
        return ["http://{}:{}/hook".format(*one.getsockname()) for one in self.listeners]

    def listen(self, listener: socket.socket) -> None:
        while True:
            one, _ = listener.accept()
            threading.Thread(target=self.serve, args=(one,), daemon=True).start()

    def serve(self, one: socket.socket) -> None:
        """Takes whatever comes for one request: bodies here are short."""
        with contextlib.suppress(OSError):
            while asked := one.recv(1 << 16):
                if asked.startswith(b"OPTIONS"):
                    one.sendall(b"HTTP/1.1 200 OK\r\nWebHook-Allowed-Origin: *\r\n"
                                b"Content-Length: 0\r\n\r\n")
                elif self.answer:
                    one.sendall(self.answer)


def hanging_sinks(enemy: Enemy) -> None:
    """Sinks that take a request and never answer."""
    sinks = Sinks(enemy.pick(180, 40), None)
    for index, url in enumerate(sinks.urls()):
        enemy.subscribe(f"sink{index}", tenant=index % 3, sink=url)
    for _ in enemy.rounds():
        enemy.publish(*[hostile_event(data="x" * 1000) for _ in range(20)])


def dead_letters(enemy: Enemy) -> None:
    """A sink that refuses everything, whose dead letters are sent again in a loop."""
    refusal = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    sinks = Sinks(8, refusal)
    for index, url in enumerate(sinks.urls()):
        enemy.subscribe(f"dead{index}", sink=url)

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.publish(*[hostile_event(data="x" * 1000) for _ in range(20)])
            enemy.ask("POST", f"/subscriptions/dead{index}/dead-letters/resend")
            enemy.ask("GET", f"/subscriptions/dead{index}/dead-letters?limit=1000")

    enemy.together(8, work)
