#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py [ROOT]: checks the house rules that a compiler does not know.

Sizes, names, the first lines of files, what is banned below runtime/, links in documents. Errors
are printed as file:line: message.
"""

import re
import sys
from pathlib import Path
from typing import Iterator

from functions import find_functions
from layers import FOLDERS, folder_of
from tree import code_only, is_test_file, line_of, report, walk

FILE_LINES_MAX = 600
TEST_FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

# Folders whose code is a pure function of its input.
PURE_FOLDERS = "base event bloom filter match seal engine protocol".split()

BANNED = [
    (r"_clock::now\b|\bgettimeofday\b|\bclock_gettime\b|\btime\(\s*(?:nullptr|NULL|0|&)"
     r"|\bstd::(?:clock|time)\(", "no clock below runtime/: `now` is an argument"),
    (r"\brandom_device\b|\bmt19937|\bminstd_rand|\bdefault_random_engine\b|\bs?rand\("
     r"|\bstd::\w+_distribution\b", "chance comes from a seeded base::Prng"),
    (r"\bstd::hash\b", "std::hash differs between libraries: use base/hash"),
    (r"\bsleep_(?:for|until)\b|\b(?:u|nano)?sleep\(", "no sleeping below runtime/"),
    (r"\bstd::(?:jthread|thread|mutex|shared_mutex|atomic|async|condition_variable)\b",
     "no threads below runtime/"),
    (r"\bstd::(?:cout|cerr|clog)\b|\b(?:f|v|vf)?printf\(|\bfmt::print\b|\bf?puts\(",
     "no printing below runtime/"),
]
# The last words of a failed check are the one thing printed.
MAY_PRINT = {"src/base/check.cc"}
# A lab's main() tells what it cannot read, and has the clock of those that measure time; the rest
# of a lab is pure as well.
LAB_MAIN = "lab_main.cc"
LAB_MAIN_MAY = ("no clock", "no printing")

UNORDERED = re.compile(r"\bunordered_(?:flat_|node_)?(?:map|set)<[^;(){}]*>\s+(\w+)\s*[;{=]")
PARKED = re.compile(r"\b(?:" + "|".join(["FIX" "ME", "X" "XX", "HA" "CK", "TO" "DO"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.:])/(?:home|root|work|Users)/\w")
CODE_COMMENT = re.compile(r"^\s*// ?(?! )(?=.*(?:[()=]|->|::)).*[;{]$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)

Finding = tuple[int, str]  # line, message


def check_size(path: Path, text: str) -> Iterator[Finding]:
    lines = text.splitlines()
    limit = TEST_FILE_LINES_MAX if is_test_file(path) else FILE_LINES_MAX
    if len(lines) > limit:
        yield limit + 1, f"{len(lines)} lines, at most {limit}: split the file"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"


def check_words(text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        if match := PARKED.search(line):
            yield number, f"{match[0]}: finish it or leave it out"
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def check_name(path: Path) -> Iterator[Finding]:
    """Snake case, but a paper's folder labs/NNN is its number."""
    is_paper = path.parts[0] == "labs" and re.fullmatch(r"\d{3}", path.parent.name)
    for part in (path.parts[0], *path.parts[2:]) if is_paper else path.parts:
        name = part.split(".")[0] if part == path.name else part
        if name and not SNAKE_CASE.fullmatch(name):
            yield 1, f"name '{part}' is not snake_case"


def check_opening(path: Path, text: str) -> Iterator[Finding]:
    """The first lines of a C++ file."""
    lines = text.splitlines() + ["", ""]
    if lines[0] != f"// {LICENCE}":
        yield 1, f"the first line is not // {LICENCE}"
    if path.suffix == ".h":
        if not lines[1].startswith("//"):
            yield 2, "a header opens with a comment that says what it is"
        if not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield 1, "a header needs #pragma once"


def folder_namespace(path: Path) -> str:
    """The namespace of a file below src/: sub-folders with a line in layers.py have their own."""
    place = folder_of("/".join(path.parts[1:-1]), FOLDERS)
    return (place or path.parts[1]).replace("/", "::")


def check_namespace(path: Path, code: str) -> Iterator[Finding]:
    """Namespace = folder. A fuzzer may be an entry point only, a header may only include others."""
    is_entry = path.stem.endswith("_fuzz") or path.name == LAB_MAIN
    if path.parts[0] in ("src", "labs") and not is_entry:
        folder = folder_namespace(path) if path.parts[0] == "src" else "lab"
        is_empty = not re.sub(r"^#.*", "", code, flags=re.MULTILINE).strip()
        if not is_empty and not re.search(rf"\bnamespace weir::{folder}\b", code):
            yield 1, f"no namespace weir::{folder}"


def check_functions(code: str) -> Iterator[Finding]:
    for function in find_functions(code):
        if function.line_count > FUNCTION_LINES_MAX:
            yield function.line, (f"{function.name} has {function.line_count} lines, "
                                  f"at most {FUNCTION_LINES_MAX}")


def check_comments(text: str) -> Iterator[Finding]:
    """Code in a comment, unless it is indented as an example."""
    for number, line in enumerate(text.splitlines(), 1):
        if CODE_COMMENT.match(line):
            yield number, "commented-out code; indent it if it is an example"


def check_banned(path: Path, code: str) -> Iterator[Finding]:
    for pattern, message in BANNED:
        if "printing" in message and path.as_posix() in MAY_PRINT:
            continue
        if path.name == LAB_MAIN and message.startswith(LAB_MAIN_MAY):
            continue
        for match in re.finditer(pattern, code):
            yield line_of(code, match.start()), f"{match[0].strip()}: {message}"


def check_order(root: Path, path: Path, code: str) -> Iterator[Finding]:
    """Loops over an unordered container that is declared in the file or in its header."""
    header = (root / path).with_suffix(".h")
    declarations = code + (code_only(header.read_text()) if header.is_file() else "")
    for name in set(UNORDERED.findall(declarations)):
        for match in re.finditer(rf"\bfor \([^;()]*:\s*{name}\)", code):
            yield (line_of(code, match.start()),
                   f"the order of {name} is not defined: do not iterate it")


def check_links(root: Path, path: Path, text: str) -> Iterator[Finding]:
    text = FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in LINK.finditer(text):
        target = match[1].split("#")[0]
        if not target or re.match(r"[a-z]+:", target):
            continue
        if not (root / path.parent / target).exists():
            yield line_of(text, match.start()), f"link to '{target}', which does not exist"


def check_cpp(root: Path, path: Path, text: str) -> Iterator[Finding]:
    code = code_only(text)
    yield from check_size(path, text)
    yield from check_name(path)
    yield from check_opening(path, text)
    yield from check_namespace(path, code)
    yield from check_functions(code)
    yield from check_comments(text)
    is_pure = path.parts[0] == "labs" or (path.parts[0] == "src" and path.parts[1] in PURE_FOLDERS)
    if is_pure and not is_test_file(path):
        yield from check_banned(path, code)
        yield from check_order(root, path, code)


def check_script(path: Path, text: str) -> Iterator[Finding]:
    yield from check_size(path, text)
    yield from check_name(Path(path.name.lstrip(".")))
    if not any(f"# {LICENCE}" == line for line in text.splitlines()[:3]):
        yield 1, f"the first three lines have no # {LICENCE}"


def is_script(path: Path, text: str) -> bool:
    return path.suffix in (".py", ".sh") or (path.suffix == "" and text.startswith("#!"))


def check_file(root: Path, path: Path) -> Iterator[Finding]:
    try:
        text = (root / path).read_text()
    except UnicodeDecodeError:
        return
    yield from check_words(text)
    if path.suffix in (".h", ".cc"):
        yield from check_cpp(root, path, text)
    elif path.suffix == ".md":
        yield from check_links(root, path, text)
    elif is_script(path, text):
        yield from check_script(path, text)


CHECKED_SUFFIXES = (".h", ".cc", ".py", ".sh", ".md", ".cmake", ".txt", ".json", ".toml", ".yml",
                    ".bash", ".in", "")


def check(root: Path) -> list[str]:
    errors = []
    for full_path in walk(root, *CHECKED_SUFFIXES):
        path = full_path.relative_to(root)
        if path.parts[0] == "LICENSE":
            continue
        findings = sorted(check_file(root, path))
        errors += [f"{path}:{line}: {message}" for line, message in findings]
    return errors


if __name__ == "__main__":
    sys.exit(report(check(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))
