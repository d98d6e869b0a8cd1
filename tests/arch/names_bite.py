"""names.py finds types that share a name, and no others."""
import pathlib
import sys
import tempfile

from names import doubled

FILES = {
    "app/a.h": 'namespace headscope {\nstruct Same {\n  int a = 0;\n};\nstruct Declared;\nnamespace {\nstruct Own {};\n'
               '}\n}  // namespace headscope\n',
    "app/b.cpp": 'namespace headscope {\nnamespace {\nstruct Own {};\nconst char* brace = "{";\n}  // namespace\n'
                 'class Same : public Base {\n};\nstruct Declared {\n};\nstruct Outer::Inner {\n};\n}\n',
    "core/c.h": 'namespace headscope::ui {\nstruct Same {\n};\nstruct Outer {\n  struct Inner;\n};\n}\n',
    "core/d.cpp": 'namespace headscope {\nstruct Outer::Inner {\n};\nvoid f() {\n  struct Same {};\n}\n}\n',
}

with tempfile.TemporaryDirectory() as root:
    for name, text in FILES.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    wrong, _ = doubled(root)
    if wrong != {"headscope::Same": ["app/a.h", "app/b.cpp"]}:
        sys.exit(f"found {wrong}")
