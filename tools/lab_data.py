# SPDX-License-Identifier: Apache-2.0
"""Where the experiments in labs/ find the real data of --data DIR, and how they open it."""

import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Iterator, TextIO

BROKEN = (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)


class DataError(Exception):
    """Data that is missing, broken or has nothing in it."""


def find_file(folder: Path, pattern: str, name: str) -> Path:
    """The first file of the folder whose name fits."""
    paths = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if not paths:
        raise DataError(f"{folder} has no {pattern} ({name})")
    return paths[0]


@contextlib.contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The text of a file that may be compressed; of a zip archive, its first file."""
    try:
        with opened(path) as file:
            yield file
    except BROKEN as error:
        raise DataError(f"{path}: {error}") from error


def opened(path: Path) -> TextIO:
    if path.suffix == ".zip":
        archive = zipfile.ZipFile(path)
        names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
        if not names:
            raise DataError(f"{path} is empty")
        return io.TextIOWrapper(archive.open(names[0]), "latin-1")
    openers = {".gz": gzip.open, ".xz": lzma.open}
    return openers.get(path.suffix, open)(path, "rt", encoding="latin-1")


def archived_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every file in a tar archive, compressed or not, by name."""
    try:
        with tarfile.open(path) as archive:
            members = [member for member in archive.getmembers() if member.isfile()]
            for member in sorted(members, key=lambda member: member.name):
                yield Path(member.name).name, archive.extractfile(member).read().decode("latin-1")
    except BROKEN as error:
        raise DataError(f"{path}: {error}") from error
