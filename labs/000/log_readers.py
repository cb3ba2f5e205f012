# SPDX-License-Identifier: Apache-2.0
"""Reads public logs of the kinds the paper used, as lines `client TAB event`.

A web log's event is the URL. A flow's event is its source, as in the paper; a DNS log's is the name
that is asked for, since few clients ask. Lines that cannot be read are counted, not guessed at.
"""

import re
from pathlib import Path
from typing import Callable, Iterable, NamedTuple

from lab_data import DataError, find_file, open_text

Row = tuple[str, str]  # client, event

REQUEST = re.compile(r'(\S+) \[[^\]]*\] "(?:[A-Z]+ )?(\S.*?)(?: HTTP/[\d.]+)?" \d+(?: \S+)?\s*')


class Log(NamedTuple):
    name: str
    rows: list[Row]
    malformed_count: int


def epa_row(line: str) -> Row | None:
    match = REQUEST.fullmatch(line)
    return (match[1], match[2]) if match else None


def nasa_row(line: str) -> Row | None:
    """host, logname, time, method, url, response, bytes, apart by tabs."""
    fields = line.split("\t")
    return (fields[0], fields[4]) if len(fields) >= 7 and fields[0] and fields[4] else None


def email_row(line: str) -> Row | None:
    """source, destination, time."""
    fields = line.split()
    is_row = len(fields) == 3 and all(field.isdigit() for field in fields)
    return (fields[1], fields[0]) if is_row else None


def zeek_row(line: str) -> Row | None:
    fields = line.split("\t")
    is_row = len(fields) > 9 and re.fullmatch(r"\d+\.\d+", fields[0])
    return (fields[2], fields[9]) if is_row and fields[2] and fields[9] else None


class Kind(NamedTuple):
    name: str
    pattern: str  # of the file's name
    row: Callable[[str], Row | None]
    head: str     # lines that begin so are no rows


WEB_LOGS = [Kind("EPA-HTTP", "epa*http*", epa_row, "#"),
            Kind("NASA-HTTP", "nasa*", nasa_row, "host\tlogname")]
FLOWS = [Kind("email-Eu", "email*", email_row, "#"),
         Kind("Zeek DNS", "zeek*dns*", zeek_row, "#")]


def parse(kind: Kind, lines: Iterable[str]) -> Log:
    rows, malformed_count = [], 0
    for line in lines:
        line = line.rstrip("\r\n")
        if not line or line.startswith(kind.head):
            continue
        row = kind.row(line)
        if row is None:
            malformed_count += 1
        else:
            rows.append((row[0], row[1].replace("\t", " ")))
    return Log(kind.name, rows, malformed_count)


def read(folder: Path, kind: Kind) -> Log:
    path = find_file(folder, kind.pattern, kind.name)
    with open_text(path) as file:
        log = parse(kind, file)
    if not log.rows:
        raise DataError(f"{path} has no {kind.name} rows")
    return log
