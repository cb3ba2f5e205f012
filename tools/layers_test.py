# SPDX-License-Identifier: Apache-2.0
"""tools/layers.py finds what it must find, and nothing in a sound tree."""

import tempfile
import unittest
from pathlib import Path

import layers

CMAKE = "weir_folder(base)\nweir_folder(event DEPS base TEST_LIBS x)\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/CMakeLists.txt", CMAKE)
        self.write("src/base/result.h", "")
        self.write("src/base/cases_testing.h", "")
        self.write("src/event/event.h", '#include "base/result.h"\n')

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def errors_with(self, path, text):
        self.write(path, text)
        return layers.check(self.root)

    def assert_error(self, path, text, expected):
        errors = self.errors_with(path, text)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(expected, errors[0])


class LayersTest(Tree):
    def test_a_sound_tree_has_no_errors(self):
        self.assertEqual(layers.check(self.root), [])

    def test_a_folder_may_not_include_one_above_it(self):
        self.assert_error("src/base/a.cc", '\n#include "event/event.h"\n',
                          "src/base/a.cc:2: base may not include event")

    def test_an_include_must_be_a_file(self):
        self.assert_error("src/event/a.cc", '#include "event/absent.h"\n', "is no file")

    def test_labs_include_their_own_headers_and_what_the_table_names(self):
        self.write("labs/000/log.h", "")
        self.assertEqual(self.errors_with(
            "labs/000/a.cc", '#include "000/log.h"\n#include "base/result.h"\n'), [])
        self.write("src/engine/engine.h", "")
        self.assert_error("labs/000/a.cc", '#include "engine/engine.h"\n',
                          "labs may not include engine")

    def test_an_include_in_a_comment_does_not_count(self):
        self.assertEqual(self.errors_with("src/base/a.cc", '// #include "event/event.h"\n'), [])

    def test_testing_headers_are_for_tests(self):
        text = '#include "base/cases_testing.h"\n'
        self.assertEqual(self.errors_with("src/event/a_test.cc", text), [])
        self.assert_error("src/event/a.cc", text, "for tests only")

    def test_apps_include_only_the_command(self):
        self.assert_error("apps/weir_main.cc", '#include "event/event.h"\n',
                          "apps may not include event")

    def test_own_headers_are_quoted(self):
        self.assert_error("src/event/a.cc", "#include <base/result.h>\n", "with quotes")


class FencesTest(Tree):
    def test_third_party_headers_stay_in_their_folder(self):
        for header, allowed in {
            "sqlite3.h": "store", "nats/nats.h": "runtime/nats", "boost/beast/http.hpp": "server",
            "CLI/CLI.hpp": "cli", "unicode/brkiter.h": "match", "libstemmer.h": "match",
            "openssl/ssl.h": "server", "sodium.h": "seal",
        }.items():
            with self.subTest(header):
                text = f"#include <{header}>\n"
                self.assert_error("src/event/a.cc", text, f"<{header}>")
                self.write("src/event/a.cc", "")
                self.assertEqual(self.errors_with(f"src/{allowed}/a.cc", text), [])

    def test_some_headers_are_allowed_nowhere(self):
        self.assert_error("src/cli/a.cc", "#include <nlohmann/json.hpp>\n", "nlohmann")

    def test_simdjson_is_only_a_judge(self):
        self.assertEqual(self.errors_with("src/event/a_bench.cc", "#include <simdjson.h>\n"), [])
        self.assert_error("src/event/a.cc", "#include <simdjson.h>\n", "simdjson only")

    def test_threads_are_for_the_upper_folders_and_tests(self):
        self.assertEqual(self.errors_with("src/event/a_test.cc", "#include <thread>\n"), [])
        self.assertEqual(self.errors_with("src/server/a.cc", "#include <mutex>\n"), [])
        self.assert_error("src/event/a.cc", "#include <atomic>\n", "threads only")


class TableTest(Tree):
    def test_a_table_may_not_point_up(self):
        self.assertEqual(layers.check_table({"base": "", "event": "base"}), [])
        self.assertTrue(layers.check_table({"base": "event", "event": "base"}))

    def test_a_sub_folder_has_a_line_of_its_own(self):
        self.write("src/protocol/ring.h", "")
        self.write("src/protocol/chord/ring_table.h", '#include "protocol/ring.h"\n')
        self.write("src/protocol/probe/messages.h", "")
        self.assertEqual(layers.check(self.root), [])
        self.assert_error("src/protocol/ring.cc", '#include "protocol/chord/ring_table.h"\n',
                          "protocol may not include protocol/chord")
        self.write("src/protocol/ring.cc", "")
        text = '#include "protocol/probe/messages.h"\n'
        self.assertEqual(self.errors_with("src/protocol/chord/a_test.cc", text), [])
        self.assertEqual(self.errors_with("src/cli/a.cc", text), [])
        self.assert_error("src/protocol/chord/a.cc", text,
                          "protocol/chord may not include protocol/probe")
        self.write("src/protocol/chord/a.cc", "")
        self.assert_error("src/protocol/attic/a.cc", "", "src/protocol/attic: has no line")

    def test_cmake_has_the_folders_that_sub_folders_name(self):
        table = {"base": "", "event": "base", "protocol": "", "protocol/tree": "base protocol",
                 "runtime/sim": "event protocol/*", "runtime": ""}
        cmake = "weir_folder(base)\nweir_folder(event DEPS base)\nweir_folder(protocol{})\n" \
                "weir_folder(runtime DEPS event protocol)\n"
        self.assertEqual(layers.check_table(table), [])
        self.assertEqual(layers.check_cmake(cmake.format(" DEPS base"), table), [])
        self.assertEqual(len(layers.check_cmake(cmake.format(""), table)), 1)

    def test_cmake_must_agree(self):
        self.assert_error("src/CMakeLists.txt", "weir_folder(base)\nweir_folder(event)\n",
                          "src/CMakeLists.txt:2: DEPS of event")
        self.assert_error("src/CMakeLists.txt", "weir_folder(attic)\n", "attic is not in")


if __name__ == "__main__":
    unittest.main()
