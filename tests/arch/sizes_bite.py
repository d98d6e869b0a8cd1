"""The lint of sizes itself, on made-up text: what it counts, what it refuses, and what it lets through."""
import sys

import cpp_functions
import sizes

# Text, and its functions as (name, parameters, lines).
READ = [
    ("int f(int a, int b) {\n  return a;\n}\n", [("f", 2, 3)]),
    ("int f(int a);\nint g() { return f(1); }", [("f", 1, 0), ("g", 0, 1)]),
    ("int f(\n    int a,\n    int b)\n{\n}\n", [("f", 2, 2)]),
    ("int f(void);", [("f", 0, 0)]),
    ("auto f(int a) -> std::vector<int> {\n}", [("f", 1, 2)]),
    ("std::map<int, int> f(std::map<int, int> a, std::function<void(int, int)> b = {1, 2}, int c = g(1, 2));",
     [("f", 3, 0)]),
    ("bool f(bool less = (1 < 2), int a = 3);", [("f", 2, 0)]),
    # templates
    ("template <typename T, int N = (1 > 0), typename = std::enable_if_t<true>>\nT f(T (&a)[N]) {\n}", [("f", 1, 2)]),
    ("template <class K>\nint Cache<K>::find(K key) const noexcept(true) {\n}", [("Cache::find", 1, 2)]),
    ("template <typename T>\n  requires std::integral<T>\nT f(T a) {\n}", [("f", 1, 2)]),
    # constructors, destructors, operators
    ("class A {\n public:\n  A(int a, int b) : a_(a), b_{b, [] { return 1; }} {\n  }\n  ~A();\n  int a_, b_{3};\n};",
     [("A::A", 2, 2), ("A::~A", 0, 0)]),
    ("A::A(int a) : Base<int>{a}, a_{a} {}", [("A::A", 1, 1)]),
    ("struct B { B(); explicit B(int a); B(const B&) = delete; };", [("B::B", 0, 0), ("B::B", 1, 0), ("B::B", 1, 0)]),
    ("struct A { bool operator==(const A&) const = default; int operator()(int a, int b) { return 1; }\n"
     "operator bool() const; float& operator[](int i); };\nbool A::operator<(const A& a) { return true; }",
     [("A::operator==", 1, 0), ("A::operator()", 2, 1), ("A::operator_bool", 0, 0), ("A::operator[]", 1, 0),
      ("A::operator<", 1, 1)]),
    # scopes
    ("namespace a::b {\nnamespace {\nvoid f() {\n}\n}  // namespace\n}", [("f", 0, 2)]),
    ('extern "C" {\nint f(int a);\n}', [("f", 1, 0)]),
    ("struct [[nodiscard]] A final : B<int> {\n  struct C { void f(); };\n} a = {1};\nvoid g();",
     [("A::C::f", 0, 0), ("g", 0, 0)]),
    ("enum class Kind : int { one, two };\nusing F = int (*)(int, int);\nstruct A; void f();", [("f", 0, 0)]),
    # a lambda and a class inside are part of their function
    ("void f() {\n  const auto g = [](int a) {\n  };\n  struct A { void h() {} };\n}", [("f", 0, 5)]),
    # tables and variables
    ("constexpr Row kRows[] = {\n  {1, f(2)},\n  {[](int a) { return a; }, 3},\n};", []),
    ("const std::vector<Row> kRows{\n  {1, 2},\n};\nint a{1}, b{2};\nconst auto kF = [](int a) {\n};", []),
    # macros
    ("TEST(Suite, Name) {\n}\nTEST_F(Suite, Other) {}", [("Suite.Name", 0, 2), ("Suite.Other", 0, 1)]),
    ("INSTANTIATE_TEST_SUITE_P(A, B, C(1, 2, 3, 4, 5, 6, 7));\nHWY_EXPORT(f);\nint f();", [("f", 0, 0)]),
    # what is no code
    ("// void f() {\n/* void g() {\n */\nvoid h() {  // }\n}", [("h", 0, 2)]),
    ('void f(const char* a = ")}\\"{", char b = \'{\', char c = \'\\\'\') {\n}', [("f", 3, 2)]),
    ('void f() {\n  g(R"(}\n"})", R"x(}\n)" )x", u8R"(\\)");\n}', [("f", 0, 5)]),
    ("int a = 1'000'000;\nvoid f() {\n}\nint b = 0x1'0;", [("f", 0, 2)]),
    ("#define OPEN {\n#define LONG {\\\n  {\nvoid f() {\n}", [("f", 0, 2)]),
    ("#if A\nvoid f() {\n#else\nvoid f(int a) {\n#endif\n}\n", [("f", 0, 5)]),
    ("#ifdef A\nvoid f() {}\n#else\nvoid g() {}\n#endif\n", [("f", 0, 1), ("g", 0, 1)]),
]


def body(lines):
    return "{\n" + ";\n" * (lines - 2) + "}\n"


def parameters(count):
    return ", ".join(f"int p{n}" for n in range(count))


# Files, and what of them is too large.
MEASURED = [
    ({"core/a.cpp": "\n" * 300}, {}),
    ({"core/a.cpp": "\n" * 301}, {("file", "core/a.cpp", "-"): [301]}),
    ({"core/a.cpp": "// Long because each row is a command.\n" + "\n" * 400}, {}),
    ({"tests/a.py": "import sys\n# Long because each row is a command.\n" + "\n" * 400}, {}),
    ({"core/a.cpp": "// Long because\n" + "\n" * 400}, {("file", "core/a.cpp", "-"): [401]}),
    ({"core/a.cpp": "\n" * 5 + "// Long because each row is a command.\n" + "\n" * 400},
     {("file", "core/a.cpp", "-"): [406]}),
    ({"core/a.cpp": "void f() " + body(60)}, {}),
    ({"core/a.cpp": "void f() " + body(61)}, {("function", "core/a.cpp", "f"): [61]}),
    ({"core/a.cpp": "A::A() : a_{1} " + body(61) + "TEST(S, N) " + body(62)},
     {("function", "core/a.cpp", "A::A"): [61], ("function", "core/a.cpp", "S.N"): [62]}),
    ({"core/a.cpp": "const Row kRows[] = " + body(90).replace(";\n", "1,\n", 88) + ";"}, {}),
    ({"core/a.cpp": "void f(" + parameters(6) + ") {}"}, {}),
    ({"core/a.cpp": "struct A { A(" + parameters(7) + "); };"}, {("parameters", "core/a.cpp", "A::A"): [7]}),
    ({"core/a.cpp": "void f(" + parameters(7) + ") {}\nvoid f(" + parameters(9) + ") {}"},
     {("parameters", "core/a.cpp", "f"): [9, 7]}),
    # A declaration and its definition are one; a declaration alone (of an interface) is one too.
    ({"core/a.h": "void f(" + parameters(7) + ");", "core/a.cpp": "void n::f(" + parameters(7) + ") {}"},
     {("parameters", "core/a.cpp", "n::f"): [7]}),
    ({"core/a.h": "struct A { virtual void f(" + parameters(7) + ") = 0; };"}, {("parameters", "core/a.h", "A::f"): [7]}),
]

# What is too large, what is listed, and how many faults that is.
KEY = ("function", "core/a.cpp", "f")
JUDGED = [
    ({}, {}, 0),
    ({KEY: [70]}, {}, 1),
    ({KEY: [70]}, {KEY: [70]}, 0),
    ({KEY: [69]}, {KEY: [70]}, 0),
    ({KEY: [71]}, {KEY: [70]}, 1),
    ({}, {KEY: [70]}, 1),
    ({KEY: [90, 70]}, {KEY: [90]}, 1),
    ({KEY: [90]}, {KEY: [90, 70]}, 1),
]

LISTED = "# why\nfunction core/a.cpp f 90\nfunction core/a.cpp f 70\nfile core/a.cpp - 310\nfile core/b.cpp - 320\n"
SHRUNK = "# why\nfunction core/a.cpp f 80\nfile core/b.cpp - 320\n"

wrong = []
for text, expected in READ:
    seen = [(f.name, f.parameters, f.lines) for f in cpp_functions.functions(text)]
    if seen != expected:
        wrong.append(f"read {seen}, not {expected}: {text}")
for files, expected in MEASURED:
    if sizes.too_large(files) != expected:
        wrong.append(f"measured {sizes.too_large(files)}, not {expected}")
for large, listed, count in JUDGED:
    if len(sizes.faults(large, listed)) != count:
        wrong.append(f"{sizes.faults(large, listed)} for {large}, listed {listed}")
if sizes.read_list(LISTED) != {KEY: [90, 70], ("file", "core/a.cpp", "-"): [310], ("file", "core/b.cpp", "-"): [320]}:
    wrong.append(f"the list is read as {sizes.read_list(LISTED)}")
if sizes.shrunk(LISTED, {KEY: [80], ("file", "core/b.cpp", "-"): [330], ("file", "core/c.cpp", "-"): [400]}) != SHRUNK:
    wrong.append("the list does not shrink as it should")
for text in ("void f() {", "void f() { ) }"):
    try:
        cpp_functions.functions(text)
        wrong.append(f"no complaint: {text}")
    except ValueError:
        pass
print("\n".join(wrong) or f"{len(READ)} texts read, {len(MEASURED)} measured, {len(JUDGED)} lists judged")
sys.exit(1 if wrong else 0)
