"""What unity_groups.py takes for the names of a file, and which files it lets stand together."""
import pathlib
import tempfile
import unittest

import unity_groups

FIRST = """
#include "core/first.h"
namespace headscope {
namespace {
constexpr int kGap = 4, kRow = sum(1, 2), kEnd[] = {1, 2};
[[noreturn]] void refuse(int value) { throw value; }
template <typename T, typename U>
T larger(T a, U b) {
  const int local = a;
  return local;
}
struct Grid {
  int rows = 0;
};
using Row = std::vector<int>;
}  // namespace
int shown(const char* text) { return text[0] == '{' ? kGap : kRow; }
}  // namespace headscope
"""
KEPT = {"kGap", "kRow", "kEnd", "refuse", "larger", "Grid", "Row"}


class UnityGroups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "core").mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        path = self.root / "core" / name
        path.write_text(text)
        return str(path)

    def groups(self, *files):
        return unity_groups.groups(self.root, 8, files)

    def test_names_that_a_file_keeps_to_itself(self):
        source = unity_groups.Source(self.file("first.cpp", FIRST))
        self.assertEqual(source.own, KEPT)
        self.assertEqual(source.declared, KEPT | {"shown"})

    def test_files_that_share_no_name_stand_together(self):
        first = self.file("first.cpp", FIRST)
        second = self.file("second.cpp", "namespace headscope { namespace { int other; } }\n")
        self.assertEqual(self.groups(first, second), [[first, second]])

    def test_files_that_share_a_name_do_not(self):
        first = self.file("first.cpp", FIRST)
        for text in ("int kRow = 1;", "struct Grid;", "int larger(int a) { return a; }", "using Row = int;"):
            second = self.file("second.cpp", "namespace headscope { namespace { " + text + " } }\n")
            self.assertEqual(self.groups(first, second), [], text)

    def test_a_name_of_a_header_keeps_a_file_alone(self):
        first = self.file("first.cpp", FIRST)
        second = self.file("second.cpp", "int other;\n")
        self.file("grid.h", "namespace headscope { struct Grid { int columns; }; }\n")
        self.assertEqual(self.groups(first, second), [])

    def test_remembered_names_of_headers_are_those_of_the_headers_there_are_now(self):
        kept = self.root / "kept.json"
        self.file("grid.h", "struct Grid { int columns; };\n")
        self.assertEqual(unity_groups.names_of_headers(self.root, kept), {"Grid"})
        self.assertEqual(unity_groups.names_of_headers(self.root, kept), {"Grid"})
        self.file("row.h", "using Row = int;\n")
        self.assertEqual(unity_groups.names_of_headers(self.root, kept), {"Grid", "Row"})

    def test_a_macro_keeps_a_file_alone(self):
        self.assertEqual(self.groups(self.file("a.cpp", "#define WIDTH 4\n"), self.file("b.cpp", "int b;\n")), [])


if __name__ == "__main__":
    unittest.main()
