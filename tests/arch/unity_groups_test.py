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
        source = unity_groups.Source(self.file("first.cpp", FIRST), unity_groups.Headers(self.root))
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

    def test_a_name_of_a_header_that_one_of_them_sees_separates_files(self):
        first = self.file("first.cpp", FIRST)
        self.file("grid.h", "namespace headscope { struct Grid { int columns; }; }\n")
        self.file("table.h", '#include "core/grid.h"\n')
        far = self.file("far.cpp", "int far;\n")
        self.assertEqual(self.groups(first, far), [[first, far]])
        for header in ("grid.h", "table.h"):
            near = self.file("near.cpp", f'#include "core/{header}"\nint other;\n')
            self.assertEqual(self.groups(first, near), [], header)
            self.assertEqual(self.groups(near, first), [], header)

    def test_a_header_that_both_of_them_see_separates_files_too(self):
        self.file("first.h", "namespace headscope { int larger(int a); }\n")
        first = self.file("first.cpp", FIRST)
        second = self.file("second.cpp", '#include "core/first.h"\nint other = headscope::larger(1);\n')
        self.assertEqual(self.groups(first, second), [])

    def test_types_of_one_name_in_two_headers_separate_files(self):
        self.file("grid.h", "namespace headscope { class Grid { int columns; }; }\n")
        self.file("test_grid.h", "namespace headscope::test { class Grid { int rows; }; }\n")
        files = [self.file(f"{name}.cpp", f'#include "core/{header}"\nint {name};\n')
                 for name, header in (("a", "grid.h"), ("b", "test_grid.h"), ("c", "grid.h"))]
        self.assertEqual(self.groups(*files), [[files[0], files[2]]])

    def test_remembered_names_of_headers_are_those_of_the_headers_there_are_now(self):
        kept = self.root / "kept.json"
        for names in ({"Grid"}, {"Grid"}, {"Rows", "Cells"}):
            self.file("grid.h", "".join(f"struct {name} {{}};\n" for name in sorted(names)))
            headers = unity_groups.Headers(self.root, kept)
            self.assertEqual(headers.seen_by('#include "core/grid.h"\n')[0], names)
            headers.remember()

    def test_a_macro_keeps_a_file_alone(self):
        self.assertEqual(self.groups(self.file("a.cpp", "#define WIDTH 4\n"), self.file("b.cpp", "int b;\n")), [])


if __name__ == "__main__":
    unittest.main()
