"""Which files of a target may be compiled as one, for builds with HEADSCOPE_UNITY.

    unity_groups.py ROOT SIZE KEPT FILE...

prints a line for every group, its files separated by semicolons. Two files may stand in one group when no name that
one of them keeps to itself (in an anonymous namespace, or as static) is declared in the other, nor in a header that
the other sees, and no type's name is of one header for one of them and of another for the other. A file is in no group
when it defines a macro (a kernel is compiled again for every width of vectors) or uses a whole namespace. The rule
looks at names only, so overloads that a compiler could tell apart separate files too.

KEPT is a file of its own that remembers the headers' names from one target to the next.
"""
import json
import pathlib
import re
import sys

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
NAME = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"\s*(?:struct|class|enum|union)\s+(?:class\s+)?(\w+)")
ALIAS = re.compile(r"\s*(?:using|namespace)\s+(\w+)\s*=|\s*using\s+[\w:]+::(\w+)\s*$")
WORDS = {"", "operator", "const", "constexpr", "static", "return", "using", "namespace"}


def plain(text):
    """C++ without comments and texts, so that braces and names are code."""
    return COMMENT_OR_TEXT.sub(lambda found: " " if found.group().startswith("/") else ' "" ', text)


def statements(code):
    """(anonymous, statement) for every declaration at the level of a namespace, bodies left out."""
    namespaces, depth, start, place = [], 0, 0, 0
    while place < len(code):
        sign = code[place]
        if sign == "{":
            head = code[start:place]
            opened = re.search(r"\bnamespace\b([\s\w:]*)$", head)
            if depth == 0 and opened:
                namespaces.append(not opened.group(1).strip())
                start = place + 1
            else:
                depth += 1
        elif sign == "}":
            if depth:
                depth -= 1
                # The end of a function's body is the end of its declaration; that of a type or a value comes with ';'.
                if depth == 0 and not re.match(r"\s*[;,=.)]", code[place + 1:]):
                    yield any(namespaces), code[start:place + 1]
                    start = place + 1
            elif namespaces:
                namespaces.pop()
                start = place + 1
        elif sign == ";" and depth == 0:
            yield any(namespaces), code[start:place]
            start = place + 1
        place += 1


def names_declared_by(statement):
    """What one declaration at the level of a namespace declares."""
    head = re.sub(r"\[\[.*?\]\]|\btemplate\s*<[^{;]*?>\s*(?=[\w:])", "", statement.split("{")[0])
    for pattern in (TYPE, ALIAS):
        match = pattern.match(head)
        if match:
            return [name for name in match.groups() if name]
    names = NAME.findall(re.split(r"[=(\[]", head)[0])[-1:]
    if "(" in head.split("=")[0]:
        return names
    flat, bare = None, statement  # constexpr int kFirst = f(1, 2), kSecond = 2;
    while bare != flat:
        flat, bare = bare, re.sub(r"\([^(){}]*\)|\{[^(){}]*\}|<[^<>;]*>", "", bare)
    return names + re.findall(r",\s*(\w+)\s*(?:[=,\[]|$)", flat)


def declared_names(code, all_of_them):
    """The names that a file declares in namespaces: all of them, or those that it keeps to itself."""
    names = set()
    for anonymous, statement in statements(re.sub(r"(?m)^\s*#.*$", "", code)):
        if all_of_them or anonymous or re.match(r"\s*(?:static|using)\b", statement):
            names.update(names_declared_by(statement))
    return {name for name in names if name not in WORDS and not name.startswith(("TEST", "INSTANTIATE_TEST"))}


INCLUDE = re.compile(r'(?m)^\s*#\s*include\s+"([^"]+)"')


def defined_types(code):
    """The names of the types that a header defines in namespaces."""
    found = (TYPE.match(statement) for _, statement in statements(re.sub(r"(?m)^\s*#.*$", "", code)) if "{" in statement)
    return sorted({match.group(1) for match in found if match})


class Headers:
    """The names that the headers of the tree declare, and which headers a file sees."""

    def __init__(self, root, kept=None):
        self.root = pathlib.Path(root)
        self.kept = kept
        self.known = json.loads(kept.read_text()) if kept and kept.exists() else {}
        self.seen = {}

    def remember(self):
        if self.kept:
            self.kept.write_text(json.dumps(self.known))

    def facts(self, header):
        """[time of change, names, included headers, types] of a header of the tree; nothing where it is none."""
        path = self.root / header
        if header not in self.seen and path.is_file():
            changed = path.stat().st_mtime_ns
            if self.known.get(header, [None])[0] != changed:
                text = path.read_text(encoding="utf-8", errors="replace")
                code = plain(text)
                self.known[header] = [changed, sorted(declared_names(code, all_of_them=True)), INCLUDE.findall(text),
                                      defined_types(code)]
            self.seen[header] = self.known[header]
        return self.seen.get(header)

    def seen_by(self, text):
        """(names, type -> its headers) of the headers that a file of this text includes, and of those that they include."""
        names, types, reached, waiting = set(), {}, set(), INCLUDE.findall(text)
        while waiting:
            header = waiting.pop()
            facts = self.facts(header) if header not in reached else None
            reached.add(header)
            if facts:
                names.update(facts[1])
                waiting += facts[2]
                for name in facts[3]:
                    types.setdefault(name, set()).add(header)
        return names, types


class Source:
    """alone: in no group. own: names that it keeps to itself. visible: all that it declares and that its headers do."""

    def __init__(self, path, headers):
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        self.path = path
        code = plain(text)
        self.alone = bool(re.search(r"(?m)^\s*#\s*define\b|\busing namespace\b", code))
        self.own = declared_names(code, all_of_them=False)
        self.declared = declared_names(code, all_of_them=True)
        names, self.types = headers.seen_by(text)
        self.visible = self.declared | names


def groups(root, size, paths, kept=None):
    """Lists of files, each to be compiled as one."""
    headers = Headers(root, kept)
    made = []  # (visible names, own names, type -> its headers, files)
    for path in paths:
        source = Source(path, headers)
        if source.alone:
            continue
        for visible, own, types, files in made:
            if len(files) == size or own & source.visible or source.own & visible:
                continue
            if all(types.get(name, found) == found for name, found in source.types.items()):
                files.append(path)
                visible |= source.visible
                own |= source.own
                types |= source.types
                break
        else:
            made.append((set(source.visible), set(source.own), dict(source.types), [path]))
    headers.remember()
    return [files for _, _, _, files in made if len(files) > 1]


if __name__ == "__main__":
    for files in groups(sys.argv[1], int(sys.argv[2]), sys.argv[4:], pathlib.Path(sys.argv[3])):
        print(";".join(files))
