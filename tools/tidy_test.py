# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py finds what it must find, and nothing in a sound tree."""

import tempfile
import unittest
from pathlib import Path

import tidy
from functions import find_functions
from tree import code_only

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = LICENCE + "// Cells: what a filter is made of.\n#pragma once\nnamespace weir::bloom {}\n"


def source(body):
    return LICENCE + "namespace weir::bloom {\n" + body + "}\n"


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def errors_of(self, path, text):
        full_path = self.root / path
        full_path.parent.mkdir(parents=True, exist_ok=True)
        full_path.write_text(text)
        errors = tidy.check(self.root)
        full_path.unlink()
        return errors

    def assert_clean(self, path, text):
        self.assertEqual(self.errors_of(path, text), [])

    def assert_error(self, path, text, expected):
        errors = self.errors_of(path, text)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(expected, errors[0])

    def test_sound_files_have_no_errors(self):
        self.assert_clean("src/bloom/cells.h", HEADER)
        self.assert_clean("src/bloom/cells.cc", source("int f() { return 1; }\n"))
        self.assert_clean("tools/x.py", "# SPDX-License-Identifier: Apache-2.0\n")

    def test_labs_are_numbered_and_pure(self):
        lab = LICENCE + "namespace weir::lab {\nint f();\n}\n"
        self.assert_clean("labs/000/cells.cc", lab)
        self.assert_error("labs/000/Cells.cc", lab, "snake_case")
        self.assert_error("labs/0/cells.cc", lab, "name '0' is not snake_case")
        self.assert_error("labs/000/cells.cc", source("int f();\n"), "no namespace weir::lab")
        printing = lab.replace("int f();", "void f() { fmt::print(); }")
        self.assert_error("labs/000/cells.cc", printing, "no printing")
        self.assert_clean("labs/000/lab_main.cc", printing)
        timing = lab.replace("int f();", "void f() { clock_gettime(); }")
        self.assert_error("labs/000/cells.cc", timing, "no clock")
        self.assert_clean("labs/000/lab_main.cc", timing)
        self.assert_error("labs/000/lab_main.cc", lab.replace("f()", "f(std::mt19937)"), "chance")

    def test_files_have_a_longest_length(self):
        long = source("int x;\n" * 600)
        self.assert_error("src/bloom/cells.cc", long, "lines, at most 600")
        self.assert_clean("src/bloom/cells_test.cc", long)
        self.assert_error("tools/x.sh", "# SPDX-License-Identifier: Apache-2.0\n" + "a\n" * 600,
                          "lines, at most 600")

    def test_lines_have_a_longest_length(self):
        self.assert_clean("src/bloom/cells.cc", source("/" * 100 + "\n"))
        self.assert_error("src/bloom/cells.cc", source("/" * 101 + "\n"), "cells.cc:3: 101 columns")

    def test_functions_have_a_longest_length(self):
        self.assert_clean("src/bloom/cells.cc", source("void f() {\n" + "g();\n" * 68 + "}\n"))
        self.assert_error("src/bloom/cells.cc", source("void f() {\n" + "g();\n" * 69 + "}\n"),
                          "cells.cc:3: f has 71 lines")

    def test_files_open_as_they_must(self):
        self.assert_error("src/bloom/cells.h", HEADER.replace("Apache-2.0", "MIT"), "SPDX")
        self.assert_error("src/bloom/cells.h", HEADER.replace("#pragma once\n", ""), "#pragma")
        self.assert_error("src/bloom/cells.h", LICENCE + "#pragma once\nnamespace weir::bloom {}\n",
                          "opens with a comment")
        self.assert_error("tools/x.py", "print()\n", "SPDX")

    def test_names_are_snake_case(self):
        self.assert_error("src/bloom/timerBloom.cc", source(""), "not snake_case")

    def test_the_namespace_is_the_folder(self):
        self.assert_error("src/event/cells.cc", source(""), "no namespace weir::event")
        self.assert_clean("src/event/cells_fuzz.cc", LICENCE + "int f();\n")
        self.assert_clean("src/event/all.h", LICENCE + "// All.\n#pragma once\n#include <set>\n")

    def test_pure_folders_have_bans(self):
        for line, expected in {
            "auto t = std::chrono::steady_clock::now();": "clock",
            "auto t = time(nullptr);": "clock",
            "std::random_device r;": "Prng",
            "std::uniform_int_distribution<int> d(0, 1);": "Prng",
            "std::mt19937 r;": "Prng",
            "auto h = std::hash<int>{}(1);": "std::hash",
            "std::this_thread::sleep_for(x);": "sleeping",
            "std::mutex m;": "threads",
            "std::printf(x);": "printing",
            "fmt::print(x);": "printing",
            "std::cout << 1;": "printing",
        }.items():
            with self.subTest(line):
                text = source(f"void f() {{\n{line}\n}}\n")
                self.assert_error("src/bloom/cells.cc", text, expected)
                self.assert_clean("src/bloom/cells_test.cc", text)
                self.assert_clean("src/server/cells.cc", text.replace("bloom", "server"))

    def test_bans_do_not_read_comments_or_strings_or_longer_names(self):
        self.assert_clean("src/bloom/cells.cc", source(
            "// std::cout is banned\nauto s = \"std::mutex\";\nauto t = event.time();\n"
            "std::string r = R\"(printf(\")\";\nint n = 1'000;\n"))

    def test_unordered_containers_are_not_iterated(self):
        text = source("std::unordered_map<int, int> seen;\n"
                      "void f() { for (auto& x : seen) g(x); }\n")
        self.assert_error("src/bloom/cells.cc", text, "the order of seen")

    def test_nothing_is_parked(self):
        self.assert_error("docs/a.md", "TO" "DO later\n", "finish it")
        self.assert_error("src/bloom/cells.cc", source("// f" "(x);\n"), "commented-out")
        self.assert_clean("src/bloom/cells.cc", source("//   f(x);\n// it ends; then it\n"))

    def test_no_path_of_one_machine(self):
        self.assert_error("docs/a.md", "see /ho" "me/ann/x\n", "path of one machine")
        self.assert_clean("docs/a.md", "see https://example.org/ho" "me/ann\n")

    def test_links_resolve(self):
        self.assert_error("docs/a.md", "[b](b.md)\n", "docs/a.md:1: link to 'b.md'")
        self.assert_clean("docs/a.md", "[a](a.md#top) [b](https://x.org) [c](#here)\n")


class FunctionsTest(unittest.TestCase):
    def names(self, code):
        return [function.name for function in find_functions(code_only(code))]

    def test_finds_functions_among_other_braces(self):
        self.assertEqual(self.names("""
            namespace a {
            struct S : public B<int> {
              S() : x_{1}, y_{f()} {}
              explicit S(int x) : x_(x) { if (x) { g(); } }
              bool operator==(const S&) const = default;
             private:
              int x_{0};
            };
            template <class T, int N> requires C<T> auto h(T x = T{}) -> T { return {}; }
            constexpr int kTable[] = {1, 2};
            const auto kF = [](int x) { return x; };
            enum class E { kA, kB };
            #define M(x) do { x
            TEST(STest, Works) { EXPECT_TRUE(true); }
            }  // namespace a
            """), ["S", "S", "h", "TEST"])

    def test_counts_from_the_head_to_the_last_brace(self):
        (function,) = find_functions("int f(int a,\n      int b) {\n  return a;\n}\n")
        self.assertEqual((function.line, function.line_count), (1, 4))


if __name__ == "__main__":
    unittest.main()
