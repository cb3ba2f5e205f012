#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/layers.py [ROOT]: checks who includes whom.

The table below names, for every folder of src/, the folders that it may include; it may only
name folders above itself. A sub-folder with a line of its own is a folder like any other; the line
of its parent is about the parent's own files. `protocol/*` names protocol and all its sub-folders.
Third-party headers and threads are fenced in the same way. CMake's DEPS in src/CMakeLists.txt must
say the same as the table.
"""

import re
import sys
from pathlib import Path

from tree import is_test_file, line_of, report, walk, without_comments

# Lowest first. cluster, server and cli come last, and nothing includes cli but apps/.
FOLDERS = {
    "base": "",
    "event": "base",
    "bloom": "base",
    "filter": "base event",
    "match": "base event bloom filter",
    "seal": "base event bloom filter match",
    "engine": "base event bloom filter match seal",
    "protocol": "base",
    "protocol/tree": "base protocol",
    "protocol/probe": "base protocol protocol/tree",
    "protocol/chord": "base protocol",
    "protocol/slots": "base protocol",
    "protocol/catalogue": "protocol protocol/tree protocol/probe protocol/chord protocol/slots",
    "runtime/sim": "base filter protocol protocol/probe protocol/chord protocol/slots "
                   "protocol/catalogue",
    "runtime/nats": "base protocol",
    "runtime": "",
    "store": "base event filter",
    "broker": "base event filter match seal engine store",
    "cluster": "base event filter match engine protocol/* runtime/* broker",
    "server": "base event filter engine broker cluster",
    "cli": "base event bloom filter match seal engine protocol/* runtime/* store broker cluster "
           "server",
}

# Folders that only the tests of a folder include besides.
TESTS_ALSO = {
    "protocol/chord": "protocol/probe",
    "protocol/slots": "protocol/probe",
    "runtime/sim": "protocol/tree",
    "runtime": "base protocol/* runtime/sim runtime/nats",
}

# Other places that include folders of src/.
OUTSIDE = {
    "apps": "cli",
    "include": "base event filter match engine",
    "labs": "base event bloom filter match",
    "tests": " ".join(FOLDERS),
}

# Third-party headers: pattern, where it may be included (places below src/), who it is.
FENCES = [
    (r"sqlite3", "store", "SQLite"),
    (r"nats(/|\.h)", "runtime/nats", "NATS"),
    (r"boost/(asio|beast)", "server", "Boost.Asio and Boost.Beast"),
    (r"CLI/", "cli", "CLI11"),
    (r"unicode/", "match", "ICU"),
    (r"libstemmer", "match", "libstemmer"),
    (r"nlohmann/", "", "nlohmann::json"),
    (r"openssl/", "server protocol", "OpenSSL"),
    (r"sodium", "broker seal server", "libsodium"),
]
TEST_ONLY = r"(gtest|gmock|benchmark)/"
JUDGE = r"simdjson"

THREADS = (r"(thread|mutex|shared_mutex|atomic|condition_variable|future|semaphore|barrier|latch"
           r"|stop_token|pthread\.h)$")
THREADS_IN = "server broker store runtime/nats"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
CMAKE_FOLDER = re.compile(r"^weir_folder\((\w+)([^)]*)\)", re.MULTILINE)
CMAKE_KEYWORDS = {"PCH", "PUBLIC_LIBS", "PRIVATE_LIBS", "TEST_LIBS"}


def names_in(allowed: str, folders: dict[str, str]) -> list[str]:
    """The folders that a line names; `protocol/*` is protocol and its sub-folders."""
    names = []
    for word in allowed.split():
        parent = word.removesuffix("/*")
        is_group = word != parent
        names += [name for name in folders if is_group and is_within(name, parent)] or [parent]
    return names


def folder_of(place: str, folders: dict[str, str]) -> str | None:
    """The line that is about a place below src/: the longest one."""
    return max((name for name in folders if is_within(place, name)), key=len, default=None)


def check_table(folders: dict[str, str]) -> list[str]:
    """A folder may name only folders above it, so there is no cycle."""
    errors, above = [], []
    for folder, allowed in folders.items():
        for name in names_in(allowed, folders):
            if name not in above:
                errors.append(f"tools/layers.py: {folder} names {name}, which is not above it")
        above.append(folder)
    return errors


def check_sub_folders(root: Path, folders: dict[str, str]) -> list[str]:
    """A folder with a sub-folder in the table has all its sub-folders there."""
    parents = {Path(name).parent for name in folders if "/" in name}
    places = {path.parent.relative_to(root / "src") for path in walk(root / "src", ".h", ".cc")}
    return [f"src/{place}: has no line in tools/layers.py" for place in sorted(places)
            if place.parent in parents and place.as_posix() not in folders]


def top_folders(folder: str, folders: dict[str, str]) -> list[str]:
    """The top folders that a top folder and its sub-folders name, without itself."""
    tops = []
    for place, allowed in folders.items():
        if is_within(place, folder):
            tops += [name.split("/")[0] for name in names_in(allowed, folders)]
    return [name for name in dict.fromkeys(tops) if name != folder]


def check_cmake(text: str, folders: dict[str, str]) -> list[str]:
    """The DEPS of a folder are its line in the table, less the folders that do not exist yet."""
    declared = {match[1]: match for match in CMAKE_FOLDER.finditer(text)}
    errors = []
    for folder, match in declared.items():
        where = f"src/CMakeLists.txt:{line_of(text, match.start())}"
        if folder not in folders:
            errors.append(f"{where}: {folder} is not in tools/layers.py")
            continue
        expected = [name for name in top_folders(folder, folders) if name in declared]
        deps = deps_of(match[2])
        if sorted(deps) != sorted(expected):
            errors.append(f"{where}: DEPS of {folder} are [{' '.join(deps)}], "
                          f"tools/layers.py says [{' '.join(expected)}]")
    return errors


def deps_of(arguments: str) -> list[str]:
    deps, inside = [], False
    for word in arguments.split():
        if word == "DEPS" or word in CMAKE_KEYWORDS:
            inside = word == "DEPS"
        elif inside:
            deps.append(word)
    return deps


def is_within(place: str, allowed: str) -> bool:
    return any(place == name or place.startswith(name + "/") for name in allowed.split())


def check_project_include(root: Path, path: Path, header: str) -> str | None:
    """A quoted include: it resolves from src/ or include/, and its folder is allowed. Labs also
    include their own headers, from labs/."""
    relative = path.relative_to(root)
    if relative.parts[0] == "labs" and (root / "labs" / header).is_file():
        return None
    if not any((root / base / header).is_file() for base in ("src", "include")):
        return f'"{header}" is no file below src/ or include/'
    if not (root / "src" / header).is_file():
        return None
    in_src = relative.parts[0] == "src"
    place = "/".join(relative.parent.parts[1:]) if in_src else relative.parts[0]
    own = folder_of(place, FOLDERS) if in_src else place
    target = folder_of(str(Path(header).parent.as_posix()), FOLDERS)
    allowed = {**FOLDERS, **OUTSIDE}.get(own)
    if allowed is None:
        return f"{relative.parts[1] if in_src else own} is not in tools/layers.py"
    if is_test_file(path):
        allowed += " " + TESTS_ALSO.get(own, "")
    if target != own and target not in names_in(allowed, FOLDERS):
        return f"{own} may not include {target}"
    if Path(header).stem.endswith("_testing") and own != "tests" and not is_test_file(path):
        return f'"{header}" is for tests only'
    return None


def check_system_include(root: Path, path: Path, header: str) -> str | None:
    """An include in angle brackets: the fences."""
    relative = path.relative_to(root)
    in_src = relative.parts[0] == "src"
    place = "/".join(relative.parent.parts[1:]) if in_src else relative.parts[0]
    in_test = is_test_file(path) or relative.parts[0] == "tests"
    for pattern, allowed, who in FENCES:
        if re.match(pattern, header) and not is_within(place, allowed):
            return f"{who} only in {allowed or 'other houses'}: <{header}>"
    if re.match(JUDGE, header) and not (in_test and is_within(place, "event")):
        return f"simdjson only in tests, fuzzers and benchmarks of event: <{header}>"
    if re.match(TEST_ONLY, header) and not in_test:
        return f"only in tests, fuzzers and benchmarks: <{header}>"
    if re.match(THREADS, header) and not in_test and not is_within(place, THREADS_IN):
        return f"threads only in {THREADS_IN}: <{header}>"
    if in_src and (root / "src" / header).is_file():
        return f'own headers are included with quotes: "{header}"'
    return None


def check_includes(root: Path) -> list[str]:
    errors = []
    for top in ("src", "apps", "include", "labs", "tests"):
        for path in walk(root / top, ".h", ".cc"):
            text = without_comments(path.read_text())
            for match in INCLUDE.finditer(text):
                check = check_project_include if match[1] == '"' else check_system_include
                message = check(root, path, match[2])
                if message:
                    place = f"{path.relative_to(root)}:{line_of(text, match.start(1))}"
                    errors.append(f"{place}: {message}")
    return errors


def check(root: Path) -> list[str]:
    cmake = (root / "src/CMakeLists.txt").read_text()
    return (check_table(FOLDERS) + check_sub_folders(root, FOLDERS) + check_cmake(cmake, FOLDERS)
            + check_includes(root))


if __name__ == "__main__":
    sys.exit(report(check(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))
