# SPDX-License-Identifier: Apache-2.0
"""tools/readme_check.py runs what is printed and notices what is wrong."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import readme_check

README = """# Title
```sh
echo one > file
```
Words.

```sh
cat file
```

```text
one
```
```cpp
not run
```
"""


class ReadmeCheckTest(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            return readme_check.check(text, Path(folder))

    def test_finds_scripts_and_their_output(self):
        self.assertEqual(readme_check.blocks_of(README), [
            readme_check.Block(2, "echo one > file\n", None),
            readme_check.Block(7, "cat file\n", "one\n"),
        ])

    def test_blocks_build_on_each_other(self):
        self.assertTrue(self.check(README))

    def test_a_wrong_output_fails(self):
        self.assertFalse(self.check(README.replace("```text\none", "```text\ntwo")))

    def test_a_failing_command_fails(self):
        self.assertFalse(self.check("```sh\nfalse\ntrue\n```\n"))
        self.assertFalse(self.check("```sh\nfalse | cat\n```\n"))


if __name__ == "__main__":
    unittest.main()
