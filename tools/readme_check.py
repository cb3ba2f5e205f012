#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/readme_check.py: runs the examples of README.md as printed, in a fresh clone.

Every ```sh block is run by bash, in order, in one clone of the committed state (with uncommitted
changes: in a copy of the files). A ```text block that follows directly is what it must print. The
port 8090 of the examples is replaced by one that is free; what is left running under a number in
*.pid is ended.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
BLOCK_SECONDS_MAX = 900
PORT = "8090"


class Block(NamedTuple):
    line: int
    script: str
    output: str | None


def blocks_of(text: str) -> list[Block]:
    return [Block(text.count("\n", 0, match.start()) + 1, match[1], match[2])
            for match in BLOCK.finditer(text)]


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def clone(target: Path) -> None:
    if not git("status", "--porcelain"):
        git("clone", "--quiet", str(ROOT), str(target))
        return
    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def run(block: Block, folder: Path) -> bool:
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.script], cwd=folder, text=True,
                          env={**os.environ, "WEIR_README_CHECK": "1"}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=BLOCK_SECONDS_MAX)
    ok = done.returncode == 0 and block.output in (None, done.stdout)
    print(f"README.md:{block.line}: {'ok' if ok else 'FAILED'}")
    if not ok:
        print(f"--- script\n{block.script}--- exit status {done.returncode}, it printed")
        print(done.stdout + done.stderr)
        if block.output is not None:
            print(f"--- expected\n{block.output}")
    return ok


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_processes(folder: Path) -> None:
    for file in folder.glob("*.pid"):
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(file.read_text()), signal.SIGKILL)


def check(text: str, folder: Path) -> bool:
    """Runs the blocks until one fails: the next ones may build on it."""
    try:
        return check_blocks(blocks_of(text.replace(PORT, str(free_port()))), folder)
    finally:
        end_processes(folder)


def check_blocks(blocks: list[Block], folder: Path) -> bool:
    passed = 0
    for block in blocks:
        if not run(block, folder):
            break
        passed += 1
    print(f"{passed} passed, {len(blocks) - passed} failed")
    return passed == len(blocks)


def main() -> int:
    readme = ROOT / "README.md"
    if not readme.is_file() or not blocks_of(readme.read_text()):
        print("README.md has no ```sh block")
        return 1
    with tempfile.TemporaryDirectory(prefix="weir-readme-") as folder:
        target = Path(folder) / "weir"
        clone(target)
        return 0 if check((target / "README.md").read_text(), target) else 1


if __name__ == "__main__":
    sys.exit(main())
