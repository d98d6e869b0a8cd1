"""Which files of each target are compiled as one, for builds with HEADSCOPE_UNITY.

    unity_groups.py ROOT KEPT < TARGETS

reads a line for every target, `NAME;SIZE;FILE;FILE...`, and prints one for every group, `NAME;FILE;FILE...`. Two files may
stand in one group of about SIZE when no name that one of them keeps to itself (in an anonymous namespace, or as static)
is declared in the other, nor in a header that the other sees, and no type's name is of one header for one of them and of
another for the other. A file is in no group when it leaves a macro defined (a kernel is compiled again for every width
of vectors). The rule looks at names only, so overloads that a compiler could tell apart separate files too.

KEPT, a file in the build tree, remembers the groups. A first build is quick because files are compiled as one; who changes a
file waits for that file alone, because what was changed or is new since its group was made leaves it and is compiled apart
from then on. Where many files were changed at once, as by a pull, the target is grouped anew.

    unity_groups.py --changed KEPT

ends with 0 when a file that stands in a group was changed, so that CMake has to ask again, and with 1 when none was.
"""
import json
import pathlib
import re
import sys

from cpp_names import declared_names, defined_types, names_by_namespace, own_aliases
from sources import plain, quoted_includes

MACRO = re.compile(r"(?m)^\s*#\s*(define|undef)\s+(\w+)")
CALL = re.compile(r"(?<![\w.:>])([A-Za-z_]\w+)\s*\(")  # of a function that is named alone
LIBRARY = re.compile(r"(?m)^\s*#\s*include\s+<(\w+)/")  # <nlohmann/json.hpp>, <Eigen/Core>


def leaves_a_macro(code):
    """Whether a macro that the code defines is still defined behind it."""
    left = set()
    for word, name in MACRO.findall(code):
        if word == "define":
            left.add(name)
        else:
            left.discard(name)
    return bool(left)


class Headers:
    """The names that the headers of the tree declare, and which headers a file sees. `known` is kept from build to build."""

    def __init__(self, root, known=None):
        self.root = pathlib.Path(root)
        self.known = {} if known is None else known
        self.seen = {}
        self.nested = None

    def facts(self, header):
        """[time of change, names, included headers, types, libraries, (namespace, name)...] of a header of the tree; nothing
        where it is none."""
        if header not in self.seen:
            path = self.root / header
            if not path.is_file():
                self.seen[header] = None
                return None
            changed = path.stat().st_mtime_ns
            if self.known.get(header, [None])[0] != changed:
                text = path.read_text(encoding="utf-8", errors="replace")
                code = plain(text)
                self.known[header] = [changed, sorted(declared_names(code, all_of_them=True)), quoted_includes(text),
                                      defined_types(code), LIBRARY.findall(text), names_by_namespace(code)]
            self.seen[header] = self.known[header]
        return self.seen[header]

    def hiding(self):
        """Names that one header declares in a namespace and another one in a namespace inside it: who sees both and says the
        name means the inner one."""
        if self.nested is None:
            spaces = {}
            for path in sorted(self.root.glob("[act]*/**/*.h")):
                for space, name in (self.facts(str(path.relative_to(self.root))) or [[]])[-1]:
                    spaces.setdefault(name, set()).add(space)
            self.nested = {name for name, found in spaces.items()
                           if any(inner.startswith(outer + "::") for outer in found for inner in found)}
        return self.nested

    def source_facts(self, path):
        """(must stand alone, own names, declared names, included headers, libraries, own aliases, calls) of a source."""
        changed = time_of_change(path)
        if self.known.get(path, [None])[0] != changed:
            text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
            code = plain(text)
            self.known[path] = [changed, leaves_a_macro(code),
                                sorted(declared_names(code, all_of_them=False)),
                                sorted(declared_names(code, all_of_them=True)), quoted_includes(text),
                                LIBRARY.findall(text), own_aliases(code), sorted(set(CALL.findall(code)))]
        return self.known[path][1:]

    def seen_by(self, includes):
        """(names, type -> its headers, libraries, hiding name -> its headers) of these headers, and of those that they
        include."""
        names, types, libraries, hiding, reached, waiting = set(), {}, set(), {}, set(), list(includes)
        while waiting:
            header = waiting.pop()
            facts = self.facts(header) if header not in reached else None
            reached.add(header)
            if facts:
                names.update(facts[1])
                waiting += facts[2]
                for name in facts[3]:
                    types.setdefault(name, set()).add(header)
                libraries.update(facts[4])
                for name in self.hiding().intersection(facts[1]):
                    hiding.setdefault(name, set()).add(header)
        return names, types, libraries, hiding


class Source:
    """alone: in no group. own: names that it keeps to itself. visible: all that it declares and that its headers do.
    aliases: those of its own names that it declares as another name of something, and its headers do not declare.
    hiding: names of nested namespaces, with the headers that it sees them in; said: those of them that it calls."""

    def __init__(self, path, headers):
        self.path = path
        self.alone, own, declared, includes, libraries, aliases, calls = headers.source_facts(path)
        self.own = set(own)
        self.declared = set(declared)
        names, self.types, seen_libraries, self.hiding = headers.seen_by(includes)
        self.visible = self.declared | names
        self.aliases = {name: words for name, words in aliases.items() if name not in names}
        self.said = headers.hiding().intersection(calls)
        self.libraries = frozenset(seen_libraries.union(libraries))


class Group:
    """Files that may be compiled as one, and the names that a further one must not touch."""

    def __init__(self):
        self.sources, self.visible, self.own, self.types, self.aliases = [], set(), set(), {}, {}
        self.hiding, self.said = {}, set()

    @property
    def files(self):
        return [source.path for source in self.sources]

    def takes(self, source):
        return not source.alone and next(self.obstacles(source), None) is None

    def obstacles(self, source):
        """The names that keep the source out, one after the other; the same one may come twice."""
        yield from (name for name in self.touched_by(source) if not self.calls_alike(name, source))
        yield from (name for name, found in source.types.items() if self.types.get(name, found) != found)
        for one, other in ((self, source), (source, self)):
            # A name that one side calls would mean what only a header of the other side declares.
            yield from (name for name in one.said if other.hiding.get(name, set()) - one.hiding.get(name, set()))

    def touched_by(self, source):
        """Names that one side keeps to itself and the other one sees."""
        return self.own & source.visible | source.own & self.visible

    def calls_alike(self, name, source):
        """Both have the name for the same thing, in the same words, and for nothing else."""
        return name in source.aliases and self.aliases.get(name) == source.aliases[name]

    def add(self, source):
        self.sources.append(source)
        # A name that means something else to one of them, though it takes it in other words, is nobody's short name here.
        self.aliases = {name: words for name, words in (self.aliases | source.aliases).items()
                        if source.aliases.get(name, words) == words and
                        (name in source.aliases or name not in source.visible) and
                        (name in self.aliases or name not in self.visible)}
        self.visible |= source.visible
        self.own |= source.own
        self.types |= source.types
        self.said |= source.said
        for name, found in source.hiding.items():
            self.hiding[name] = self.hiding.get(name, set()) | found


SMALL = 6  # files of such a group may as well stand in one that sees other libraries


def groups(headers, size, paths):
    """Lists of files, each to be compiled as one. What sees the same libraries stands together: the templates of one are then
    compiled once, and not in every group."""
    by_libraries = {}
    for path in paths:
        source = Source(path, headers)
        if not source.alone:
            by_libraries.setdefault(source.libraries, []).append(source)
    made, left = [], []
    for sources in sorted(by_libraries.values(), key=len, reverse=True):
        found = grouped(sources, size, [])
        made += [group for group in found if len(group.files) > SMALL]
        left += [source for group in found if len(group.files) <= SMALL for source in group.sources]
    # Where every group is full, a file more in one costs a second; a file apart parses all its headers for itself.
    made = grouped(left, size + size // 3, made)
    return [group.files for group in made if len(group.files) > 1]


def grouped(sources, size, made):
    """`made` with each source in the first group that takes it, or in a new one."""
    for source in sources:
        group = next((group for group in made if len(group.sources) < size and group.takes(source)), None)
        if not group:
            made.append(group := Group())
        group.add(source)
    return made


def kept_groups(headers, groups_before, paths):
    """The groups of an earlier build with the files that may still stand in them: what left one is compiled apart."""
    there, left = set(paths), []
    for files in groups_before:
        group = Group()
        for path, changed in files:
            if path in there and time_of_change(path) == changed:
                source = Source(path, headers)
                if group.takes(source):  # a header may have brought a name
                    group.add(source)
        if len(group.sources) > 1:
            left.append(group.files)
    return left


def time_of_change(path):
    return pathlib.Path(path).stat().st_mtime_ns


MANY = 24  # files of a target: compiled apart they take longer than its groups do


FACTS = 3  # which facts a kept file holds of a source; what an older script kept is asked again


class Kept:
    """What one build tree remembers: names of headers and sources, and each target's groups with their files' times."""

    def __init__(self, root, path):
        self.path = path
        try:
            known = json.loads(path.read_text())
        except (OSError, ValueError):
            known = {}
        if known.get("facts") != FACTS:
            known = {}
        self.headers = Headers(root, known.get("names", {}))
        self.targets = known.get("targets", {})

    def groups(self, target, size, paths):
        before = self.targets.get(target)
        if before and before["size"] == size:
            found = kept_groups(self.headers, before["groups"], paths)
            apart = set(paths).difference(*found).difference(before["alone"])
            if len(apart) <= MANY:
                before["groups"] = [[[path, time_of_change(path)] for path in files] for files in found]
                return found
        found = groups(self.headers, size, paths)
        self.targets[target] = {"size": size, "alone": sorted(set(paths).difference(*found)),
                                "groups": [[[path, time_of_change(path)] for path in files] for files in found]}
        return found

    def write(self):
        self.path.write_text(json.dumps({"facts": FACTS, "names": self.headers.known, "targets": self.targets}))


def any_changed(path):
    """A file that stands in a group was changed or is gone since CMake asked."""
    try:
        targets = json.loads(path.read_text())["targets"]
    except (OSError, ValueError, KeyError):
        return False
    for target in targets.values():
        for files in target["groups"]:
            for file, changed in files:
                if not pathlib.Path(file).exists() or time_of_change(file) != changed:
                    return True
    return False


def main(arguments):
    if arguments[0] == "--changed":
        return 0 if any_changed(pathlib.Path(arguments[1])) else 1
    kept = Kept(arguments[0], pathlib.Path(arguments[1]))
    for line in sys.stdin:
        target, size, *paths = line.rstrip("\n").split(";")
        for files in kept.groups(target, int(size), paths):
            print(target, *files, sep=";")
    kept.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
