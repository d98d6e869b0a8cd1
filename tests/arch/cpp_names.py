"""The names that a C++ text declares in namespaces. It looks at braces, semicolons and names, and is no compiler."""
import re

NAME = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"\s*(?:struct|class|enum|union)\s+(?:class\s+)?(\w+)")
ALIAS = re.compile(r"\s*(?:using|namespace)\s+(\w+)\s*=|\s*using\s+[\w:]+::(\w+)\s*$")
NAMESPACE = re.compile(r"\bnamespace\b([\s\w:]*)$")
DECLARES_NOTHING = re.compile(r"\s*(?:using\s+namespace|static_assert)\b")
MEMBER = re.compile(r"\w\s*::\s*~?\w+\s*$")  # the body of what a type or another namespace declares
WORDS = {"", "operator", "const", "constexpr", "static", "return", "using", "namespace"}


def without_directives(code):
    return re.sub(r"(?m)^\s*#.*$", "", code)


def statements(code):
    """(namespaces, statement) for every declaration at the level of a namespace, bodies of functions included.

    Namespaces are those around it, from the outer one to the inner one: "" is an anonymous one.
    """
    namespaces, depth, start = [], 0, 0
    for found in re.finditer("[{};]", code):
        sign, place = found.group(), found.start()
        if sign == "{":
            opened = NAMESPACE.search(code, start, place) if depth == 0 else None
            if opened:
                namespaces.append(opened.group(1).strip())
                start = place + 1
            else:
                depth += 1
        elif sign == "}":
            if depth:
                depth -= 1
                # The end of a function's body is the end of its declaration; that of a type or a value comes with ';'.
                if depth == 0 and not re.match(r"\s*[;,=.)]", code[place + 1:place + 200]):
                    yield tuple(namespaces), code[start:place + 1]
                    start = place + 1
            elif namespaces:
                namespaces.pop()
                start = place + 1
        elif depth == 0:
            yield tuple(namespaces), code[start:place]
            start = place + 1


def names_declared_by(statement):
    """What one declaration at the level of a namespace declares."""
    if DECLARES_NOTHING.match(statement):
        return []
    head = re.sub(r"\[\[.*?\]\]|\btemplate\s*<[^{;]*?>\s*(?=[\w:])", "", statement.split("{")[0])
    for pattern in (TYPE, ALIAS):
        match = pattern.match(head)
        if match:
            return [name for name in match.groups() if name]
    names = NAME.findall(re.split(r"[=(\[]", head)[0])[-1:]
    if "(" in head.split("=")[0]:
        return names if not MEMBER.search(head.split("(")[0]) else []
    flat, bare = None, statement  # constexpr int kFirst = f(1, 2), kSecond = 2;
    while bare != flat:
        flat, bare = bare, re.sub(r"\([^(){}]*\)|\{[^(){}]*\}|<[^<>;]*>", "", bare)
    return names + re.findall(r",[\s*&]*(\w+)\s*(?:[=,\[]|$)", flat)


def kept_to_itself(namespaces, statement):
    return "" in namespaces or bool(re.match(r"\s*(?:static|using)\b", statement))


def named(names):
    return {name for name in names if name not in WORDS and not name.startswith(("TEST", "INSTANTIATE_TEST"))}


def declared_names(code, all_of_them):
    """The names that a file declares in namespaces: all of them, or those that it keeps to itself."""
    names = set()
    for namespaces, statement in statements(without_directives(code)):
        if all_of_them or kept_to_itself(namespaces, statement):
            names.update(names_declared_by(statement))
    return named(names)


def own_aliases(code):
    """What a file calls by a shorter name of its own, `Json` -> `using Json = nlohmann::json`: a name that it declares in no
    other way. A compiler takes the same words twice."""
    aliases, others = {}, set()
    for namespaces, statement in statements(without_directives(code)):
        names = names_declared_by(statement)
        words = " ".join(statement.split())
        if ALIAS.match(statement) and kept_to_itself(namespaces, statement) and \
                all(aliases.get(name, words) == words for name in names):
            aliases.update((name, words) for name in names)
        else:
            others.update(names)
    return {name: words for name, words in aliases.items() if name not in others}


def defined_types(code):
    """The names of the types that a header defines in namespaces."""
    found = (TYPE.match(statement) for _, statement in statements(without_directives(code)) if "{" in statement)
    return sorted({match.group(1) for match in found if match})


def names_by_namespace(code):
    """(namespace, name) of what a header declares: ("headscope::ui", "shortened")."""
    found = {("::".join(namespaces), name) for namespaces, statement in statements(without_directives(code))
             for name in named(names_declared_by(statement))}
    return sorted(found)
