#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shared_consumer.py PORT_FILE SUBSCRIPTION LOG: one of several consumers, killed at any time.

Processes each delivery by writing a line to LOG and a millisecond of work, then acknowledges it. A
line has the instant of a clock that all processes share, the delivery's number, 1 if it was
redelivered, the event's subject and its place among the events of that subject. Connects again when
the connection is lost.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import websockets

CREDIT = 256
WORK_S = 0.001


async def consume(socket, log: int) -> None:
    await socket.send(json.dumps({"type": "credit", "count": CREDIT}))
    taken = 0
    async for text in socket:
        message = json.loads(text)
        if message["type"] != "event":
            continue
        one = message["event"]
        os.write(log, (f"{time.monotonic_ns()} {message['number']} "
                       f"{int(message.get('redelivered', False))} {one['subject']} "
                       f"{one['data']['place']}\n").encode())
        time.sleep(WORK_S)
        await socket.send(f'{{"type":"ack","number":{message["number"]}}}')
        taken += 1
        if taken % (CREDIT // 2) == 0:
            await socket.send(json.dumps({"type": "credit", "count": CREDIT // 2}))


async def main(port_file: Path, subscription: str, log_path: str) -> None:
    log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        try:
            url = f"ws://127.0.0.1:{port_file.read_text()}/subscriptions/{subscription}/events"
            async with websockets.connect(url, subprotocols=["weir.v1"], open_timeout=5,
                                          close_timeout=1, max_size=None) as socket:
                await consume(socket, log)
        except (OSError, websockets.WebSocketException, asyncio.TimeoutError, EOFError):
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
