# SPDX-License-Identifier: Apache-2.0
"""A TypeScript client generated from /openapi.json compiles, and works with a real broker."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import npm_packages
from broker_program import Broker
from weir_program import ROOT

PACKAGES = {"openapi-fetch": "0.17.0", "openapi-typescript": "7.13.0", "typescript": "5.9.3"}
PROGRAM = ROOT / "tests/e2e/openapi_client.ts"
SECONDS_MAX = 200
COMPILER = {
    "compilerOptions": {
        "strict": True, "noEmitOnError": True, "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True, "target": "es2022", "module": "nodenext",
        "lib": ["es2022", "dom", "dom.iterable"], "types": [], "outDir": "out",
    },
    "files": ["api.ts", "openapi_client.ts"],
}


class OpenapiClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packages = npm_packages.install(PACKAGES)
        # Inside, so that the packages are found; by itself, so that tests may run side by side.
        folder = tempfile.TemporaryDirectory(dir=cls.packages, prefix="client-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.broker = cls.enterClassContext(Broker())
        cls.write_client()

    @classmethod
    def write_client(cls) -> None:
        (cls.folder / "api.json").write_text(cls.broker.request("GET", "/openapi.json").text)
        (cls.folder / "package.json").write_text('{"type":"module"}')
        (cls.folder / "tsconfig.json").write_text(json.dumps(COMPILER))
        (cls.folder / "openapi_client.ts").write_text(PROGRAM.read_text())

    def run_tool(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def tool(self, name: str) -> str:
        return str(self.packages / "node_modules/.bin" / name)

    def test_a_generated_client_compiles_and_works(self):
        self.run_tool(self.tool("openapi-typescript"), "api.json", "--output", "api.ts")
        self.run_tool(self.tool("tsc"), "--project", "tsconfig.json")
        said = self.run_tool("node", "out/openapi_client.js", self.broker.url)
        self.assertEqual(said.splitlines()[-1], "all is well")
        self.assertEqual(self.broker.request("GET", "/subscriptions").json(),
                         {"subscriptions": []})


if __name__ == "__main__":
    npm_packages.main()
