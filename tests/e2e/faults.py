# SPDX-License-Identifier: Apache-2.0
"""A wall clock that a test can set, and a disk that it can stop, for one broker."""

import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

COMPILER = shutil.which("cc") or shutil.which("clang-19")


class Faults:
    """`environment` is for the broker. Needs a C compiler."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="weir-faults-")
        folder = Path(self._directory.name)
        shim = folder / "fault_shim.so"
        source = Path(__file__).with_name("fault_shim.c")
        subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", "-o", shim, source], check=True)
        self._file = folder / "faults"
        self._clock_s, self._is_hanging = 0, False
        self._write()
        self.environment = {"LD_PRELOAD": str(shim), "WEIR_FAULTS": str(self._file)}

    def _write(self) -> None:
        # In place: the broker has the file mapped.
        mode = "r+b" if self._file.exists() else "wb"
        with open(self._file, mode, buffering=0) as file:
            file.write(struct.pack("=qq", self._clock_s * 1_000_000_000, self._is_hanging))

    def set_clock(self, step_s: int) -> None:
        """Further than it is now."""
        self._clock_s += step_s
        self._write()

    def hang_disk(self, is_hanging: bool = True) -> None:
        self._is_hanging = is_hanging
        self._write()

    def close(self) -> None:
        self.hang_disk(False)
        self._directory.cleanup()
