"""The lint of rings itself, on made-up files: what it calls a ring, what it refuses, and how its list shrinks."""
import sys

import rings


def including(*paths):
    return "".join(f'#include "{path}"\n' for path in paths)


A, B, C, D = "core/a", "core/b", "core/c", "core/d"

# Files, and the rings among them.
FOUND = [
    ({"core/a.h": "", "core/a.cpp": including("core/a.h")}, []),
    ({"core/a.h": "", "core/b.h": including("core/a.h"), "core/a.cpp": including("core/a.h")}, []),
    # A header alone closes no ring here; its .cpp does.
    ({"core/a.h": "", "core/a.cpp": including("core/a.h", "core/b.h"), "core/b.h": including("core/a.h")}, [(A, B)]),
    ({"core/a.h": including("core/b.h"), "core/b.h": including("core/c.h"), "core/c.h": including("core/a.h")},
     [(A, B, C)]),
    # Two rings with a common file are one; one below another is a second.
    ({"core/a.h": including("core/b.h", "core/c.h"), "core/b.h": including("core/a.h"),
      "core/c.h": including("core/a.h")}, [(A, B, C)]),
    ({"core/a.h": including("core/b.h"), "core/b.h": including("core/a.h", "core/c.h"),
      "core/c.h": including("core/d.h"), "core/d.h": including("core/c.h")}, [(A, B), (C, D)]),
    # Of the system, or not there.
    ({"core/a.h": "#include <core/b.h>\n" + including("core/e.h"), "core/b.h": including("core/a.h")}, []),
    ({"core/a.h": '  #  include "core/b.h"\n', "core/b.h": including("core/a.h")}, [(A, B)]),
]

# Rings, the list, and how many faults that is.
JUDGED = [
    ([], [], 0),
    ([(A, B)], [], 1),
    ([(A, B)], [(A, B)], 0),
    ([(A, B)], [(A, B, C)], 1),
    ([(A, B, C)], [(A, B)], 2),
    ([], [(A, B)], 1),
    ([(A, B), (C, D)], [(A, B, C, D)], 0),
]

LISTED = "# why\ncore/a core/b core/c\ncore/d core/e\n"
SHRUNK = "# why\ncore/a core/b\n"

wrong = []
for files, expected in FOUND:
    if rings.rings(files) != expected:
        wrong.append(f"found {rings.rings(files)}, not {expected}")
for found, allowed, count in JUDGED:
    if len(rings.faults(found, allowed)) != count:
        wrong.append(f"{rings.faults(found, allowed)} for {found}, allowed {allowed}")
if rings.read_list(LISTED) != [(A, B, C), (D, "core/e")]:
    wrong.append(f"the list is read as {rings.read_list(LISTED)}")
if rings.shrunk(LISTED, [(A, B)]) != SHRUNK:
    wrong.append("the list does not shrink as it should")
print("\n".join(wrong) or f"{len(FOUND)} groups of files, {len(JUDGED)} lists judged")
sys.exit(1 if wrong else 0)
