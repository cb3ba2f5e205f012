# SPDX-License-Identifier: Apache-2.0
"""What the house checks share: the files of the tree, and C++ text without comments or strings."""

import re
from pathlib import Path

SKIPPED_FOLDERS = {"build", ".git", "__pycache__", "node_modules"}
TEST_ENDINGS = ("_test", "_fuzz", "_bench", "_testing")

TOKEN = re.compile(
    r'(?P<line_comment>//[^\n]*)'
    r'|(?P<block_comment>/\*.*?\*/)'
    r'|(?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>(?<![0-9A-Za-z_])(?:u8|u|U|L)?'(?:\\.|[^'\\\n])+')",
    re.DOTALL)


def walk(root: Path, *suffixes: str):
    """All files below root with one of the suffixes, sorted, without what is built."""
    for path in sorted(root.rglob("*")):
        if path.suffix in suffixes and path.is_file():
            if not SKIPPED_FOLDERS & set(path.relative_to(root).parent.parts):
                yield path


def is_test_file(path: Path) -> bool:
    return path.stem.endswith(TEST_ENDINGS)


def without(text: str, strings: bool) -> str:
    """C++ text with comments, and strings if asked, replaced by spaces; lines stay lines."""

    def blank(match: re.Match) -> str:
        if match.lastgroup in ("line_comment", "block_comment") or strings:
            return re.sub(r"[^\n]", " ", match.group())
        return match.group()

    return TOKEN.sub(blank, text)


def without_comments(text: str) -> str:
    return without(text, strings=False)


def code_only(text: str) -> str:
    return without(text, strings=True)


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def report(errors: list[str]) -> int:
    """Prints errors and gives the exit status."""
    for error in errors:
        print(error)
    return 1 if errors else 0
