"""Reads every include of core/ and app/ and fails on an arrow that the design does not have; and on a folder of tests
that mirrors none."""
import pathlib
import sys

import rules

root = pathlib.Path(sys.argv[1])
files = sorted(p for top in ("core", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp"))
if len(files) < 20:
    sys.exit(f"only {len(files)} files below {root}: is this the source tree?")
found = [v for p in files for v in rules.violations(p.relative_to(root).as_posix(), p.read_text())]
for top in ("core", "app", "assets"):
    for folder in sorted(p for p in (root / "tests" / top).rglob("*") if p.is_dir() and p.name != "__pycache__"):
        mirrored = folder.relative_to(root / "tests")
        if not (root / mirrored).is_dir():
            found.append(f"tests/{mirrored} mirrors no folder: there is no {mirrored}")
print("\n".join(found) or f"{len(files)} files, no forbidden include")
sys.exit(1 if found else 0)
