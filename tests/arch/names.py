"""No two types of app and core share a name: what the compiler makes of one (a destructor that is not inlined) would be
used for the other, which breaks in some builds only.

    names.py ROOT

Types of unnamed namespaces are their file's own, and may share one.
"""
import collections
import pathlib
import re
import sys

OPENS = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{\s*$")
DEFINES = re.compile(r"^(?:template\s*<[^{;]*>\s*)?(?:struct|class|enum class|enum|union)\s+(?:alignas\(\d+\)\s*)?(\w+)\s*"
                     r"(?:final\s*)?(?::[^:;{][^;{]*)?\{")


def types_of(text):
    """The names, with their namespaces, of the types that a file defines outside of other types and functions."""
    inside = []  # names of namespaces; None: another brace
    for line in text.splitlines():
        line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*', "", line)
        opened = OPENS.match(line)
        if opened:
            inside.append(opened.group(1))
            continue
        defined = DEFINES.match(line)
        if defined and None not in inside and "" not in inside:
            yield "::".join(inside + [defined.group(1)])
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                inside.append(None)
            elif inside:
                inside.pop()


def doubled(root):
    """Name and files of every type that several files define."""
    files = collections.defaultdict(set)
    for folder in ("app", "core"):
        for path in sorted(pathlib.Path(root, folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name in types_of(path.read_text(encoding="utf-8")):
                    files[name].add(path.relative_to(root).as_posix())
    return {name: sorted(where) for name, where in files.items() if len(where) > 1}, len(files)


if __name__ == "__main__":
    wrong, count = doubled(sys.argv[1])
    for name, where in sorted(wrong.items()):
        print(f"{name} is defined in {' and in '.join(where)}: one of them needs another name")
    print(f"{count} types, {len(wrong)} names that are not one's own")
    sys.exit(1 if wrong else 0)
