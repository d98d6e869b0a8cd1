"""Every name of a header of the tree comes from a header that is included: by the file that uses it, by its own header
(foo.h of foo.cpp), or by a header of the tree that one of them includes.

    python3 tests/arch/own_headers.py ROOT

A file without that compiles only where something else brings the name: a precompiled header, or a file before it in a
group that is compiled as one. Headers that reach a name by others suffice, as in std_headers.py: to want each name's
header in the file itself would be 11,700 more includes in 1,650 of 2,640 files, and no compiler stumbles without them.

Names are what headers declare in namespaces, and macros; enumerators come with their type. Members count where the file
sees no more of their type than "class Session;", and where no other type that it sees has such a member. It is no
compiler, and where it cannot tell it says nothing: a name that the file also gives to something else (a variable, a
parameter, a type of its own), or that is a member in a header which it sees, is left out; and where two headers declare
a name, either suffices. When 1,624 includes were taken out, one at a time, it named 1,473; of the other 151 some were not
needed, and 33 were session.h, of whose type the file used members alone.
"""
import collections
import functools
import re
import sys

from cpp_names import NAME, TYPE, names_declared_by, statements, without_directives
from sources import Tree

KEYWORDS = set("alignas alignof auto case catch class concept const constexpr decltype default delete do else enum explicit "
               "export extern final for friend goto if inline mutable namespace new noexcept operator override private "
               "protected public requires return sizeof static static_assert struct switch template throw try typedef "
               "typename union using virtual volatile while".split())
DEFINE = re.compile(r"(?m)^\s*#\s*define\s+(?!\w+_H$)(\w+)")
TEMPLATE = re.compile(r"\btemplate\s*<[^{;]*?>\s*")
# A type, or the end of one, and a name: "const Shape& shape,", "Rows<float> rows = ", "char* const text;". No operator: "a * b".
VARIABLE = re.compile(r"(?<![\w>&*.:])(?:(?<=\))>|(?=[&*>:.]*\w))([\w>&*.:]*)(?: const)?\s+([A-Za-z_]\w*)(?=\s*(?:[;,=({\[)]|:(?!:)|\.\.\.))")
# "auto [row, column]", "enum class Side { left, right }", and what follows the first one of "float row = 0, column, width = 1;".
LISTS = (re.compile(r"\bauto&{0,2} ?\[([\w, ]+)\]"), re.compile(r"\benum\b[^;{}()]*\{([^}]*)\}"),
         re.compile(r"((?:,\s*\**\w+)+)\s*(?:;|=[^=])"), re.compile(r",\s*([a-z]\w*)\{"),
         re.compile(r"(?m)^\s*[\w:]+(?:<[^;()]*>)? \w+\([^()]*\), (\w+)\([^()]*\);"))
OTHERS = re.compile(r"\b(?:struct|class|enum|union|typename|auto)\b(?:\.\.\.)?\s+(?:class\s+)?(\w+)\b(?!\s*;)|\(\*(\w+)\)\s*\(|"
                    r"\b(?:using|namespace)\s+(\w+)\s*=|\busing\s+[\w:]+::(\w+)\s*;|#\s*define\s+(\w+)|\} (\w+)\s*(?:[;{]|=[^=])")
# What gtest makes a name of, and no name that must be known.
TEST_NAMES = ((re.compile(r"\bTEST\(\s*\w+\s*,\s*\w+\s*\)"), "TEST()"), (re.compile(r"\b(TEST_[FP]\(\s*\w+)\s*,\s*\w+"), r"\1"),
              (re.compile(r"\bINSTANTIATE_TEST_SUITE_P\(\s*\w+\s*,"), "INSTANTIATE_TEST_SUITE_P("))
ACCESS = re.compile(r"(?:(?<!\.)\.|->)\s*([A-Za-z_]\w*)")
# Members of the standard library's types, too.
ANYONES = set("at back begin clear count data empty end erase find first front get insert push_back reset resize second size "
              "swap value".split())
BEFORE = re.compile(r"(?:(?:(\w+)\s*)?(::)|(?<!\.\.)(\.)|(->))\s*$")
DECLARED_TYPE = re.compile(r"(?:struct|class|union)\s+(\w+)")
DECLARED_HERE = re.compile(r"\b(?:struct|class|union)\s+(\w+);")
# A macro that is called, and a member of a class that is defined outside of it.
NO_DECLARATION = re.compile(r"(?!(?:struct|class|enum|union)\b)(?:\w+\s*\(|[^=({\[]*::\s*~?\w+\s*[=({\[])")
# How a type is named that need not be defined there: "Session&", "class Session;", "std::unique_ptr<Session>".
AFTER_DECLARED = re.compile(r"(?: const)?\s*[&*>;]")
# Which headers a file may include at all, by its first folder.
MAY_SEE = {"core": ("core/",), "app": ("core/", "app/"), "tests": ("core/", "app/", "tests/")}


def names_given_in(code):
    """What a piece of code declares at any depth, as far as its look tells."""
    names = {name for before, name in VARIABLE.findall(code) if before not in KEYWORDS or before == "auto"}
    for pattern in LISTS:
        for found in pattern.findall(code):
            names.update(NAME.findall(found))
    return names.union(*OTHERS.findall(code))


def opened_namespaces(code):
    """The namespaces whose names the file writes without them."""
    opened = {()}
    for found in re.findall(r"\bnamespace\s+([\w:]+)\s*[{;]", code):
        parts = ("headscope",) + tuple(part for part in found.split("::") if part != "headscope")
        opened.update(parts[:length + 1] for length in range(len(parts)))
    return opened


def uses_in(code, names):
    """name -> (what stands before it, whether a declaration suffices) of the places in the code where it is no member.

    Before it stands a namespace, or a class: "size" of size::words; or None.
    """
    uses = collections.defaultdict(set)
    for found in NAME.finditer(code):
        if found.group() in names:
            before = BEFORE.search(code, max(0, found.start() - 80), found.start())
            if before is None or before.group(2):
                uses[found.group()].add((before and (before.group(1) or ""), bool(AFTER_DECLARED.match(code, found.end()))))
    return uses


class OwnHeaders:
    def __init__(self, tree):
        self.tree = tree
        self.homes = collections.defaultdict(dict)  # name -> header -> namespaces in which it declares the name
        self.declarations = collections.defaultdict(set)  # type -> headers that only declare it
        for path in tree.files():
            if path.endswith(".h"):
                self.read(path)

    def read(self, header):
        """Keeps what a header declares outside of classes and functions."""
        for name in DEFINE.findall(self.tree.text(header)):
            self.homes[name].setdefault(header, set()).add(())
        for namespaces, statement in statements(without_directives(self.tree.code(header))):
            statement = statement.replace("decltype(auto)", "auto")
            bare = TEMPLATE.sub("", statement).strip()
            declared = DECLARED_TYPE.fullmatch(bare)
            if declared:
                self.declarations[declared.group(1)].add(header)
            elif not NO_DECLARATION.match(bare):
                namespace = tuple(part for name in namespaces for part in name.split("::"))
                for name in names_declared_by(statement):
                    if name not in KEYWORDS:
                        self.homes[name].setdefault(header, set()).add(namespace)

    @functools.lru_cache(maxsize=None)
    def members(self, header):
        """The names inside of the classes of a header."""
        names = set()
        for _, statement in statements(without_directives(self.tree.code(header))):
            if "{" in statement and TYPE.match(TEMPLATE.sub("", statement)):
                names |= names_given_in(statement[statement.index("{"):])
        return names

    def reached(self, path):
        """All headers whose names a file sees, and itself."""
        own = path.removesuffix(".cpp") + ".h"
        return self.tree.reached(path) | (self.tree.reached(own) if own in self.tree.known else set())

    def missing(self, path):
        """name -> the headers that declare it, for the names that a file uses and that none of its headers declares."""
        return self.missing_names(path) | self.missing_members(path)

    def missing_names(self, path):
        """The names in namespaces."""
        code, reached = without_directives(self.tree.code(path)), self.reached(path)
        names = {name for name in set(NAME.findall(code)) & self.homes.keys() if not self.homes[name].keys() & reached}
        if not names:
            return {}
        for pattern, text in TEST_NAMES:
            code = pattern.sub(text, code)
        opened, declared, found = opened_namespaces(code), set(DECLARED_HERE.findall(code)), {}
        for name, uses in uses_in(code, names).items():
            if name in declared or self.declarations[name] & reached:
                uses = {(before, suffices) for before, suffices in uses if not suffices}
            for header, spaces in self.homes[name].items():
                if header.startswith(may_see(path)):
                    behind = any(space[-1:] == (before,) for space in spaces for before, _ in uses)
                    if behind or spaces & opened and any(before is None for before, _ in uses):
                        found.setdefault(name, {})[header] = behind
        doubtful = {name for name, headers in found.items() if not any(headers.values())}
        taken = self.taken(doubtful, path, reached)
        return {name: sorted(headers) for name, headers in found.items() if name not in taken}

    def missing_members(self, path):
        """member -> the headers that define its type, for the members whose type the file's headers declare and do not define."""
        code, reached = without_directives(self.tree.code(path)), self.reached(path)
        accessed, unknown = set(ACCESS.findall(code)) - ANYONES, collections.defaultdict(set)
        for name, headers in self.declarations.items():
            homes = self.homes.get(name, {}).keys()
            if not headers.isdisjoint(reached) and homes and not homes & reached:
                for home in homes:
                    for member in accessed & self.members(home) if home.startswith(may_see(path)) else ():
                        unknown[member].add(home)
        taken = self.taken(set(unknown), path, reached)
        return {member: sorted(homes) for member, homes in unknown.items() if member not in taken}

    def taken(self, names, path, reached):
        """Those of the names that are also members in the headers, or that the file gives to something of its own."""
        members = {name for name in names if any(name in self.members(header) for header in reached if header.endswith(".h"))}
        return members | names_given_in(self.tree.code(path)) if names > members else members


def may_see(path):
    return MAY_SEE[path.split("/")[0]]


def main(root):
    own_headers, files, count = OwnHeaders(Tree(root)), 0, 0
    for path in own_headers.tree.files():
        files += 1
        for name, headers in sorted(own_headers.missing(path).items()):
            print(f'{path}: {name} needs #include "' + '" or "'.join(headers) + '"')
            count += 1
    print(f"{files} files, {len(own_headers.homes)} names, {count} headers missing")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
