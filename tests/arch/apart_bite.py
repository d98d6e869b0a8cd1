"""apart.py finds the file that compiles only behind another, reads again what was changed, and nothing else: apart_bite.py COMPILER"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEADER = "#pragma once\n#include <string>\ninline std::string row() { return {}; }\nclass Later;\nLater& later();\n"
FILES = {
    "room/part/row.h": HEADER,
    "room/part/later.h": "#pragma once\nclass Later {\npublic:\n  int size() const { return 1; }\n};\n",
    "room/part/first.cpp": '#include "room/part/later.h"\n#include "room/part/row.h"\nint first() { return later().size(); }\n',
    "room/part/second.cpp": '#include "room/part/row.h"\nstd::string second() { return row(); }\n',
    "room/part/third.cpp": '#include "room/part/row.h"\nstd::string third() { return row() + row(); }\n',
    # It compiles behind first.cpp, which includes the class that is only declared here.
    "room/part/wants.cpp": '#include "room/part/row.h"\nint wants() { return later().size(); }\n',
    # A macro in front of a header decides its meaning, so the header is not shared.
    "room/part/kind.h": "#pragma once\n#ifdef KIND\ninline int kind() { return 1; }\n#endif\n",
    "room/part/kind.cpp": '#define KIND\n#include "room/part/kind.h"\nint of_kind() { return kind(); }\n',
    "room/part/kind2.cpp": '#define KIND\n#include "room/part/kind.h"\nint of_kind2() { return kind(); }\n',
    "room/part/unused.cpp": '#include "room/part/row.h"\nint unused(int number) { return 1; }\n',
}


def check(build, compiler, bad, read):
    command = [sys.executable, pathlib.Path(__file__).with_name("apart.py"), build, "--compiler", compiler, "--jobs", "2"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    named = {name for name in FILES if name.endswith(".cpp") and f"{name}:" in done.stdout}
    if done.returncode != bool(bad) or named != bad or f"apart: {read} files read, {len(bad)} with errors" not in done.stdout:
        sys.exit(f"ended with {done.returncode}, and named {named}, not {bad}, of {read}:\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as root:
    root = pathlib.Path(root)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    entries = [{"directory": str(root), "file": name, "command": f"c++ -I{root} -Wall -Wextra -std=c++20 -o {name}.o -c {name}"}
               for name in FILES if name.endswith(".cpp")]
    (root / "compile_commands.json").write_text(json.dumps(entries))
    both = {"room/part/wants.cpp", "room/part/unused.cpp"}
    check(root, sys.argv[1], both, 7)
    check(root, sys.argv[1], both, 2)
    (root / "room/part/wants.cpp").write_text('#include "room/part/later.h"\n' + FILES["room/part/wants.cpp"])
    (root / "room/part/unused.cpp").write_text("int unused() { return 1; }\n")
    check(root, sys.argv[1], set(), 2)
    (root / "room/part/row.h").write_text(HEADER + "inline int column() { return 1; }\n")
    check(root, sys.argv[1], set(), 4)
