# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: running the program of the variable WEIR, and events."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(os.environ.get("WEIR", ROOT / "build/weir")).resolve())
# Programs with a sanitizer are slow and large: fewer events, no bounds on memory.
SANITIZED = bool(os.environ.get("WEIR_SANITIZED")) or any(
    name in PROGRAM for name in ("asan", "tsan"))
SECONDS_MAX = 240


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def lines(self) -> list[dict]:
        """The output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


def weir(*arguments: str, stdin: str | bytes = "") -> Done:
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run([PROGRAM, *arguments], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS_MAX)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


class Usage(NamedTuple):
    code: int
    out_bytes: int
    err: str
    rss_bytes: int


# A process starts with the peak memory of the one that started it, so a small one does.
LAUNCHER = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
told = f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}"
os.write(int(sys.argv[1]), told.encode())
"""


def feed(pipe: int, chunks) -> None:
    """Writes to a pipe until all is written or nobody reads."""
    try:
        with os.fdopen(pipe, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
    except BrokenPipeError:
        pass


def measure(*arguments: str, chunks, seconds_max: float = SECONDS_MAX) -> Usage:
    """Feeds chunks of bytes to the program and tells its peak memory; its output is counted."""
    stdin_read, stdin_write = os.pipe()
    told_read, told_write = os.pipe()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, str(told_write), PROGRAM, *arguments],
            stdin=stdin_read, stdout=subprocess.PIPE, stderr=errors, pass_fds=[told_write])
        os.close(stdin_read)
        os.close(told_write)
        feeder = threading.Thread(target=feed, args=(stdin_write, chunks))
        feeder.start()
        out_bytes = 0
        while block := process.stdout.read(1 << 16):
            out_bytes += len(block)
        process.stdout.close()
        process.wait(timeout=SECONDS_MAX)
        feeder.join()
        with os.fdopen(told_read) as told:
            code, rss_kib, seconds = told.read().split()
        errors.seek(0)
        err = errors.read().decode()
    if float(seconds) > seconds_max:
        raise AssertionError(f"took {seconds} CPU-seconds")
    return Usage(int(code), out_bytes, err, int(rss_kib) * 1024)


def event(number: int = 1, **members) -> str:
    """One event as a JSON line; members replace and add to the required ones."""
    return json.dumps({"specversion": "1.0", "id": str(number), "source": "/test",
                       "type": "test", **members}, separators=(",", ":"))


def reading(number: int, second: float, value: float, subject: str = "a") -> str:
    return event(number, type="reading", subject=subject, data={"v": value},
                 time=f"2026-01-01T00:{int(second) // 60:02}:{second % 60:06.3f}Z")


def stream(*events: str) -> str:
    return "".join(line + "\n" for line in events)
