#!/usr/bin/env python3
"""Which files are compiled apart in a first build because no group takes them:

    python3 tests/arch/unity_alone.py ROOT BUILD

A file apart parses all its headers for itself, and takes as long as ten files of a group. Prints each with the names that keep
it out of the largest group that would take it with fewest of them renamed. Ends with 1 when they are more than MOST of a
hundred of all files: a name that many files keep to themselves (`run`, `kRow`) then wants to say more.
"""
import pathlib
import sys

import unity_groups

MOST = 3  # of a hundred


def alone_in(headers, size, paths):
    """(file, names) for each file of a target that could stand in a group and does not."""
    sources = {path: unity_groups.Source(path, headers) for path in paths}
    grouped = unity_groups.groups(headers, size, paths)
    groups = []
    for files in grouped:
        groups.append(unity_groups.Group())
        for path in files:
            groups[-1].add(sources[path])
    for path in sorted(set(paths).difference(*grouped)):
        if groups and not sources[path].alone:
            yield path, min((sorted(set(group.obstacles(sources[path]))) for group in groups), key=len)


def main(root, build):
    targets = pathlib.Path(build) / "unity_targets.txt"
    if not targets.exists():
        print("This tree compiles every file apart.")
        return 0
    headers, files, alone = unity_groups.Headers(root), 0, []
    for line in targets.read_text().splitlines():
        target, size, *paths = line.split(";")
        files += len(paths)
        alone += [(target, path, names) for path, names in alone_in(headers, int(size), paths)]
    for target, path, names in alone:
        print(f"{target}: {pathlib.Path(path).relative_to(pathlib.Path(root).resolve())}: {', '.join(names) or 'every group is full'}")
    print(f"{files} files, {len(alone)} alone for their names")
    return 1 if 100 * len(alone) > MOST * files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
