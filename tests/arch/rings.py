"""Rings: groups of files of core and app that include each other all around. A header and its .cpp count as one.

rings.py ROOT           fails for a ring that is not in rings_allowed.txt, and for a line there that names more than
                        what is still a ring
rings.py ROOT --shrink  takes out of rings_allowed.txt what is no ring any longer; it never adds a line or a name

Usual ways to untie two files: a third header with what both need, or what both call moves down into a file of its own.
"""
import collections
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
LIST = "tests/arch/rings_allowed.txt"
ADVICE = "give a header of its own to what they share"


def includes(files):
    """{unit: units that it includes} of `files`, {path: text}; a unit is a path without its ending."""
    graph = {unit(path): set() for path in files}
    for path, text in files.items():
        for included in INCLUDE.findall(text):
            if included in files and unit(included) != unit(path):
                graph[unit(path)].add(unit(included))
    return graph


def unit(path):
    return path.rsplit(".", 1)[0]


def reached_from(start, graph):
    """All that can be reached by one step or more."""
    reached, waiting = set(), [start]
    while waiting:
        for next_one in graph[waiting.pop()] - reached:
            reached.add(next_one)
            waiting.append(next_one)
    return reached


def rings(files):
    """The rings in `files`, each a sorted tuple of units."""
    graph = includes(files)
    reached = {start: reached_from(start, graph) for start in graph}
    found = {tuple(sorted(other for other in reached[start] if start in reached[other]))
             for start in graph if start in reached[start]}
    return sorted(found)


def read_list(text):
    """The allowed rings, one a line, each a tuple of units."""
    return [tuple(line.split()) for line in text.splitlines() if line and not line.startswith("#")]


def faults(found, allowed):
    """Sentences: which rings must be untied, and which lines of the list must shrink."""
    sentences = []
    for ring in found:
        if not any(set(ring) <= set(line) for line in allowed):
            sentences.append(f"these include each other in a ring: {' '.join(ring)}: {ADVICE}")
    for line in allowed:
        left = still_tied(line, found)
        if len(left) < len(line):
            sentences.append(f"no longer in a ring, take out of {LIST}: {' '.join(sorted(set(line) - left))}")
    return sentences


def still_tied(line, found):
    """The units of an allowed ring that are in one still."""
    return {name for ring in found if set(ring) <= set(line) for name in ring}


def shrunk(text, found):
    """The list without what is tied no longer; a ring that fell into several becomes a line for each."""
    kept = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            kept.append(line)
            continue
        kept += [" ".join(ring) for ring in found if set(ring) <= set(line.split())]
    return "\n".join(kept) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    paths = sorted(p for top in ("core", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp"))
    if len(paths) < 20:
        sys.exit(f"only {len(paths)} files below {root}: is this the source tree?")
    found = rings({p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in paths})
    exceptions = root / LIST
    if sys.argv[2:] == ["--shrink"]:
        exceptions.write_text(shrunk(exceptions.read_text(), found))
    wrong = faults(found, read_list(exceptions.read_text()))
    print("\n".join(wrong) or f"{len(paths)} files; rings that are still allowed: {len(found)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
