#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of ./test. All run, even after a failure; their output goes to build/logs/."""

import argparse
import enum
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/logs"
SHOWN_LINES = 40

SKIPPED = re.compile(r"^\s+\d+ - (\S+) \(Skipped\)", re.MULTILINE)
NOISE = re.compile(r"\s*(Start +\d+:|\d+/\d+ Test .* Passed )")

CTEST = "ctest --preset {} -j 2 --no-tests=error"
FORMAT = ("find src apps include labs tests examples -name '*.h' -o -name '*.cc' 2>/dev/null"
          " | xargs clang-format-19 --dry-run -Werror")


class Level(enum.IntEnum):
    """How much is run; each level includes the ones before it."""
    CONTRIBUTOR = 0  # ./test
    CI = 1           # ./test --ci
    FULL = 2         # ./test --full


OPTIONS = {Level.CONTRIBUTOR: "", Level.CI: "--ci", Level.FULL: "--full"}


class Step(NamedTuple):
    name: str
    title: str
    commands: list[str]
    full_commands: list[str] | None = None  # with --full; None: the same
    level: Level = Level.CONTRIBUTOR        # the first level that runs it


STEPS = [
    Step("format", "clang-format", [FORMAT]),
    Step("layers", "who includes whom", ["tools/layers.py"]),
    Step("tidy", "house rules", ["tools/tidy.py"]),
    Step("tools", "tests of the tools", ["python3 -m unittest discover -s tools -p '*_test.py'"]),
    Step("release", "release build and tests", ["tools/build release", CTEST.format("release")],
         ["tools/build release", "WEIR_FULL=1 " + CTEST.format("release")]),
    Step("readme", "the README's examples", ["tools/readme_check.py"]),
    Step("asan", "ASan and UBSan build and tests", ["tools/build asan", CTEST.format("asan")],
         level=Level.CI),
    Step("fuzz", "fuzzers", ["tools/fuzz.py --seconds 5"], ["tools/fuzz.py --seconds 60"],
         level=Level.CI),
    Step("clang-tidy", "clang-tidy", ["tools/clang_tidy.py"], level=Level.CI),
    Step("install", "install, and examples against it", ["tools/install_check"], level=Level.CI),
    Step("gcc", "g++ 12 build and tests", ["tools/build gcc", CTEST.format("gcc")],
         level=Level.FULL),
    Step("tsan", "TSan build and tests", ["tools/build tsan", CTEST.format("tsan")],
         level=Level.FULL),
    Step("bench", "benchmarks", ["tools/build release benches", "tools/bench.py --all --quick"],
         level=Level.FULL),
]


class Count(NamedTuple):
    passed: int
    failed: int


def count(output: str, ok: bool) -> Count:
    """How many tests the output of a command tells of; a command that tells none is one."""
    if match := re.search(r"(\d+) tests? failed out of (\d+)", output):
        failed, total = int(match[1]), int(match[2])
    elif match := re.search(r"^Ran (\d+) tests? in ", output, re.MULTILINE):
        total = int(match[1])
        failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", output))
    elif match := re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE):
        failed, total = int(match[2]), int(match[1]) + int(match[2])
    else:
        failed, total = 0, 1 if ok else 0
    if not ok and failed == 0:
        failed, total = 1, total + 1
    return Count(total - failed, failed)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "ASAN_SYMBOLIZER_PATH": "/usr/bin/llvm-symbolizer-19",
        "TSAN_OPTIONS": "external_symbolizer_path=/usr/bin/llvm-symbolizer-19",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def run_step(step: Step, level: Level) -> Count:
    """Runs the commands of a step until one fails. A build before tests is not counted."""
    is_full = level == Level.FULL and step.full_commands
    commands = step.full_commands if is_full else step.commands
    log = LOGS / f"{step.name}.log"
    text = ""
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=ROOT, env=environment(), text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text += f"$ {command}\n{done.stdout}"
        log.write_text(text)
        result = count(done.stdout, done.returncode == 0)
        for name in SKIPPED.findall(done.stdout):
            print(f"SKIPPED {name}: see {log.relative_to(ROOT)}")
        if result.failed:
            lines = [line for line in done.stdout.rstrip().splitlines() if not NOISE.match(line)]
            print("\n".join(f"    {line}" for line in lines[-SHOWN_LINES:]))
            print(f"    the whole log is {log.relative_to(ROOT)}")
            break
    return result


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./test", description="Runs the checks of a contributor; exits non-zero if one fails.")
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument("--ci", dest="level", action="store_const", const=Level.CI,
                        default=Level.CONTRIBUTOR,
                        help="also sanitizers, fuzzers, clang-tidy and install")
    levels.add_argument("--full", dest="level", action="store_const", const=Level.FULL,
                        help="also g++ 12, ThreadSanitizer, benchmarks, slow tests;"
                             " fuzz for a minute each")
    parser.add_argument("--only", metavar="STEP,STEP", help="run only these steps")
    parser.add_argument("--list", action="store_true", help="list the steps")
    return parser.parse_args()


def chosen_steps(only: str | None, level: Level) -> list[Step]:
    if only is None:
        return [step for step in STEPS if step.level <= level]
    names = only.split(",")
    unknown = set(names) - {step.name for step in STEPS}
    if unknown:
        sys.exit(f"./test: no step {', '.join(sorted(unknown))}; see ./test --list")
    return [step for step in STEPS if step.name in names]


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        for step in STEPS:
            option = OPTIONS[step.level]
            print(f"{step.name:12}{step.title}{f' ({option})' if option else ''}")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    results = []
    for step in chosen_steps(arguments.only, arguments.level):
        start = time.monotonic()
        if sys.stdout.isatty():
            print(f"        {step.title} ...", end="\r", flush=True)
        result = run_step(step, arguments.level)
        verdict = "FAILED" if result.failed else "ok"
        detail = f"{result.passed} passed" + (f", {result.failed} failed" if result.failed else "")
        print(f"{verdict:8}{step.title:36}{time.monotonic() - start:6.1f} s   {detail}",
              flush=True)
        results.append((step, result))

    failed_steps = [step.name for step, result in results if result.failed]
    if failed_steps:
        print(f"failed: {', '.join(failed_steps)}")
    passed = sum(result.passed for _, result in results)
    failed = sum(result.failed for _, result in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
