# SPDX-License-Identifier: Apache-2.0
"""Checks JSON values against the part of JSON Schema that the OpenAPI document uses.

Strict: an object has no member that its schema does not list, unless the schema says so with
additionalProperties. A keyword that is not known here is an error, never skipped.
"""

import datetime
import re
from typing import Any, Iterator

NOTES = {"description", "default", "example", "format"}
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
# By keyword: whether a value of the right type is within the limit.
LIMITS = {
    "minimum": (("integer", "number"), lambda value, limit: value >= limit),
    "maximum": (("integer", "number"), lambda value, limit: value <= limit),
    "minLength": (("string",), lambda value, limit: len(value) >= limit),
    "maxLength": (("string",), lambda value, limit: len(value) <= limit),
    "minItems": (("array",), lambda value, limit: len(value) >= limit),
    "maxItems": (("array",), lambda value, limit: len(value) <= limit),
    "minProperties": (("object",), lambda value, limit: len(value) >= limit),
    "maxProperties": (("object",), lambda value, limit: len(value) <= limit),
    "pattern": (("string",), lambda value, pattern: re.search(pattern, value) is not None),
}
KNOWN = NOTES | set(LIMITS) | {"$ref", "type", "enum", "properties", "required", "items",
                               "additionalProperties", "oneOf", "anyOf", "allOf", "nullable"}


def resolve(document: dict, node: dict) -> dict:
    """The node, or the component that it refers to."""
    while "$ref" in node:
        target: Any = document
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        node = target
    return node


def errors(document: dict, schema: dict, value: Any, place: str = "$") -> Iterator[str]:
    """Each way in which the value is not as the schema says, with its place."""
    schema = resolve(document, schema)
    if unknown := set(schema) - KNOWN:
        raise ValueError(f"{place}: keywords that are not known: {sorted(unknown)}")
    if value is None and schema.get("nullable"):
        return
    if "type" in schema and not TYPES[schema["type"]](value):
        yield f"{place}: expected {schema['type']}, found {value!r}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: expected one of {schema['enum']}, found {value!r}"
    for keyword, (types, holds) in LIMITS.items():
        if keyword in schema and any(TYPES[name](value) for name in types):
            if not holds(value, schema[keyword]):
                yield f"{place}: {keyword} is {schema[keyword]}, found {value!r}"
    if schema.get("format") == "date-time" and not is_time(value):
        yield f"{place}: expected a time, found {value!r}"
    yield from choice_errors(document, schema, value, place)
    if isinstance(value, dict):
        yield from member_errors(document, schema, value, place)
    if isinstance(value, list) and "items" in schema:
        for index, element in enumerate(value):
            yield from errors(document, schema["items"], element, f"{place}[{index}]")


def choice_errors(document: dict, schema: dict, value: Any, place: str) -> Iterator[str]:
    for one in schema.get("allOf", []):
        yield from errors(document, one, value, place)
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            tried = [list(errors(document, one, value, place)) for one in schema[keyword]]
            count = tried.count([])
            if count == 0 or count > 1 and keyword == "oneOf":
                yield f"{place}: {count} of {keyword} hold for {value!r}: {tried}"


def member_errors(document: dict, schema: dict, value: dict, place: str) -> Iterator[str]:
    for name in schema.get("required", []):
        if name not in value:
            yield f"{place}: no member {name}"
    listed = schema.get("properties", {})
    others = schema.get("additionalProperties", not listed)
    for name, member in value.items():
        if name in listed:
            yield from errors(document, listed[name], member, f"{place}.{name}")
        elif isinstance(others, dict):
            yield from errors(document, others, member, f"{place}.{name}")
        elif not others:
            yield f"{place}: a member {name} that the schema does not list"


def is_time(text: Any) -> bool:
    try:
        return datetime.datetime.fromisoformat(text).tzinfo is not None
    except (TypeError, ValueError):
        return False
