"""Sizes: files up to 300 lines, functions up to 60, parameter lists up to 6. What is larger is listed, and the list shrinks.

sizes.py ROOT           fails for what is too large and not in sizes_exceptions.txt, for what has grown beyond the size
                        that is listed there, and for what is listed and no longer too large
sizes.py ROOT --shrink  takes out of sizes_exceptions.txt what is no longer too large, and lowers the other sizes to
                        what they are; it never adds a line and never raises a size

A file of C++ or Python may be longer with a sentence in one of its first five lines: `// Long because ...` (`#` in
Python). A function is measured from the line with its opening brace to the line with its closing one; parameters are
those of functions and constructors. A struct may have as many fields as it needs: it is what a long list becomes.
"""
import collections
import pathlib
import re
import sys

import cpp_functions

FILE_LINES = 300
FUNCTION_LINES = 60
PARAMETERS = 6
EXCUSE = re.compile(r"^\s*(//|#) Long because \S+ \S+")
EXCUSE_WITHIN = 5
LIST = "tests/arch/sizes_exceptions.txt"
UNITS = {"file": "lines", "function": "lines", "parameters": "parameters"}
LIMITS = {"file": FILE_LINES, "function": FUNCTION_LINES, "parameters": PARAMETERS}
ADVICE = {
    "file": "split it, or say why in its first five lines: // Long because ...",
    "function": "name its parts",
    "parameters": "let a struct say what they are",
}


def too_large(files):
    """{(kind, path, name): sizes} of what is above a limit in `files`, {path: text}; the largest of a name first.

    kind is file (then name is -), function or parameters. Functions of one name in one file (overloads) have a size
    each.
    """
    found = collections.defaultdict(list)
    declared = []
    defined = collections.defaultdict(set)  # parameter counts -> names
    for path, text in files.items():
        lines = text.splitlines()
        if len(lines) > FILE_LINES and not any(EXCUSE.match(line) for line in lines[:EXCUSE_WITHIN]):
            found["file", path, "-"].append(len(lines))
        for function in cpp_functions.functions(text) if path.endswith((".cpp", ".h")) else ():
            if function.lines > FUNCTION_LINES:
                found["function", path, function.name].append(function.lines)
            if function.parameters > PARAMETERS:
                if function.lines:
                    defined[function.parameters].add(function.name)
                    found["parameters", path, function.name].append(function.parameters)
                else:
                    declared.append((path, function))
    # A declaration and its definition are one list, and the definition holds it.
    for path, function in declared:
        names = defined[function.parameters]
        if not any(name == function.name or name.endswith("::" + function.name) for name in names):
            found["parameters", path, function.name].append(function.parameters)
    return {key: sorted(sizes, reverse=True) for key, sizes in found.items()}


def read_list(text):
    """{(kind, path, name): sizes} of the lines `kind path name size`."""
    listed = collections.defaultdict(list)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            kind, path, name, size = line.split()
            listed[kind, path, name].append(int(size))
    return {key: sorted(sizes, reverse=True) for key, sizes in listed.items()}


def faults(large, listed):
    """Sentences: what must be made smaller, and what must leave the list."""
    found = []
    for kind, path, name in sorted(large.keys() | listed.keys()):
        now, then = large.get((kind, path, name), []), listed.get((kind, path, name), [])
        what = path if kind == "file" else f"{path}: {name}"
        for size in now[len(then):]:
            found.append(f"{what} has {size} {UNITS[kind]}, at most {LIMITS[kind]} are allowed: {ADVICE[kind]}")
        for size, allowed in zip(now, then):
            if size > allowed:
                found.append(f"{what} has grown from {allowed} to {size} {UNITS[kind]}: {ADVICE[kind]}")
        for size in then[len(now):]:
            found.append(f"{what} is no longer too large: take `{kind} {path} {name} {size}` out of {LIST}")
    return found


def shrunk(text, large):
    """The list without what is no longer too large, and with no size above what it is today."""
    left = {key: list(sizes) for key, sizes in large.items()}
    kept = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            kept.append(line)
            continue
        kind, path, name, size = line.split()
        sizes = left.get((kind, path, name))
        if sizes:
            kept.append(f"{kind} {path} {name} {min(int(size), sizes.pop(0))}")
    return "\n".join(kept) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    paths = sorted(p for top in ("core", "app", "tests") for p in (root / top).rglob("*")
                   if p.suffix in (".h", ".cpp", ".py"))
    if len(paths) < 20:
        sys.exit(f"only {len(paths)} files below {root}: is this the source tree?")
    large = too_large({p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in paths})
    exceptions = root / LIST
    if sys.argv[2:] == ["--shrink"]:
        exceptions.write_text(shrunk(exceptions.read_text(), large))
    found = faults(large, read_list(exceptions.read_text()))
    counts = collections.Counter(kind for (kind, _, _), sizes in large.items() for _ in sizes)
    listed = ", ".join(f"{kind} {counts[kind]}" for kind in UNITS)
    print("\n".join(found) or f"{len(paths)} files; too large and listed: {listed}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
