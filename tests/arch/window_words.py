"""Sentences of the window without a translation.

window_words.py ROOT         fails for a sentence of app or core that a file of assets/languages/window has no row for, and
                             for a row with words that no text of the program has; a row may say that a text stays as it is
window_words.py ROOT --list  writes what the files lack, ready to be filled in, as JSON

A sentence is a string literal with two words, one of them in small letters behind the other; `{:.2f}` in it counts as `{}`.
Literals of rooms that write files or code are none: they are read outside of the window.
"""
import json
import pathlib
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)+\'|\s+|.', re.DOTALL)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL)
NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
FOLDERS = ("app/ui", "app/session", "app/frame", "app/platform", "app/gl", "core")
# What these rooms write is code, a file or a picture: it is not shown as words of the window.
OUTSIDE = ("core/script/", "core/picture/", "core/export/", "core/backend/", "core/worksheet/", "core/handout/", "app/ui/script/")
SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z(]+|[a-z]+ (?:\{\}|[A-Z])")
FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
CODE = re.compile(r"\s*(?:--|#|%|\{\"|<|headscope-cli|import |def |torch\.|np\.)")


def unescaped(literal):
    def of(match):
        name = match.group(1)
        if name[0] in "xu":
            return int(name[1:], 16).to_bytes(1, "big") if name[0] == "x" else chr(int(name[1:], 16)).encode()
        if name[0] in "01234567":
            return bytes([int(name, 8)])
        return NAMED.get(name, name).encode()

    parts, at = [], 0
    for match in ESCAPE.finditer(literal):
        parts += [literal[at : match.start()].encode(), of(match)]
        at = match.end()
    return b"".join([*parts, literal[at:].encode()]).decode("utf-8", "replace")


def literals(text):
    """The string literals of C++; those that stand one after the other are one."""
    found, last_end, open_one = [], 0, False
    for match in TOKEN.finditer(text):
        words = match.group(0)
        if match.group(3) is not None and words[0] == '"':
            if text[last_end : match.start()].endswith("#include ") or text[max(0, match.start() - 9) : match.start()] == "#include ":
                continue
            piece = unescaped(match.group(3))
        elif match.group(2) is not None:
            piece = match.group(2)
        elif words.isspace() or words.startswith(("//", "/*")):
            continue
        else:
            open_one = False
            continue
        if open_one:
            found[-1] += piece
        else:
            found.append(piece)
        open_one = True
    return found


def pattern(literal):
    """The literal as the table spells it: every replacement field is `{}`, and doubled braces are single ones."""
    return FIELD.sub(lambda found: found.group(0)[0] if found.group(0) in ("{{", "}}") else "{}", literal)


def is_sentence(words):
    letters = re.sub(r"[^A-Za-z]", "", words.replace("{}", ""))
    return len(letters) >= 6 and SENTENCE.search(words) is not None and CODE.match(words) is None


def texts(root):
    """{text: the files that have it} of all literals."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".cpp", ".h"):
                for literal in literals(path.read_text(encoding="utf-8")):
                    found.setdefault(pattern(literal), []).append(name)
    return found


def table(path):
    return json.loads(path.read_text(encoding="utf-8"))


def missing(found, rows):
    return sorted(words for words, names in found.items()
                  if words not in rows and is_sentence(words) and not all(name.startswith(OUTSIDE) for name in names))


def unknown(found, rows):
    """Rows with a word that no literal has: a text on screen may be put together of several."""
    every = set(re.findall(r"[A-Za-z]{3,}", " ".join(found)))
    return sorted(words for words in rows if words not in found and not every.issuperset(re.findall(r"[A-Za-z]{3,}", words)))


def main(arguments):
    root = pathlib.Path(arguments[0])
    found, failed = texts(root), False
    for path in sorted((root / "assets/languages/window").glob("*.json")):
        rows = table(path)
        lacks = missing(found, rows)
        if "--list" in arguments:
            print(json.dumps({words: "" for words in lacks}, ensure_ascii=False, indent=1))
            continue
        for words in lacks:
            print(f"{found[words][0]}: {path.relative_to(root)} has no row for {json.dumps(words, ensure_ascii=False)}")
        for words in unknown(found, rows):
            print(f"{path.relative_to(root)}: no text of the window is {json.dumps(words, ensure_ascii=False)}")
        failed = failed or bool(lacks) or bool(unknown(found, rows))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
