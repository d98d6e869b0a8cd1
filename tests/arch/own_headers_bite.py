"""own_headers.py finds the headers of the tree that a file lacks, and no others."""
import pathlib
import sys
import tempfile

from own_headers import OwnHeaders
from sources import Tree

FILES = {
    # What there is to be named.
    "core/shape.h": "namespace headscope { struct Shape { int rows; int depth() const; }; constexpr int kFirst = 1, kSecond = 2; }\n",
    "core/sum.h": '#include "core/shape.h"\nnamespace headscope { template <typename T>\nint sum(const T& values); int total(int first);\n'
                  "inline int Shape::depth() const { return 1; } }\n",
    "core/mean.h": "namespace headscope { class Mean; using Means = int; }\n",
    "core/mean_of.h": "namespace headscope { class Mean : public std::vector<int> { int mean, center; int size() const; }; enum class Way { plain, wide }; }\n",
    "core/assert.h": "#define REQUIRE(condition) \\\n  refuse(condition)\n",
    "app/ui/row.h": "namespace headscope::ui { int row(); int total(int first); }\n",
    "tests/made.h": "namespace headscope::test { struct Made {}; int sum(int of_a_test); int only_in_tests(); }\n",
    # Names without their headers.
    "core/bad.h": "namespace headscope { int all(const Shape& shape); }\n",
    "core/bad.cpp": '#include "core/mean_of.h"\nnamespace headscope { int a() { return sum(1) + kSecond; } Way b() { REQUIRE(true); } }\n',
    "core/whole.cpp": '#include "core/mean.h"\nnamespace headscope { int a(const Mean& mean) { return Mean{}.size(); } }\n',
    "core/access.cpp": '#include "core/mean.h"\nnamespace headscope { int a(const Mean& mean) { return mean.center + mean.size(); } }\n',
    "app/ui/bad.cpp": "namespace headscope::ui { namespace { int a = total(1); } }\nint b = headscope::ui::row();\n",
    "tests/bad_test.cpp": "namespace headscope { using namespace test; TEST_F(Made, Shape) { only_in_tests(); } }\n",
    # All of their names come from somewhere: their own header, headers of headers, the folder that they lie in.
    "core/good.h": '#include "core/sum.h"\n#include "core/mean_of.h"\n',
    "core/good.cpp": "namespace headscope { Shape a(Mean mean) { return {sum(mean)}; } }\n",
    "tests/good_test.cpp": '#include "made.h"\nnamespace headscope { TEST(Shape, Mean) { test::Made made; } }\n',
    # Their names are something else: text, comments, members, variables, names of other namespaces, of types that are
    # only declared, of the file itself, of a header that the file may not include.
    "core/other.cpp": '#include "core/mean.h"\nnamespace headscope { // sum\nconst char* a = "Shape"; char b = \'{\';\n'
                      "int c(int total) { int d = 1, sum; sum = d.kFirst + e->kSecond + total; return other::Way; }\n"
                      "class Shape; const Shape& f(Mean* mean); auto [Way, g] = c(1); int row(); int h = row();\n"
                      "int only_in_tests(std::Made); #define REQUIRE 1\nREQUIRE; }\n",
    "core/member.cpp": '#include "core/mean_of.h"\nnamespace headscope { int a = mean; }\n',
}
LACKING = {"core/bad.h": {"Shape"}, "core/bad.cpp": {"sum", "kSecond", "REQUIRE"}, "core/whole.cpp": {"Mean"}, "core/access.cpp": {"center"},
           "app/ui/bad.cpp": {"total", "row"}, "tests/bad_test.cpp": {"Made", "only_in_tests"}}

with tempfile.TemporaryDirectory() as root:
    for name, text in FILES.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    own_headers = OwnHeaders(Tree(root))
    found = {path: own_headers.missing(path) for path in own_headers.tree.files()}
    if {path: set(names) for path, names in found.items() if names} != LACKING:
        sys.exit(f"found {found}")
    if found["core/bad.cpp"]["sum"] != ["core/sum.h"] or found["app/ui/bad.cpp"]["total"] != ["app/ui/row.h", "core/sum.h"]:
        sys.exit(f"wrong headers: {found}")
