"""Functions of a C++ text: their names, lengths and parameter counts. A small tokenizer and no compiler.

functions(text) lists what stands in namespaces and classes. A lambda, and a class inside a function, is part of its
function. The rows of a table, braces of an initialiser and calls of a macro are no functions; TEST(...) {...} is one.
"""
import collections
import itertools
import re

# name: qualified by its classes, not by namespaces; "Suite.Name" of a TEST. parameters: how many. line: of the name.
# lines: from the one with the opening brace to the one with the closing brace, both counted; 0 for a declaration.
Function = collections.namedtuple("Function", "name parameters line lines")
Token = collections.namedtuple("Token", "text line")

LITERAL_OR_COMMENT = re.compile(
    r"(?P<number>\b\d(?:[\w.]|'\w)*)"  # 1'000 holds no character
    r"|//(?:[^\\\n]|\\.|\\\n)*"
    r"|/\*.*?\*/"
    r'|(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|(?:u8|[uUL])?"(?:[^"\\\n]|\\.|\\\n)*"'
    r"|'(?:[^'\\\n]|\\.)+'",
    re.DOTALL)
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[\w.]|'(?=\w)|(?<=[eEpP])[+-])*|::|->|\[\[|\]\]|\S")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
OPENING = {"(": ")", "[": "]", "{": "}", "[[": "]]"}
BRACKETS = {*OPENING, *OPENING.values()}
# What may stand before "(" in a header without being the name of a function.
NO_NAME = {"noexcept", "decltype", "alignas", "requires", "static_assert", "sizeof", "alignof", "__attribute__",
           "explicit", "throw"}
# What stands before the name of a function and is no type.
NO_TYPE = {"inline", "static", "constexpr", "consteval", "explicit", "virtual", "friend", "extern"}
TESTS = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST"}


def without_literals(text):
    """The text with blanks for comments and "" for strings; every line keeps its number."""
    def blank(match):
        found = match.group()
        if match.group("number"):
            return found
        return ("" if found.startswith("/") else '""') + "\n" * found.count("\n")
    return LITERAL_OR_COMMENT.sub(blank, text)


def without_directives(text):
    """Blank lines for directives. Of branches that open more braces than they close only the first one stays."""
    lines = text.split("\n")
    open_branches = []  # of every #if: its branches so far, as lists of line numbers
    continued = False
    for number, line in enumerate(lines):
        directive = continued or line.lstrip().startswith("#")
        condition = CONDITION.match(line) if directive and not continued else None
        continued = directive and line.endswith("\\")
        if directive:
            lines[number] = ""
        if condition is None:
            if open_branches:
                open_branches[-1][-1].append(number)
        elif condition.group(1).startswith("if"):
            open_branches.append([[]])
        elif condition.group(1).startswith("el"):
            open_branches[-1].append([])
        else:
            branches = open_branches.pop()
            if any(braces(lines[n] for n in branch) for branch in branches):
                for n in (n for branch in branches[1:] for n in branch):
                    lines[n] = ""
            if open_branches:
                open_branches[-1][-1].extend(n for branch in branches for n in branch)
    return "\n".join(lines)


def braces(lines):
    """How many more braces the lines open than they close."""
    return sum(line.count("{") - line.count("}") for line in lines)


def tokens_of(text):
    plain = without_directives(without_literals(text))
    found = []
    for number, line in enumerate(plain.split("\n"), 1):
        found.extend(map(Token, TOKEN.findall(line), itertools.repeat(number)))
    return found


def after_group(tokens, at):
    """The place behind the bracket that closes the one at `at`."""
    close = [OPENING[tokens[at].text]]
    at += 1
    while close:
        if at >= len(tokens):
            raise ValueError(f"no {close[-1]} before the end of the file")
        word = tokens[at].text
        if word not in BRACKETS:
            pass
        elif word in OPENING:
            close.append(OPENING[word])
        elif word == "]]" and close[-2:] == ["]", "]"]:  # a[b[0]]
            del close[-2:]
        elif word != close.pop():
            raise ValueError(f"line {tokens[at].line}: {word} closes nothing")
        at += 1
    return at


def after_angles(tokens, at):
    """The place behind the ">" of the "<" at `at`; `at` itself where the "<" is a comparison."""
    depth, here = 0, at
    while here < len(tokens) and tokens[here].text not in (";", "{", "}", ")"):
        if tokens[here].text in OPENING:
            here = after_group(tokens, here)
            continue
        depth += (tokens[here].text == "<") - (tokens[here].text == ">")
        here += 1
        if depth == 0:
            return here
    return at


def is_word(token):
    return re.match(r"[A-Za-z_]", token.text) is not None


def parameters_of(tokens):
    """How many parameters stand between the parentheses."""
    count, at, something = 0, 0, False
    while at < len(tokens):
        word = tokens[at].text
        something = True
        if word in OPENING:
            at = after_group(tokens, at)
            continue
        if word == "<" and at and is_word(tokens[at - 1]):
            behind = after_angles(tokens, at)
            if behind != at:
                at = behind
                continue
        count += word == ","
        at += 1
    return count + 1 if something and [t.text for t in tokens] != ["void"] else 0


def name_before(header):
    """The qualified name at the end of a header (Cache<K>::find as Cache::find), and where it begins."""
    first = len(header) - 1
    name = header[first].text
    if first > 0 and header[first - 1].text == "~":
        first -= 1
        name = "~" + name
    while first >= 2 and header[first - 1].text == "::" and (is_word(header[first - 2]) or header[first - 2].text == ">"):
        first -= 2
        if header[first].text == ">":
            depth = 1
            while first > 0 and depth:
                first -= 1
                depth += (header[first].text == ">") - (header[first].text == "<")
            first -= 1
        name = header[first].text + "::" + name
    return name, first


class Reader:
    """Goes through namespaces and classes, declaration by declaration."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0
        self.found = []

    def scope(self, classes):
        """Reads up to the brace that closes this namespace or class, or up to the end."""
        while self.at < len(self.tokens):
            word = self.tokens[self.at].text
            if word == "}":
                self.at += 1
                return
            if word in ("public", "private", "protected") and self.tokens[self.at + 1].text == ":":
                self.at += 2
            else:
                self.declaration(classes)

    def declaration(self, classes):
        """One declaration: its header up to ";" or "{", then its body."""
        tokens, header, function = self.tokens, [], None
        while self.at < len(tokens):
            word = tokens[self.at].text
            if word == "operator":
                header.append(self.operator())
            elif word == ";":
                self.at += 1
                self.keep(function, 0)
                return
            elif word == "=":
                self.keep(function, 0)
                self.skip_statement()
                return
            elif word == "}":  # a macro without ";" before the end of its scope
                return
            elif word == "{":
                self.body(header, function, classes)
                return
            elif word == ":" and function is not None:
                self.initialisers()
            elif word in OPENING:
                if word == "(" and function is None:
                    function = self.function(header, classes)
                self.at = after_group(tokens, self.at)
            elif word == "<" and header and is_word(header[-1]) and after_angles(tokens, self.at) != self.at:
                behind = after_angles(tokens, self.at)
                if header[-1].text == "template":
                    header.pop()
                else:  # may be part of Cache<K>::find
                    header += tokens[self.at:behind]
                self.at = behind
            else:
                header.append(tokens[self.at])
                self.at += 1

    def operator(self):
        """The name of an operator as one token: operator==, operator(), operator bool."""
        first = self.at
        self.at += 2 if self.tokens[self.at + 1].text not in OPENING else 3  # (), []
        while self.tokens[self.at].text != "(":
            self.at += 1
        symbols = [t.text for t in self.tokens[first + 1:self.at]]
        return Token("operator" + ("_" if re.match("[A-Za-z]", symbols[0]) else "") + "".join(symbols),
                     self.tokens[first].line)

    def function(self, header, classes):
        """The function whose parameters begin here, and whether a declaration without a body would be one.

        None where the header is none of a function. What has neither a type before it nor the name of its class
        (a macro) is only a function where a body follows.
        """
        if not header or not is_word(header[-1]) or header[-1].text in NO_NAME:
            return None
        name, first = name_before(header)
        inside = self.tokens[self.at + 1:after_group(self.tokens, self.at) - 1]
        if name in TESTS:
            return Function(".".join(t.text for t in inside if is_word(t)), 0, header[-1].line, 0), True
        typed = any(is_word(t) and t.text not in NO_TYPE for t in header[:first])
        parts = (classes[-1:] + name.split("::"))[-2:]
        constructs = len(parts) == 2 and parts[0] == parts[1].lstrip("~")
        function = Function("::".join(classes + [name]), parameters_of(inside), header[-1].line, 0)
        return function, typed or constructs or parts[-1].startswith("operator")

    def keep(self, function, lines):
        if function is not None and (lines or function[1]):
            self.found.append(function[0]._replace(lines=lines))

    def skip_statement(self):
        while self.tokens[self.at].text != ";":
            self.at = after_group(self.tokens, self.at) if self.tokens[self.at].text in OPENING else self.at + 1
        self.at += 1

    def initialisers(self):
        """Steps over ": a_(1), b_{2}", up to the brace of the constructor's body."""
        self.at += 1
        while True:
            word, before = self.tokens[self.at].text, self.tokens[self.at - 1]
            if word == "{" and not is_word(before) and before.text != ">":
                return
            self.at = after_group(self.tokens, self.at) if word in OPENING else self.at + 1

    def body(self, header, function, classes):
        """What the brace at this place opens."""
        words = [t.text for t in header]
        opening = self.tokens[self.at]
        if function is None and "enum" not in words and ("namespace" in words or words[:1] == ["extern"] and '"' in words):
            self.at += 1
            self.scope(classes)
            return
        if function is None and "enum" not in words and {"class", "struct", "union"} & set(words):
            self.at += 1
            self.scope(classes + [self.class_name(header)])
            return
        self.at = after_group(self.tokens, self.at)
        if function is not None:
            self.keep(function, self.tokens[self.at - 1].line - opening.line + 1)
        else:
            self.skip_statement()

    @staticmethod
    def class_name(header):
        words = [t.text for t in header]
        first = next(n for n, word in enumerate(words) if word in ("class", "struct", "union"))
        return words[first + 1] if len(words) > first + 1 else "unnamed"


def functions(text):
    """The functions of `text`, in its order. Throws ValueError where its brackets do not match."""
    reader = Reader(tokens_of(text))
    while reader.at < len(reader.tokens):
        reader.scope([])
    return reader.found
