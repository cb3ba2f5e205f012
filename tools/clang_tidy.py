#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/clang_tidy.py [FILE...]: clang-tidy over the sources (not tests) of the release build.

Most of the time goes into the standard headers, so several sources of one folder are read as one:
a unit that includes them all, as long as that compiles.

A file that was clean is not read again until it, a header that it includes, its command line or
.clang-tidy changes: build/clang-tidy-cache/ holds one empty file per clean state.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tree import is_test_file

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
CACHE = ROOT / "build/clang-tidy-cache"
UNITS = ROOT / "build/clang-tidy-units"
UNIT_FILES_MAX = 16
# A unit includes sources as if they were headers.
FILTER = r"/(src|include/weir|apps|labs|tests)/[^:]*\.(h|cc)$"
TIDY = ["clang-tidy-19", "--quiet", f"--header-filter={FILTER}",
        "--checks=-bugprone-suspicious-include", "{}", "--"]
COMPILE = ["clang++-19", "-fsyntax-only", "{}"]
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


class Source(NamedTuple):
    path: Path
    flags: str  # of the compiler, without the names of the files
    marker: Path


def source_of(path: Path, command: str) -> Source:
    flags = re.sub(r" -o \S+ -c \S+$", "", command).split(" ", 1)[1]
    return Source(path, flags, CACHE / state_of(path, command))


def units_of(sources: list[Source]) -> list[list[Source]]:
    """Sources of one folder with the same flags, some at a time. Large units first, so that no
    processor is left with one at the end."""
    groups: dict[tuple[Path, str], list[Source]] = {}
    for source in sources:
        groups.setdefault((source.path.parent, source.flags), []).append(source)
    units = []
    for group in groups.values():
        count = -(-len(group) // UNIT_FILES_MAX)
        units += [group[i::count] for i in range(count)]
    return sorted(units, key=len, reverse=True)


def run(command: list[str], unit: list[Source]) -> str | None:
    """What a command has to say about the sources, read as one; None if nothing."""
    names = "".join(f'#include "{source.path}"\n' for source in unit)
    path = UNITS / f"{hashlib.sha256(names.encode()).hexdigest()[:16]}.cc"
    path.write_text(names)
    command = [word.replace("{}", str(path)) for word in command] + shlex.split(unit[0].flags)
    done = subprocess.run(command, cwd=BUILD, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return None if done.returncode == 0 else done.stdout


def named(unit: list[Source], said: str) -> list[Source]:
    return [source for source in unit if f"{source.path}:" in said]


def compatible(unit: list[Source]) -> list[list[Source]]:
    """The sources in units that compile; those that are in the others' way together elsewhere."""
    said = run(COMPILE, unit) if len(unit) > 1 else None
    if said is None:
        return [unit]
    apart = named(unit, said)
    if len(apart) in (0, len(unit)):
        return [[source] for source in unit]
    return compatible([source for source in unit if source not in apart]) + compatible(apart)


def check(unit: list[Source]) -> int:
    """How many of the sources are not clean."""
    failed = 0
    for part in compatible(unit):
        said = run(TIDY, part)
        if said is None:
            for source in part:
                source.marker.touch()
        else:
            print(said.replace(f"{ROOT}/", ""), end="", flush=True)
            failed += max(1, len(named(part, said)))
    return failed


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
    for folder in (CACHE, UNITS):
        folder.mkdir(parents=True, exist_ok=True)
    sources = [source_of(*item) for item in sorted(commands.items())]
    units = units_of([source for source in sources if not source.marker.exists()])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = sum(pool.map(check, units))
    print(f"{len(sources) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
