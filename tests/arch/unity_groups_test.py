"""What unity_groups.py takes for the names of a file, and which files it lets stand together."""
import os
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
        return unity_groups.groups(unity_groups.Headers(self.root), 8, files)

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
        for text in ("int kRow = 1;", "int *other, *kRow;", "struct Grid;", "int larger(int a) { return a; }", "using Row = int;"):
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

    def test_files_that_call_one_thing_by_one_short_name_stand_together(self):
        short = "using Json = nlohmann::json;"
        first = self.file("first.cpp", "namespace headscope { namespace { " + short + " } }\n")
        for text, together in ((short, True), ("using  Json =\n nlohmann::json;", True),
                               ("using Json = nlohmann::ordered_json;", False), ("struct Json {};", False),
                               (short + " int Json(int);", False)):
            second = self.file("second.cpp", "namespace headscope { namespace { " + text + " } }\n")
            self.assertEqual(self.groups(first, second), [[first, second]] if together else [], text)
        self.file("json.h", "namespace headscope { struct Json; }\n")
        second = self.file("second.cpp", f'#include "core/json.h"\nnamespace headscope {{ namespace {{ {short} }} }}\n')
        self.assertEqual(self.groups(first, second), [])
        self.assertEqual(self.groups(second, first), [])

    def test_a_third_file_does_not_bring_two_meanings_together(self):
        files = [self.file(f"{name}.cpp", f"namespace headscope {{ namespace {{ {text} }} }}\n")
                 for name, text in (("one", "using Json = A;"), ("two", "using Json = A;"), ("three", "using Json = B;"))]
        self.assertEqual(self.groups(*files), [files[:2]])

    def test_what_defines_a_member_or_takes_a_namespace_in_declares_no_name(self):
        source = unity_groups.Source(
            self.file("x.cpp", "namespace headscope { namespace { using namespace parts; static_assert(sizeof(int) == 4); "
                      "struct Reader { int whole(); }; int Reader::whole() { return 1; } } }\n"),
            unity_groups.Headers(self.root))
        self.assertEqual(source.own, {"Reader"})

    def test_a_call_must_not_come_to_mean_what_an_inner_namespace_declares(self):
        self.file("outer.h", "namespace headscope { int shortened(int); }\n")
        self.file("inner.h", "namespace headscope::ui { int shortened(int, int); }\n")
        outer = '#include "core/outer.h"\n'
        inner = '#include "core/inner.h"\n'
        calls = self.file("calls.cpp", outer + "namespace headscope::ui { int f() { return shortened(1); } }\n")
        sees = self.file("sees.cpp", inner + "namespace headscope::ui { int g() { return 1; } }\n")
        self.assertEqual(self.groups(calls, sees), [])
        self.assertEqual(self.groups(sees, calls), [])
        silent = self.file("silent.cpp", outer + "namespace headscope::ui { int h(Text t) { return t.shortened(1); } }\n")
        self.assertEqual(self.groups(silent, sees), [[silent, sees]])
        both = self.file("both.cpp", outer + inner + "namespace headscope::ui { int k() { return shortened(1, 2); } }\n")
        self.assertEqual(self.groups(both, sees, calls), [[both, sees]])

    def test_groups_that_are_full_take_what_would_stand_alone(self):
        files = [self.file(f"f{number}.cpp", f"int f{number};\n") for number in range(10)]
        self.assertEqual([len(group) for group in self.groups(*files)], [10])
        files += [self.file(f"g{number}.cpp", f"int g{number};\n") for number in range(10)]
        self.assertEqual(sorted(len(group) for group in self.groups(*files)), [10, 10])

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

    def test_a_comment_before_an_enum_is_no_part_of_its_name(self):
        self.file("shape.h", "// Letters.\n// More.\nenum class Axis : std::uint8_t { row };\n")
        first = self.file("first.cpp", "namespace { struct Axis {}; }\n")
        second = self.file("second.cpp", '#include "core/shape.h"\nint second;\n')
        self.assertEqual(self.groups(first, second), [])

    def test_what_sees_the_same_libraries_stands_together(self):
        plain = [self.file(f"p{number}.cpp", f"int p{number};\n") for number in range(8)]
        self.file("json.h", "#include <nlohmann/json.hpp>\n")
        json = [self.file(f"j{number}.cpp", f'#include "core/json.h"\nint j{number};\n') for number in range(8)]
        mixed = [path for pair in zip(plain, json) for path in pair]
        self.assertEqual(self.groups(*mixed), [plain, json])
        # A few of them alone are no reason for a group of their own.
        self.assertEqual(self.groups(*plain[:5], json[0], json[1]), [[*plain[:5], json[0], json[1]]])

    def test_remembered_names_of_headers_are_those_of_the_headers_there_are_now(self):
        known = {}
        for names in ({"Grid"}, {"Grid"}, {"Rows", "Cells"}):
            self.file("grid.h", "".join(f"struct {name} {{}};\n" for name in sorted(names)))
            headers = unity_groups.Headers(self.root, known)
            self.assertEqual(headers.seen_by(["core/grid.h"])[0], names)

    def kept(self, *files):
        """The groups of a build tree that remembers the ones before."""
        kept = unity_groups.Kept(self.root, self.root / "kept.json")
        found = kept.groups("core", 8, files)
        kept.write()
        return found

    def change(self, path, text):
        before = unity_groups.time_of_change(path)
        pathlib.Path(path).write_text(text)
        os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))

    def test_a_changed_or_new_file_leaves_its_group_and_stays_apart(self):
        files = [self.file(f"f{number}.cpp", f"int f{number};\n") for number in range(4)]
        self.assertEqual(self.kept(*files), [files])
        remembered = self.root / "kept.json"
        self.assertFalse(unity_groups.any_changed(remembered))
        self.change(files[1], "int f1 = 1;\n")
        self.assertTrue(unity_groups.any_changed(remembered))
        rest = [files[0], files[2], files[3]]
        for _ in range(2):
            self.assertEqual(self.kept(*files), [rest])
            self.assertFalse(unity_groups.any_changed(remembered))
        new = self.file("g.cpp", "int g;\n")
        self.assertEqual(self.kept(*files, new), [rest])
        self.assertEqual(self.kept(files[0], files[1], files[3]), [[files[0], files[3]]])

    def test_a_name_that_a_header_brings_separates_a_group_that_was(self):
        header = self.file("grid.h", "struct Grid {};\n")
        files = [self.file("first.cpp", "namespace { int rows; }\n"), self.file("second.cpp", "int second;\n"),
                 self.file("third.cpp", '#include "core/grid.h"\nint third;\n')]
        self.assertEqual(self.kept(*files), [files])
        self.change(header, "extern int rows;\n")
        self.assertEqual(self.kept(*files), [files[:2]])

    def test_many_changed_files_are_grouped_anew(self):
        files = [self.file(f"f{number}.cpp", f"int f{number};\n") for number in range(unity_groups.MANY + 8)]
        before = self.kept(*files)
        for path in files[:unity_groups.MANY]:
            self.change(path, "// Changed.\n" + pathlib.Path(path).read_text())
        self.assertEqual(self.kept(*files), [files[unity_groups.MANY:]])
        self.change(files[-1], "int other;\n")
        self.assertEqual(self.kept(*files), before)

    def test_a_macro_keeps_a_file_alone(self):
        b = self.file("b.cpp", "int b;\n")
        self.assertEqual(self.groups(self.file("a.cpp", "#define WIDTH 4\n"), b), [])
        self.assertEqual(self.groups(self.file("a.cpp", "#undef WIDTH\n#define WIDTH 4\n"), b), [])
        whole = self.file("c.cpp", "#define WIDTH 4\nint c = WIDTH;\n#undef WIDTH\n")
        self.assertEqual(self.groups(whole, b), [[whole, b]])


if __name__ == "__main__":
    unittest.main()
