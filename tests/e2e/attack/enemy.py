# SPDX-License-Identifier: Apache-2.0
"""The client of the hostile tenants: a process of its own, which runs one attack and reports.

    python3 -m attack.enemy '{"attack": "like", "port": 8080, "tokens": [...], ...}'

Its report is one line of JSON on stdout: how many answers had which status and error name.
"""

import collections
import contextlib
import dataclasses
import http.client
import json
import os
import selectors
import socket
import sys
import threading
import time
from typing import Callable, Iterator

from broker_program import BATCHED, JSON, STRUCTURED, Answer, exchange

# Other than the healthy tenant's, so that limits by address tell them apart.
ADDRESS = "127.0.0.2"
ANSWER_S_MAX = 60
LATE_S_MAX = 40
NICENESS = 19


@dataclasses.dataclass
class Orders:
    """What the test asks of an enemy."""

    attack: str
    port: int
    tokens: list[str]
    seconds: float     # how long an attack goes on after its preparations
    full: bool         # sizes of the full form
    victim: str        # name of the healthy tenant's subscription
    told: list[str]    # it goes on until it had one of these answers; empty: no matter which


class Enemy:
    """Requests in the name of hostile tenants; every answer is counted. Threads may share it."""

    def __init__(self, orders: Orders):
        self.orders = orders
        self.answers: collections.Counter[str] = collections.Counter()
        self.notes: dict = {}  # what an attack tells besides
        self._local = threading.local()
        self._end = 0.0

    def pick(self, full: int, short: int) -> int:
        return full if self.orders.full else short

    # Time.

    def rounds(self) -> Iterator[int]:
        """Counts until the time of the attack is over; it begins with the first call."""
        if not self._end:
            self._end = time.monotonic() + self.orders.seconds
        number = 0
        while (late := time.monotonic() - self._end) < 0 or (late < LATE_S_MAX and self._waits()):
            yield number
            number += 1

    def _waits(self) -> bool:
        """On a slow machine an attack may need more time to come to a limit."""
        return bool(self.orders.told) and not any(self.answers[told] for told in self.orders.told)

    def together(self, count: int, work: Callable[[int], None]) -> None:
        threads = [threading.Thread(target=work, args=(index,), daemon=True)
                   for index in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    # Requests.

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.orders.port), ANSWER_S_MAX,
                                        (ADDRESS, 0))

    def ask(self, method: str, target: str, body: str | bytes | None = None,
            kind: str = JSON, tenant: int = 0, token: str | None = None,
            headers: dict[str, str] | None = None) -> Answer:
        """One request on this thread's connection. Status 0: the connection was lost."""
        if getattr(self._local, "http", None) is None:
            self._local.http = http.client.HTTPConnection(
                "127.0.0.1", self.orders.port, timeout=ANSWER_S_MAX, source_address=(ADDRESS, 0))
        token = self.orders.tokens[tenant] if token is None else token
        try:
            answer = exchange(self._local.http, method, target, body,
                              {"Content-Type": kind, **(headers or {})}, token)
        except (OSError, http.client.HTTPException):
            self._local.http.close()
            self._local.http = None
            answer = Answer(0, {}, "")
        self.count(answer)
        return answer

    def count(self, answer: Answer) -> None:
        name = ""
        if answer.status >= 400:
            with contextlib.suppress(ValueError, KeyError):
                name = " " + answer.json()["name"]
        self.answers[f"{answer.status}{name}"] += 1
        if '"status":"rejected"' in answer.text:
            for result in answer.json().get("results", [])[:1]:
                self.answers["rejected " + result["error"]["name"]] += 1

    def subscribe(self, name: str, filter_text: str | None = None, tenant: int = 0,
                  **members) -> Answer:
        filters = {"filters": [{"weir": filter_text}]} if filter_text else {}
        return self.ask("PUT", f"/subscriptions/{name}", json.dumps({**filters, **members}),
                        tenant=tenant)

    def publish(self, *events: str, tenant: int = 0) -> Answer:
        """One event as itself, several as a batch."""
        if len(events) == 1:
            return self.ask("POST", "/events", events[0], STRUCTURED, tenant)
        return self.ask("POST", "/events", "[" + ",".join(events) + "]", BATCHED, tenant)

    def withdraw(self) -> None:
        """Deletes all subscriptions, so that the next attack finds the broker as this one did."""
        for tenant in range(len(self.orders.tokens)):
            listed = self.ask("GET", "/subscriptions?limit=1000", tenant=tenant)
            for one in listed.json()["subscriptions"] if listed.status == 200 else []:
                self.ask("DELETE", f"/subscriptions/{one['id']}", tenant=tenant)

    def stream(self, target: str, tenant: int = 0, receive_bytes: int = 0) -> socket.socket:
        """A stream of server-sent events; nobody reads it yet."""
        one = socket.socket()
        if receive_bytes:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        one.settimeout(ANSWER_S_MAX)
        one.bind((ADDRESS, 0))
        one.connect(("127.0.0.1", self.orders.port))
        one.sendall((f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                     f"Authorization: Bearer {self.orders.tokens[tenant]}\r\n\r\n").encode())
        return one


class Drain(threading.Thread):
    """Reads sockets and throws away what comes."""

    def __init__(self, sockets: list[socket.socket]):
        super().__init__(daemon=True)
        self._selector = selectors.DefaultSelector()
        for one in sockets:
            one.setblocking(False)
            self._selector.register(one, selectors.EVENT_READ)
        self.start()

    def run(self) -> None:
        while self._selector.get_map():
            for key, _ in self._selector.select():
                with contextlib.suppress(BlockingIOError):
                    try:
                        gone = not key.fileobj.recv(1 << 18)
                    except ConnectionError:
                        gone = True
                    if gone:
                        self._selector.unregister(key.fileobj)


_numbers = iter(range(1 << 62))


def hostile_event(kind: str = "x", **members) -> str:
    """An event with an id of its own, as compact JSON."""
    return json.dumps({"specversion": "1.0", "id": f"{os.getpid()}-{next(_numbers)}",
                       "source": "/hostile/1", "type": kind, **members}, separators=(",", ":"))


def main() -> None:
    from attack.table import ATTACKS
    os.nice(NICENESS)
    orders = Orders(**json.loads(sys.argv[1]))
    enemy = Enemy(orders)
    ATTACKS[orders.attack].run(enemy)
    if not orders.full:
        enemy.withdraw()
    print(json.dumps({"answers": enemy.answers, "notes": enemy.notes}), flush=True)
    os._exit(0)  # threads that still wait for answers do not matter


if __name__ == "__main__":
    main()
