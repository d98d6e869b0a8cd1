"""Which files of a target may be compiled as one, for builds with HEADSCOPE_UNITY.

    unity_groups.py ROOT SIZE KEPT FILE...

prints a line for every group, its files separated by semicolons. Two files may stand in one group when no name is declared
in both that a file keeps to itself (in an anonymous namespace, or as static). A file is in no group when it defines a
macro (a kernel is compiled again for every width of vectors), or keeps a name to itself that some header of the tree
declares. The rule looks at names only, so overloads that a compiler could tell apart separate files too.

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
    return COMMENT_OR_TEXT.sub(' "" ', text)


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


class Source:
    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        self.path = path
        self.alone = bool(re.search(r"(?m)^\s*#\s*define\b", text)) or "using namespace" in text
        code = plain(text)
        self.own = declared_names(code, all_of_them=False)
        self.declared = declared_names(code, all_of_them=True)


def names_of_headers(root, kept=None):
    headers = [path for folder in ("core", "app", "tests") for path in (pathlib.Path(root) / folder).rglob("*.h")]
    stamp = [[str(path), path.stat().st_mtime_ns] for path in sorted(headers)]
    if kept and kept.exists():
        remembered = json.loads(kept.read_text())
        if remembered["stamp"] == stamp:
            return set(remembered["names"])
    names = set()
    for header in headers:
        code = plain(header.read_text(encoding="utf-8", errors="replace"))
        names |= declared_names(code, all_of_them=True)
    if kept:
        kept.write_text(json.dumps({"stamp": stamp, "names": sorted(names)}))
    return names


def groups(root, size, paths, kept=None):
    """Lists of files, each to be compiled as one."""
    of_headers = names_of_headers(root, kept)
    made = []  # (all declared names, own names, files)
    for path in paths:
        source = Source(path)
        if source.alone or source.own & of_headers:
            continue
        for declared, own, files in made:
            if len(files) < size and not (own & source.declared) and not (source.own & declared):
                files.append(path)
                declared |= source.declared
                own |= source.own
                break
        else:
            made.append((set(source.declared), set(source.own), [path]))
    return [files for _, _, files in made if len(files) > 1]


if __name__ == "__main__":
    for files in groups(sys.argv[1], int(sys.argv[2]), sys.argv[4:], pathlib.Path(sys.argv[3])):
        print(";".join(files))
