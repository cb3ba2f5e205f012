# SPDX-License-Identifier: Apache-2.0
"""Scripts that node runs with packages of npm, and that tell what they see as JSON lines."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import npm_packages

SECONDS_MAX = 120


class Script:
    """A running script. It is run from a copy, since node looks for packages above a script."""

    def __init__(self, path: Path, packages: dict[str, str], *arguments: str):
        folder = npm_packages.install(packages)
        self._folder = tempfile.TemporaryDirectory(dir=folder, prefix=f"{path.stem}-")
        script = shutil.copy(path, self._folder.name)
        self.process = subprocess.Popen(["node", script, *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> "Script":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.communicate()
        self._folder.cleanup()

    def read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the script has ended")
        return json.loads(line)

    def read_until(self, member: str) -> dict:
        """The next line that has the member."""
        while member not in (line := self.read()):
            pass
        return line

    def rest(self) -> list[dict]:
        """All lines up to the script's end, which must be a success."""
        out, _ = self.process.communicate(timeout=SECONDS_MAX)
        if self.process.returncode != 0:
            raise AssertionError(f"the script failed after\n{out}")
        return [json.loads(line) for line in out.splitlines()]

    def write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
