# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document as a judge: whether answers of a broker are among those it describes."""

import json
import re
import sys
from collections import Counter
from typing import NamedTuple

import json_schema
from weir_program import ROOT

sys.path.append(str(ROOT / "tools"))
import openapi  # noqa: E402  (below tools/)

# So many answers of a kind are looked at closely in one run; a load test has thousands.
CHECKED_MAX = 50
BODY = re.compile(r"[^;]*")


class Operation(NamedTuple):
    path: str
    method: str
    members: dict

    @property
    def name(self) -> str:
        return self.members["operationId"]


class Contract:
    def __init__(self, document: dict):
        self.document = document
        self.checked = Counter()
        self.operations = [Operation(path, method.upper(), members)
                           for path, method, members in openapi.operations(document)]

    @classmethod
    def of_tree(cls) -> "Contract":
        return cls(openapi.make(list((ROOT / "src/server/openapi").glob("*.json"))))

    def find(self, method: str, target: str) -> Operation | None:
        """The operation of a request; None if no route or method is that."""
        path = target.split("?")[0]
        method = "GET" if method == "HEAD" else method
        for operation in self.operations:
            pattern = re.sub(r"\{\w+\}", "[^/]+", operation.path)
            if operation.method == method and re.fullmatch(pattern, path):
                return operation
        return None

    def named(self, name: str) -> Operation:
        return next(operation for operation in self.operations if operation.name == name)

    def errors(self, method: str, target: str, status: int, media_type: str | None,
               text: str | None) -> list[str]:
        """Each way in which an answer is not one of its operation's; none without an operation."""
        operation = self.find(method, target)
        if not operation:
            return []
        self.checked[operation.name, status] += 1
        if self.checked[operation.name, status] > CHECKED_MAX:
            return []
        place = f"{operation.name} {status}"
        described = operation.members["responses"].get(str(status))
        if not described:
            return [f"{place}: the document has no such status"]
        return list(self.content_errors(place, described, media_type, text, method == "HEAD"))

    def content_errors(self, place: str, described: dict, media_type: str | None,
                       text: str | None, is_head: bool):
        content = json_schema.resolve(self.document, described).get("content", {})
        kind = BODY.match(media_type)[0].strip() if media_type else None
        if kind not in content and (kind or content):
            yield f"{place}: the media type {kind} is none of {list(content)}"
        elif kind and kind.endswith("json") and text is not None and not is_head:
            schema = content[kind]["schema"]
            yield from json_schema.errors(self.document, schema, json.loads(text), place)
