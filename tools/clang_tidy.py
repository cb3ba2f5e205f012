#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/clang_tidy.py [FILE...]: clang-tidy over the sources (not tests) of the release build.

A file that was clean is not read again until it, a header that it includes, its command line or
.clang-tidy changes: build/clang-tidy-cache/ holds one empty file per clean state.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import is_test_file

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
CACHE = ROOT / "build/clang-tidy-cache"
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def included(path: Path, found: set[Path]) -> set[Path]:
    """The file and all files of the tree that it includes, directly or not."""
    found.add(path)
    for name in INCLUDE.findall(path.read_text()):
        for base in (ROOT / "src", ROOT / "include", ROOT / "labs"):
            if (base / name).is_file() and base / name not in found:
                included(base / name, found)
    return found


def state_of(path: Path, command: str) -> str:
    digest = hashlib.sha256()
    digest.update(command.replace(str(ROOT), "").encode())
    for file in [ROOT / ".clang-tidy", *sorted(included(path, set()))]:
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def run(path: Path, command: str) -> bool:
    marker = CACHE / state_of(path, command)
    if marker.exists():
        return True
    done = subprocess.run([TIDY, "--quiet", "-p", str(BUILD), str(path)], cwd=BUILD, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        marker.touch()
        return True
    print(done.stdout.replace(f"{ROOT}/", ""), end="", flush=True)
    return False


def main() -> int:
    wanted = {Path(name).resolve() for name in sys.argv[1:]}
    if not (BUILD / "compile_commands.json").exists():
        sys.exit("clang_tidy.py: not configured: tools/build release")
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        is_source = path.suffix == ".cc" and not is_test_file(path) and path.exists()
        if is_source and (not wanted or path in wanted):
            commands[path] = entry["command"]
    CACHE.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda item: run(*item), sorted(commands.items())))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
