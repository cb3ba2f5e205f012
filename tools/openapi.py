#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/openapi.py OUT PIECE...: makes the OpenAPI document of src/server/openapi/*.json.

Each piece has the paths of one area and the components that they use; document.json has the rest.
A path, method or component may stand in one piece only. Responses that the server gives on every
route are listed once, in x-common-responses, and added to each operation that can give them.

OUT is C++ if it ends in .cc, else JSON; "-" prints JSON.
"""

import json
import sys
from pathlib import Path
from typing import Iterator

METHODS = ("get", "put", "post", "delete", "patch")
COMMON = "x-common-responses"
# A string literal of C++ may be refused beyond 64 KiB.
LITERAL_CHARACTERS = 8000


class DocumentError(Exception):
    """The pieces do not make a document."""


def read_piece(path: Path) -> dict:
    def unique(pairs: list) -> dict:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise DocumentError(f"{path.name}: '{name}' is given twice")
        return dict(pairs)

    try:
        return json.loads(path.read_text(), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise DocumentError(f"{path.name}:{error.lineno}: {error.msg}") from error


def add(target: dict, piece: dict, name: str, place: tuple[str, ...] = ()) -> None:
    """Adds the members of a piece to those of the others."""
    for key, value in piece.items():
        here = (*place, key)
        is_list = here in (("paths",), ("components",)) or place == ("components",)
        if is_list:
            add(target.setdefault(key, {}), value, name, here)
        elif key in target:
            raise DocumentError(f"{name}: {' '.join(here)} is in another piece already")
        else:
            target[key] = value


def operations(document: dict) -> Iterator[tuple[str, str, dict]]:
    """Each path, method and operation."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def add_common_responses(document: dict) -> None:
    common = document.pop(COMMON)
    for path, method, operation in operations(document):
        groups = {
            "all": True,
            "secured": operation.get("security", document["security"]) != [],
            "identified": "{" in path,
            "with_body": "requestBody" in operation,
        }
        responses = operation["responses"]
        for group, holds in groups.items():
            if holds:
                responses.update({k: v for k, v in common[group].items() if k not in responses})
        operation["responses"] = dict(sorted(responses.items()))


def references(node) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from references(inner)


def check(document: dict) -> None:
    """Every reference leads somewhere, every component is used, every operation has one name."""
    known = {f"#/components/{kind}/{name}" for kind, named in document["components"].items()
             for name in named if kind != "securitySchemes"}
    used = set(references(document))
    for reference in sorted(used - known):
        raise DocumentError(f"{reference} does not exist")
    for reference in sorted(known - used):
        raise DocumentError(f"{reference} is not used")
    ids = set()
    for path, method, operation in operations(document):
        name = operation.get("operationId")
        if not name or name in ids:
            raise DocumentError(f"{method} {path}: expected an operationId of its own")
        ids.add(name)


def make(pieces: list[Path]) -> dict:
    document = {}
    # The opening members first.
    for path in sorted(pieces, key=lambda path: (path.name != "document.json", path.name)):
        add(document, read_piece(path), path.name)
    add_common_responses(document)
    check(document)
    return document


def to_cpp(document: dict) -> str:
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    parts = [text[i:i + LITERAL_CHARACTERS] for i in range(0, len(text), LITERAL_CHARACTERS)]
    literals = "".join(f'    R"json({part})json",\n' for part in parts)
    return ("// Made by tools/openapi.py.\n"
            '#include "server/openapi.h"\n\n'
            "#include <string>\n\n"
            "namespace weir::server {\n\n"
            "std::string_view openapi_document() {\n"
            "  static constexpr std::string_view kParts[] = {\n"
            f"{literals}"
            "  };\n"
            "  static const std::string kDocument = [] {\n"
            "    std::string joined;\n"
            "    for (const std::string_view part : kParts) joined += part;\n"
            "    return joined;\n"
            "  }();\n"
            "  return kDocument;\n"
            "}\n\n"
            "}  // namespace weir::server\n")


def main(arguments: list[str]) -> int:
    out, *pieces = arguments
    try:
        document = make([Path(piece) for piece in pieces])
    except DocumentError as error:
        print(f"tools/openapi.py: {error}", file=sys.stderr)
        return 1
    text = to_cpp(document) if out.endswith(".cc") else json.dumps(document, indent=1) + "\n"
    if out == "-":
        sys.stdout.write(text)
    else:
        Path(out).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
