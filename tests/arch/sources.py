"""The C++ files of the tree for the scripts beside this one: their text, what they include, and all that this reaches."""
import functools
import pathlib
import posixpath
import re

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
INCLUDE = re.compile(r'(?m)^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
FOLDERS = ("core", "app", "tests")


def plain(text):
    """C++ without comments and texts, so that braces and names are code."""
    return COMMENT_OR_TEXT.sub(lambda found: " " if found.group().startswith("/") else ' "" ', text)


def quoted_includes(text):
    """What a text includes with quotation marks, in its order."""
    return [quoted for quoted, _ in INCLUDE.findall(text) if quoted]


class Tree:
    """Files are named as they are included: by their path below the root."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    @functools.lru_cache(maxsize=None)
    def code(self, path):
        return plain(self.text(path))

    @functools.lru_cache(maxsize=None)
    def includes(self, path):
        """(headers of the tree, other headers) that a file includes itself."""
        own, other = set(), set()
        for quoted, angled in INCLUDE.findall(self.text(path)):
            beside = posixpath.join(posixpath.dirname(path), quoted)
            if quoted and (quoted in self.known or beside in self.known):
                own.add(quoted if quoted in self.known else beside)
            else:
                other.add(angled or quoted)
        return own, other

    @functools.lru_cache(maxsize=None)
    def reached(self, path):
        """The file, the headers of the tree that it includes, and those that they include."""
        reached, waiting = set(), [path]
        while waiting:
            file = waiting.pop()
            if file not in reached:
                reached.add(file)
                waiting += self.includes(file)[0]
        return frozenset(reached)

    @functools.cached_property
    def known(self):
        """All of these files."""
        return set(self.files())

    def files(self):
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in (".cpp", ".h"):
                    yield path.relative_to(self.root).as_posix()
