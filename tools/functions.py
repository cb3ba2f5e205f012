# SPDX-License-Identifier: Apache-2.0
"""Finds C++ functions and their lengths by counting braces; enough for formatted code.

Input is code without comments and strings. A `{` outside of functions opens a scope (namespace,
class, enum), a function (its head has parentheses), or an initialiser, which a formatter writes
without a space before the brace.
"""

import re
from typing import Iterator, NamedTuple

TEMPLATE = re.compile(r"\btemplate\s*<[^{}();]*>\s*(?:requires\b[^{}();]*?\s)?")
LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]", re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
SCOPE = re.compile(r"(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b")
ASSIGNMENT = re.compile(r"(?<!operator)(?<![=!<>+\-*/|&^])=(?!=)")


class Function(NamedTuple):
    name: str
    line: int
    line_count: int


def kind_of(head: str) -> str:
    """What the brace after this head opens: 'scope', 'function' or 'value'."""
    head = TEMPLATE.sub("", ATTRIBUTE.sub("", LABEL.sub("", head))).strip()
    if SCOPE.match(head):
        return "scope"
    before_parenthesis, parenthesis, _ = head.partition("(")
    if not parenthesis or ASSIGNMENT.search(before_parenthesis):
        return "value"
    return "function"


def name_of(head: str) -> str:
    match = re.search(r"(~?[\w:]+|operator[^\w\s]+)\s*\(", head)
    return match[1] if match else "function"


def find_functions(code: str) -> Iterator[Function]:
    # A macro's body is not a function, and its braces need not balance.
    code = PREPROCESSOR.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), code)
    stack: list[tuple[str, int, str]] = []  # kind, first line of the head, name
    head_start, line = 0, 1
    for index, char in enumerate(code):
        inside = any(kind != "scope" for kind, _, _ in stack)
        if char == "\n":
            line += 1
        elif char == "{":
            head = code[head_start:index]
            is_value = index > 0 and (code[index - 1].isalnum() or code[index - 1] in "_>])")
            kind = "value" if inside or is_value else kind_of(head)
            stack.append((kind, line - head.strip().count("\n"), name_of(head)))
            if kind == "scope":
                head_start = index + 1
        elif char == "}" and stack:
            kind, first_line, name = stack.pop()
            if kind == "function":
                yield Function(name, first_line, line - first_line + 1)
            if kind != "value":
                head_start = index + 1
        elif char == ";" and not inside:
            head_start = index + 1
