# SPDX-License-Identifier: Apache-2.0
"""tools/openapi.py joins pieces, adds common responses, and refuses what is no document."""

import json
import tempfile
import unittest
from pathlib import Path

import openapi

ROOT = Path(__file__).resolve().parent.parent
OPENING = {
    "openapi": "3.0.3",
    "security": [{"bearer": []}],
    openapi.COMMON: {"all": {"400": {"description": "wrong"}},
                     "secured": {"401": {"description": "who?"}},
                     "identified": {"404": {"description": "where?"}},
                     "with_body": {"413": {"description": "long"}}},
    "components": {"schemas": {}},
}


def operation(name: str, **members) -> dict:
    return {"operationId": name, "responses": {"200": {"description": "ok"}}, **members}


class OpenapiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("document", OPENING)

    def write(self, name: str, piece: dict | str) -> None:
        text = piece if isinstance(piece, str) else json.dumps(piece)
        (self.folder / f"{name}.json").write_text(text)

    def make(self) -> dict:
        return openapi.make(list(self.folder.glob("*.json")))

    def assert_refused(self, message: str) -> None:
        with self.assertRaises(openapi.DocumentError) as raised:
            self.make()
        self.assertIn(message, str(raised.exception))

    def test_joins_paths_and_components(self):
        text = {"type": "string"}
        body = {"schema": {"$ref": "#/components/schemas/A"}}
        self.write("a", {"paths": {"/a": {"get": operation("getA", x=body)}}})
        self.write("b", {"paths": {"/b": {"get": operation("getB")}},
                         "components": {"schemas": {"A": text}}})
        document = self.make()
        self.assertEqual(list(document["paths"]), ["/a", "/b"])
        self.assertEqual(document["components"]["schemas"], {"A": text})
        self.assertNotIn(openapi.COMMON, document)

    def test_adds_the_responses_that_an_operation_can_give(self):
        own = {"400": {"description": "its own"}, "200": {"description": "ok"}}
        self.write("a", {"paths": {
            "/open": {"get": operation("getOpen", security=[], responses=own)},
            "/a/{id}": {"post": operation("postA", requestBody={})}}})
        paths = self.make()["paths"]
        self.assertEqual(list(paths["/open"]["get"]["responses"]), ["200", "400"])
        self.assertEqual(paths["/open"]["get"]["responses"]["400"], {"description": "its own"})
        self.assertEqual(list(paths["/a/{id}"]["post"]["responses"]),
                         ["200", "400", "401", "404", "413"])

    def test_refuses_what_is_given_twice(self):
        self.write("a", {"paths": {"/a": {"get": operation("getA")}}})
        self.write("b", {"paths": {"/a": {"put": operation("putA")}}})
        self.assert_refused("b.json: paths /a is in another piece already")
        self.write("b", '{"paths":{},"paths":{}}')
        self.assert_refused("b.json: 'paths' is given twice")
        self.write("b", "{\n,")
        self.assert_refused("b.json:2:")

    def test_refuses_loose_ends(self):
        self.write("a", {"paths": {"/a": {"get": operation(
            "getA", x={"$ref": "#/components/schemas/No"})}}})
        self.assert_refused("#/components/schemas/No does not exist")
        self.write("a", {"paths": {"/a": {"get": operation("getA")}},
                         "components": {"schemas": {"B": {}}}})
        self.assert_refused("#/components/schemas/B is not used")
        self.write("a", {"paths": {"/a": {"get": operation("x"), "put": operation("x")}}})
        self.assert_refused("put /a: expected an operationId of its own")

    def test_the_literals_of_the_program_are_the_document(self):
        pieces = list((ROOT / "src/server/openapi").glob("*.json"))
        document = openapi.make(pieces)
        text = openapi.to_cpp(document)
        parts = text.split('R"json(')[1:]
        self.assertEqual(json.loads("".join(part.split(')json"')[0] for part in parts)), document)


if __name__ == "__main__":
    unittest.main()
