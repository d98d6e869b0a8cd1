"""std_headers.py finds the headers that a file lacks, and no others."""
import pathlib
import sys
import tempfile

from sources import Tree
from std_headers import missing

FILES = {
    "core/a.h": "#include <vector>\nstd::vector<std::int64_t> sizes();\n",
    "core/b.cpp": '#include "core/a.h"\n#include <algorithm>\nvoid b() { std::sort(sizes()); std::vector<int> v; }\n',
    "core/c.cpp": '#include "core/a.h"\n// std::sort of a comment\nconst char* c = "std::map";\nstd::optional<int> d;\nint e = std::max(1, 2);\n',
    "app/d.cpp": "#include <string>\nstd::string_view d(std::string);\nint other::std::sort();\n",
}
LACKING = {"core/a.h": {"cstdint": "int64_t"}, "core/b.cpp": {}, "core/c.cpp": {"optional": "optional", "algorithm": "max"},
           "app/d.cpp": {}}

with tempfile.TemporaryDirectory() as root:
    for name, text in FILES.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    tree = Tree(root)
    found = {path: missing(tree, path) for path in tree.files()}
    if found != LACKING:
        sys.exit(f"found {found}")
