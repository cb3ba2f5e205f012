# SPDX-License-Identifier: Apache-2.0
"""Packages of npm for tests: pinned, installed once below build/npm, never into the tree.

A test that cannot have them is skipped, and `main` says so: with a line on stderr and the exit
status 77, which ./test counts and prints.
"""

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from weir_program import ROOT

FOLDER = ROOT / "build/npm"
SECONDS_MAX = 200
SKIPPED_STATUS = 77


def install(names: dict[str, str]) -> Path:
    """Installs packages by name and exact version; gives the folder that has node_modules."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise unittest.SkipTest("there is no npm here")
    wanted = json.dumps({"private": True, "type": "module", "dependencies": names}, sort_keys=True)
    folder = FOLDER / hashlib.sha256(wanted.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "installed"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if not done.exists():
            (folder / "package.json").write_text(wanted)
            run_npm(folder)
            done.touch()
    return folder


def run_npm(folder: Path) -> None:
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
               "--fetch-retries=1", "--fetch-timeout=30000"]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired as error:
        raise unittest.SkipTest("npm does not answer") from error
    if done.returncode != 0:
        raise unittest.SkipTest(f"npm cannot install: {done.stdout.strip()[-500:]}")


def main() -> None:
    """As unittest.main(), but a skipped test is told to ./test."""
    run = unittest.main(exit=False).result
    for test, reason in run.skipped:
        print(f"SKIPPED {test}: {reason}", file=sys.stderr)
    sys.exit(1 if not run.wasSuccessful() else SKIPPED_STATUS if run.skipped else 0)
